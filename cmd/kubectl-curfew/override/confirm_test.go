package override

import (
	"os"
	"strings"
	"testing"
)

func TestConfirm(t *testing.T) {
	for answer, want := range map[string]bool{
		"y\n": true, "yes\n": true, " YES \r\n": true, "y": true,
		"\n": false, "": false, "n\n": false, "no\n": false, "yeah\n": false, "yes please\n": false, "\ny\n": false,
	} {
		t.Run(answer, func(t *testing.T) {
			var out strings.Builder
			err := confirm(strings.NewReader(answer), &out, "Go on?")
			if (err == nil) != want {
				t.Errorf("%v", err)
			}
			if err != nil && err.Error() != "cancelled; nothing was changed" {
				t.Error(err)
			}
			if out.String() != "Go on? [y/N]: " {
				t.Errorf("it asks %q", out.String())
			}
		})
	}
}

func TestIsTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(strings.NewReader("y\n")) || isTerminal(null) {
		t.Error("neither a text nor /dev/null is a terminal")
	}
}
