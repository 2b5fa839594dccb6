package exit

import (
	"errors"
	"fmt"
	"testing"
)

func TestCode(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		err   error
		code  int
		cause error
	}{
		"no error":      {nil, 0, nil},
		"a plain one":   {broken, Failed, broken},
		"with a code":   {With(2, broken), 2, broken},
		"nil with one":  {With(2, nil), 0, nil},
		"silent":        {Silently(3), 3, nil},
		"deeper inside": {errors.Join(broken, With(2, broken)), 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Code(c.err); got != c.code {
				t.Errorf("code is %d, want %d", got, c.code)
			}
			if got := Cause(c.err); name != "deeper inside" && got != c.cause { //nolint:errorlint // the very same
				t.Errorf("cause is %v, want %v", got, c.cause)
			}
		})
	}
	if got := Cause(fmt.Errorf("more: %w", broken)).Error(); got != "more: broken" {
		t.Errorf("a wrapped error became %q", got)
	}
}
