package model_test

import (
	"flag"
	"testing"
	"testing/synctest"
	"time"
)

// kept are stories that once ended otherwise than they should, as short as they came.
var kept = map[string]story{
	"the rules go and an override cannot be read": {"2026-06-01T00:00:00Z", time.Minute, 3, []step{
		{do: rules, rules: []rule{{size: "0"}}},
		{do: override, text: "?"},
		{do: rules},
	}},
	"a new one is given back": {"2026-06-01T00:00:00Z", time.Minute, 3, []step{
		{do: override, d: 8 * time.Minute, text: "5"},
		{do: grace, d: 62 * time.Minute},
		{do: rules, rules: []rule{{from: "12:00", to: "13:00", size: "0"}}},
		{do: pass, d: 80 * time.Minute},
	}},
	"an override ends while it is new": {"2026-06-01T00:00:00Z", time.Minute, 0, []step{
		{do: override, d: time.Minute, text: "150%"},
		{do: grace, d: 3 * time.Minute},
		{do: pass, d: 3 * time.Minute},
	}},
	"an override ends while it is paused": {"2026-06-01T00:00:00Z", time.Minute, 0, []step{
		{do: override, d: time.Minute, text: "0"},
		{do: paused, text: "true"},
		{do: pass, d: 3 * time.Minute},
	}},
	"at 0 by itself, and an override of normal": {"2026-06-01T00:00:00Z", time.Minute, 0, []step{
		{do: rules, rules: []rule{{size: "2"}}},
		{do: override, d: 5 * time.Minute, text: "normal"},
		{do: pass, d: 10 * time.Minute},
		{do: rules},
	}},
	"at 0 by itself, and a pause": {"2026-06-01T00:00:00Z", time.Minute, 0, []step{
		{do: rules, rules: []rule{{from: "01:00", to: "00:30", size: "2"}}},
		{do: pass, d: 40 * time.Minute},
		{do: paused, text: "true"},
		{do: pass, d: 30 * time.Minute},
		{do: paused, text: "false"},
		{do: rules},
	}},
	"nobody knows whether 0 is normal": {"2026-06-01T00:00:00Z", time.Minute, 0, []step{
		{do: override, d: time.Minute, text: "1"},
		{do: pass, d: 2 * time.Minute},
		{do: rules, rules: []rule{{size: "2"}}},
	}},
	"an autoscaler comes in a window": {"2026-06-01T00:00:00Z", time.Second, 0, []step{
		{do: rules, rules: []rule{{from: "00:00", to: "00:01:01", size: "1"}, {from: "00:00:01", to: "00:00", size: "50%"}}},
		{do: hpa, n: 1},
	}},
	"an autoscaler's window goes on by another rule": {"2026-06-01T00:00:00Z", time.Minute, 0, []step{
		{do: hpa, n: 3},
		{do: rules, rules: []rule{{days: "Mon", from: "00:41", to: "13:00", size: "0"}}},
		{do: rules, rules: []rule{{from: "12:00", to: "00:02", first: "2026-05-31", last: "2026-06-04", size: "5"}, {size: "5"}}},
		{do: pass, d: 60 * time.Minute},
	}},
	"equal sizes take turns": {"2026-06-01T00:00:00Z", time.Minute, 0, []step{
		{do: rules, rules: []rule{{cron: "0 * * * *", lasts: 15 * time.Minute, size: "0"}, {from: "00:00", to: "01:01", fromDay: "Mon", toDay: "Sun", size: "50%"}}},
		{do: pass, d: 8 * time.Hour},
	}},
}

func TestKept(t *testing.T) {
	for name, s := range kept {
		t.Run(name, func(t *testing.T) {
			if differs := tell(s, newBare(s), false); differs != "" {
				t.Errorf("the decision: %s", differs)
			}
			synctest.Test(t, func(t *testing.T) {
				w := newFull(s)
				defer w.stop()
				if differs := tell(s, w, true); differs != "" {
					t.Errorf("the controller: %s", differs)
				}
			})
		})
	}
}

// tales has so many stories told where the command line does not say how many. They are printed, so no file is needed.
func tales(t *testing.T, many string) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	for name, value := range map[string]string{"rapid.checks": many, "rapid.nofailfile": "true"} {
		if name == "rapid.checks" && given {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
}
