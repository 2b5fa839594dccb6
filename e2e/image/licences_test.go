package image_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowed are the licences under which a part may be in what is given out. None asks
// for more than that it is passed on.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense"}

// misread are licences that the detector takes for another, with what is in the
// LICENSE file of the part whose name begins like that. Should the detector come to
// say something else, then that counts.
var misread = []struct{ name, detected, is string }{
	{"std", "", "BSD-3-Clause"}, // it comes with Go, and is no module that the detector finds
	{"golang.org/x/", "BSD-Source-Code", "BSD-3-Clause"},
	{"github.com/davecgh/go-spew", "0BSD", "ISC"},
}

// bill is what we read of a CycloneDX document.
type bill struct {
	Metadata   struct{ Component component }
	Components []component
}

type component struct {
	Name, Version, PURL string
	Licenses            []struct{ License struct{ ID, Name string } }
	Evidence            struct {
		Licenses []struct{ License struct{ ID, Name string } }
	}
}

// TestLicences: everything in every program has a licence that is allowed.
func TestLicences(t *testing.T) {
	dist := os.Getenv("CURFEW_DIST")
	if dist == "" {
		t.Skip("no programs are given: make licences")
	}
	files, err := filepath.Glob(filepath.Join(dist, "*.cdx.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no bills of materials: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cdx.json"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var b bill
			if err := json.Unmarshal(text, &b); err != nil {
				t.Fatal(err)
			}
			if len(b.Components) < 10 {
				t.Errorf("only %d parts", len(b.Components))
			}
			count := map[string]int{}
			for _, part := range b.Components {
				licences := part.licences()
				for _, licence := range licences {
					count[licence]++
					if !slices.Contains(allowed, licence) {
						t.Errorf("%s %s is under %s", part.Name, part.Version, licence)
					}
				}
				if len(licences) == 0 {
					t.Errorf("%s %s: its licence is not known", part.Name, part.Version)
				}
			}
			t.Logf("%d parts: %v", len(b.Components), count)
		})
	}
}

func (c component) licences() (found []string) {
	for _, l := range slices.Concat(c.Licenses, c.Evidence.Licenses) {
		found = append(found, l.License.ID+l.License.Name)
	}
	for _, m := range misread {
		if strings.HasPrefix(c.Name, m.name) && strings.Join(found, " ") == m.detected {
			return []string{m.is}
		}
	}
	return found
}
