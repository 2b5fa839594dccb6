package annotation

import (
	"testing"
	"time"

	"curfew/timewindow"
)

// aboveZero refuses every size but 0 and normal.
func aboveZero(s timewindow.Size) (problem, cure string) {
	if s.IsNormal() || s.Of(1) == 0 {
		return "", ""
	}
	return "this is too much", "write 0"
}

func TestRefuseSizes(t *testing.T) {
	const until = " until 2026-06-05T20:00:00Z"
	for name, c := range map[string]struct {
		namespace, own map[string]string
		want           string // the first problem
		problems       int
		grave          bool
		overrides      int // what is left of them
	}{
		"nothing":                  {},
		"0 and normal":             {nil, map[string]string{Windows: "Sat = 0; Sun = 0%; always = normal", OverrideKey: "normal" + until}, "", 0, false, 1},
		"a rule":                   {nil, map[string]string{Windows: "Sat = 0\nSun =  50 %"}, `annotation curfew/windows: line 2, column 8: "50 %": this is too much; write 0`, 1, true, 0},
		"every rule":               {nil, map[string]string{Windows: "Sat = 3; Sun = 4"}, `annotation curfew/windows: line 1, column 7: "3": this is too much; write 0`, 2, true, 0},
		"an override":              {nil, map[string]string{OverrideKey: "  3" + until}, `annotation curfew/override: column 3: "3": this is too much; write 0`, 1, false, 0},
		"the Namespace's":          {map[string]string{Windows: "Sat = 3", OverrideKey: "3" + until}, nil, "", 0, false, 1},
		"own and the Namespace's":  {map[string]string{OverrideKey: "3" + until}, map[string]string{OverrideKey: "4" + until}, `annotation curfew/override: column 1: "4": this is too much; write 0`, 1, false, 1},
		"an override is no number": {map[string]string{OverrideKey: "3" + until}, map[string]string{OverrideKey: "x"}, "", 0, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			spec, _ := ParseIn(c.namespace, c.own, nil)
			problems := spec.RefuseSizes(func(key string) bool { _, ok := c.own[key]; return ok }, aboveZero)
			if len(problems) != c.problems || problems.Grave() != c.grave || len(spec.Overrides) != c.overrides {
				t.Errorf("%v; %d overrides are left", problems, len(spec.Overrides))
			}
			if len(problems) > 0 && problems[0].Error() != c.want {
				t.Errorf("got  %s\nwant %s", problems[0], c.want)
			}
		})
	}
}

func TestResize(t *testing.T) {
	other := func(s timewindow.Size) timewindow.Size {
		if s == timewindow.Replicas(0) {
			return timewindow.Normal
		}
		return s
	}
	all := map[string]string{Windows: "Sat = 0; always = 3", OverrideKey: "0 until 2026-06-05T20:00:00Z"}
	memory := NewSchedules()
	for range 2 { // what is remembered of a text is not what one workload makes of it
		spec, problems := memory.ParseIn(nil, all, time.UTC)
		if len(problems) > 0 || spec.Schedule.String() != "Sat = 0\nalways = 3" || spec.Overrides[0].Size != timewindow.Replicas(0) {
			t.Errorf("%v, %v, %v", problems, spec.Schedule, spec.Overrides)
		}
		spec.Resize(other)
		if got := spec.Schedule.String(); got != "Sat = normal\nalways = 3" || spec.Schedule.Rules()[0].Text() != "Sat = 0" || !spec.Overrides[0].Size.IsNormal() {
			t.Errorf("%q, %v", got, spec.Overrides)
		}
	}
	var nothing Spec
	nothing.Resize(other)
}
