package annotation

import (
	"testing"
	"time"
	"unicode"
)

// FuzzParseOverride reads anything. What is accepted is written as it reads again.
func FuzzParseOverride(f *testing.F) {
	for _, text := range []string{"3 until 2026-06-05T20:00:00+02:00", " normal\tUNTIL 2026-06-05T20:00:00.5Z ", "50% until 9999-12-31T23:59:59-23:59", "until", "3 until until", "3 until tomorrow", "-1 until 2026-06-05T20:00:00Z", "3 until 0000-01-01T00:00:00Z"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseOverride(text)
		if err != nil {
			if o != (Override{}) {
				t.Errorf("%q is refused and is %v", text, o)
			}
			printable(t, err.Error())
			return
		}
		again, err := ParseOverride(o.String())
		if err != nil || again.Size != o.Size || !again.Until.Equal(o.Until.Truncate(time.Second)) {
			t.Errorf("%q is written as %q, which is %v, %v", text, o, again, err)
		}
	})
}

// FuzzParseIn reads anything as each annotation that is no rule, on the workload and on its Namespace.
func FuzzParseIn(f *testing.F) {
	for _, text := range []string{"", "3", " 007 ", "3..10", "10..3", "1..", "30m", "-1s", "1.5s", "24h0m1s", "2562047h47m16.854775807s", "true", "True", "1001", "4294967296", "\x00", "\u202e"} {
		f.Add(text, uint8(0))
		f.Add(text, uint8(255))
	}
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		namespace, own := map[string]string{}, map[string]string{}
		for i, key := range []string{Paused, Grace, Wave, Lead, Spread, Replicas, Remembered, Timezone} {
			if which&(1<<i) != 0 {
				own[key] = text
			} else {
				namespace[key] = text
			}
		}
		spec, problems := ParseIn(namespace, own, nil)
		printable(t, problems.Summary())
		printable(t, ParseNamespace(namespace).Summary())
		for _, d := range []time.Duration{spec.Lead, spec.Spread} {
			if d < 0 || d > longestMove || d%time.Second != 0 {
				t.Errorf("%q moves boundaries by %v", text, d)
			}
		}
		for _, n := range []*int32{spec.Replicas, spec.Remembered, spec.Wave} {
			if n != nil && *n < 0 {
				t.Errorf("%q is %d", text, *n)
			}
		}
		if spec.Grace != nil && *spec.Grace < 0 {
			t.Errorf("%q is a grace of %v", text, *spec.Grace)
		}
	})
}

func printable(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if !unicode.IsPrint(r) {
			t.Fatalf("%q does not print: %+q", r, text)
		}
	}
}
