package output

import (
	"strconv"
	"testing"
)

// FuzzSafe: whatever somebody wrote, it prints, once and again the same.
func FuzzSafe(f *testing.F) {
	for _, text := range []string{"plain", "\x1b[31mred", "a\u202eb", "\xff\x00", "two\nlines", "'", `\`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := Safe(text)
		for _, r := range safe {
			if !strconv.IsPrint(r) {
				t.Fatalf("%q does not print, in what becomes of %q: %q", r, text, safe)
			}
		}
		if again := Safe(safe); again != safe {
			t.Errorf("%q becomes %q, and then %q", text, safe, again)
		}
	})
}
