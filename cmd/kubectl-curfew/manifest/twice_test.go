package manifest

import (
	"strings"
	"testing"
)

// A key that is there twice is refused however it is written, for else one of the two would count by chance.
func TestTwice(t *testing.T) {
	for name, c := range map[string]struct {
		annotations string
		twice       string // the key; "" if none is
	}{
		"once":                   {`{a: b, "0": c}`, ""},
		"the same way":           {`{a: b, a: c}`, "a"},
		"a number and a text":    {`{0: a, "0": b}`, "0"},
		"a number in two ways":   {`{0x10: a, 16: b}`, "16"},
		"a fraction":             {`{1.5: a, "1.5": b}`, "1.5"},
		"a fraction that is one": {`{1.0: a, 1: b}`, "1"},
		"a truth and a text":     {`{true: a, "true": b}`, "true"},
		"two truths":             {`{yes: a, true: b}`, "true"},
		"two words":              {`{"yes": a, true: b}`, ""},
		"different numbers":      {`{0: a, 1: b, "2": c}`, ""},
		"further down":           {`{a: [{b: {7: c, "7": d}}]}`, "7"},
		"in another mapping":     {`{a: {0: b}, c: {"0": d}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for range 20 { // chance has a say
				objects, errs := Parse("f", []byte("kind: A\napiVersion: b/v1\nmetadata:\n  annotations: "+c.annotations+"\n"))
				if c.twice == "" {
					if len(errs) > 0 || len(objects) != 1 {
						t.Fatalf("%d objects, %v", len(objects), errs)
					}
					continue
				}
				if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "f:4: ") || !strings.Contains(errs[0].Error(), c.twice) {
					t.Fatalf("%d objects, %v", len(objects), errs)
				}
			}
		})
	}
}
