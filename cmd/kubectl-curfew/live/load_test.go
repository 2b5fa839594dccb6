package live

import (
	"errors"
	"fmt"
	"testing"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
)

// TestJoin: each error is to be told by itself, whoever put them together.
func TestJoin(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	for name, joined := range map[string]error{
		"several":    join(a, b, nil, c),
		"joined":     join(errors.Join(a, b), c),
		"aggregated": join(utilerrors.NewAggregate([]error{a, utilerrors.NewAggregate([]error{b})}), c),
	} {
		all, ok := joined.(interface{ Unwrap() []error })
		if !ok || fmt.Sprint(all.Unwrap()) != "[a b c]" {
			t.Errorf("%s: %v", name, joined)
		}
	}
	if err := join(nil, nil); err != nil {
		t.Error(err)
	}
}
