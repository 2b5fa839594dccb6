package kind

import (
	"strings"
	"testing"
	"time"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// TestOnOffFits: a kind that is on or off refuses what its owner says of other sizes, and takes what a Namespace says for
// all kinds as it is meant.
func TestOnOffFits(t *testing.T) {
	const until = " until 2026-06-05T20:00:00Z"
	for name, c := range map[string]struct {
		namespace, own map[string]string
		sizes          string // what the rules ask for then
		override       string // and the overrides
		want           string // the problem
		grave          bool
	}{
		"nothing":              {},
		"0 and normal":         {nil, map[string]string{annotation.Windows: "Sat = 0; Sun = 0%; always = normal", annotation.OverrideKey: "0" + until}, "0 0 normal", "0", "", false},
		"1":                    {nil, map[string]string{annotation.Windows: "Sat = 0\nalways = 1"}, "0 normal", "", `annotation curfew/windows: line 2, column 10: "1": a CronJob is on or off; write 0, which suspends it, or normal`, true},
		"a share":              {nil, map[string]string{annotation.Windows: "Sat = 50%"}, "normal", "", `annotation curfew/windows: line 1, column 7: "50%": a CronJob is on or off; write 0, which suspends it, or normal`, true},
		"a range":              {nil, map[string]string{annotation.Windows: "Sat = 0..3"}, "0", "", "", false},
		"a range above 0":      {nil, map[string]string{annotation.Windows: "Sat = 1..3"}, "normal", "", `annotation curfew/windows: line 1, column 7: "1..3": a CronJob is on or off; write 0, which suspends it, or normal`, true},
		"an override":          {nil, map[string]string{annotation.OverrideKey: " 3" + until}, "", "", `annotation curfew/override: column 2: "3": a CronJob is on or off; write 0, which suspends it, or normal`, false},
		"a normal size":        {nil, map[string]string{annotation.Replicas: "1"}, "", "", "annotation curfew/replicas: a CronJob is on or off; remove the annotation", true},
		"the Namespace's":      {map[string]string{annotation.Windows: "Sat = 0; Sun = 2; Mon = 50%; Tue = 3..7; always = normal", annotation.OverrideKey: "5" + until}, nil, "0 normal normal normal normal", "normal", "", false},
		"the Namespace's of 0": {map[string]string{annotation.OverrideKey: "0" + until}, nil, "", "0", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			spec, problems := annotation.ParseIn(c.namespace, c.own, nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			problems = CronJob.Fit(&spec, func(key string) bool { _, ok := c.own[key]; return ok })
			if problems.Error() != c.want || problems.Grave() != c.grave {
				t.Errorf("%v, grave: %v", problems, problems.Grave())
			}
			var sizes, overrides []timewindow.Size
			if spec.Schedule != nil {
				for _, r := range spec.Schedule.Rules() {
					sizes = append(sizes, r.Size())
				}
			}
			for _, o := range spec.Overrides {
				overrides = append(overrides, o.Size)
			}
			if texts(sizes) != c.sizes || texts(overrides) != c.override || spec.Replicas != nil {
				t.Errorf("the rules ask for %q, the overrides for %q, normal is %v", texts(sizes), texts(overrides), spec.Replicas)
			}
		})
	}
}

// TestOnOffRemembersNoMore: a memory that Curfew cannot have written does not make it write for ever.
func TestOnOffRemembersNoMore(t *testing.T) {
	for text, want := range map[string]int32{"0": 0, "1": 1, "3": 1, "3..7": 1} {
		spec, _ := annotation.Parse(map[string]string{annotation.Remembered: text}, time.UTC)
		problems := ScaledObject.Fit(&spec, func(string) bool { return false })
		if len(problems) > 0 || *spec.Remembered != want || spec.Ceiling != nil {
			t.Errorf("%q is %d, %v", text, *spec.Remembered, problems)
		}
	}
}

func texts(sizes []timewindow.Size) string {
	text := ""
	for i, s := range sizes {
		if i > 0 {
			text += " "
		}
		text += s.String()
	}
	return text
}

func TestPath(t *testing.T) {
	for k, want := range map[*Kind]string{
		Deployment: "spec replicas", CronJob: "spec suspend", ScaledObject: "metadata annotations autoscaling.keda.sh/paused-replicas",
	} {
		if got := strings.Join(k.Path(), " "); got != want {
			t.Errorf("%s has its size at %s", k, got)
		}
	}
}
