package live

import (
	"bytes"
	"testing"
)

// TestWarnings: what an API server warns of, such as a policy that only audits, is told once and cannot play with the
// terminal.
func TestWarnings(t *testing.T) {
	var out bytes.Buffer
	a := NewAccess(&out)
	for range 2 {
		a.HandleWarningHeader(299, "-", "say which team owns it\x1b[2J\u202e")
	}
	a.HandleWarningHeader(299, "-", "")
	a.HandleWarningHeader(199, "-", "of no meaning here")
	if got, want := out.String(), "warning: say which team owns it\\x1b[2J\\u202e\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if config, err := a.flags.ToRESTConfig(); err == nil && config.WarningHandler == nil {
		t.Error("nobody is told of warnings")
	}
}
