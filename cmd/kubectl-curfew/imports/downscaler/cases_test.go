package downscaler

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
)

var update = flag.Bool("update", false, "write testdata/*.want anew; read what has changed")

var now = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// cases are the manifests in testdata, each with what the tool was told by flags.
var cases = map[string]struct {
	file string
	o    Options
}{
	"python":       {"python", Options{Tool: Python}},
	"go":           {"go", Options{Tool: Go, Timezone: "Europe/London", Weekdays: "Fri-Mon"}},
	"auto":         {"auto", Options{Tool: Auto}},
	"auto, python": {"python", Options{Tool: Auto}},
	"flags":        {"flags", Options{Tool: Python, Uptime: "Mon-Fri 06:00-20:00 Asia/Kolkata", Downtime: "Fri-Fri 18:00-24:00 UTC", Replicas: 1}},
	"kinds": {"kinds", Options{Tool: Python, Uptime: "Mon-Fri 06:00-20:00 Asia/Kolkata", Replicas: 1,
		Resources: []string{"deployments", "StatefulSets", "cronjobs", "horizontalpodautoscalers", "rollouts", "scaledobjects", "daemonsets"}}},
	"kinds, go": {"kinds", Options{Tool: Go}},
	"flags, go": {"flags", Options{Tool: Go, Downtime: "Mon-Fri 20:00-06:00 Asia/Kolkata"}},
}

func read(t *testing.T, file string) []manifest.Object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	objects, errs := manifest.Parse(file+".yaml", text)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return objects
}

// TestTranslations compares what comes out, every word of it, with what somebody has read and found right.
func TestTranslations(t *testing.T) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.o.Now = now
			got := printed(New(c.o)(read(t, c.file)))
			file := filepath.Join("testdata", strings.ReplaceAll(name, ", ", "-")+".want")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func printed(all []translate.Translation) string {
	var b strings.Builder
	for _, t := range all {
		fmt.Fprintf(&b, "%s %s/%s\n", t.Target.Kind, t.Target.Namespace, t.Target.Name)
		for _, key := range slices.Sorted(maps.Keys(t.Set)) {
			fmt.Fprintf(&b, "  + %s: %q\n", key, t.Set[key])
		}
		for _, key := range t.Remove {
			fmt.Fprintf(&b, "  - %s\n", key)
		}
		for _, text := range t.Differences {
			fmt.Fprintf(&b, "  ~ %s\n", text)
		}
		for _, text := range t.Unsaid {
			fmt.Fprintf(&b, "  ! %s\n", text)
		}
	}
	return b.String()
}
