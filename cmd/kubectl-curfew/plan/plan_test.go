package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/timewindow"
)

func schedule(t *testing.T, text, zone string) *timewindow.Schedule {
	t.Helper()
	loc, err := timewindow.LoadZone(zone)
	if err != nil {
		t.Fatal(err)
	}
	s, err := timewindow.Parse(text, loc)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestMakeAgainstMinutes compares plans across clock changes with the size in every single minute.
func TestMakeAgainstMinutes(t *testing.T) {
	for _, rules := range []string{
		"Mon-Fri 20:00-06:00 = 0",
		"Sat,Sun = 0; 02:15-02:45 = 50%; Fri 20:00 - Mon 07:00 = 1",
		"cron(*/7 1-3 * * *) for 3m = 2; Mon-Fri 07:00-20:00 = normal; always = 0",
		"cron(30 2 * * *) to cron(10 3 * * *) = 4; 23:59-00:01 America/New_York = normal; 01:00-04:00 = 3",
	} {
		for _, zone := range []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Cairo", "America/Santiago", "Asia/Kathmandu"} {
			for _, from := range []time.Time{
				time.Date(2026, 3, 26, 11, 0, 0, 0, time.UTC),
				time.Date(2026, 4, 2, 23, 59, 0, 0, time.UTC),
				time.Date(2026, 4, 22, 0, 0, 0, 0, time.UTC),
				time.Date(2026, 10, 23, 4, 30, 0, 0, time.UTC),
			} {
				s := schedule(t, rules, zone)
				to := from.AddDate(0, 0, 5)
				var want []string
				size := s.At(from).Size
				for at := from.Add(time.Minute); at.Before(to); at = at.Add(time.Minute) {
					state := s.At(at)
					if state.Size == size {
						continue
					}
					size = state.Size
					rule := ""
					if state.Rule >= 0 {
						rule = s.Rules()[state.Rule].Text()
					}
					want = append(want, fmt.Sprintf("%s %s %q", at.Format(time.RFC3339), size, rule))
				}
				p := Make(decide.Workload{Spec: annotation.Spec{Schedule: s}}, from, to, math.MaxInt)
				var got []string
				for _, c := range p.Changes {
					got = append(got, fmt.Sprintf("%s %s %q", c.At.Format(time.RFC3339), c.Size, c.Rule))
				}
				if p.SizeAtFrom != s.At(from).Size.String() || !p.complete || len(want) == 0 && zone != "UTC" || !slices.Equal(got, want) {
					t.Errorf("%q in %s from %s: from %s\n%s\nwant\n%s", rules, zone, from, p.SizeAtFrom, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		}
	}
}

// The schedule itself stops looking after some weeks of rules that take turns every minute.
func TestMakeLooksOn(t *testing.T) {
	s := schedule(t, "2026-12-24 = 7; cron(* * * * *) for 1m = 0; cron(*/2 * * * *) for 1m = 0; cron(1-59/2 * * * *) for 1m = 0", "UTC")
	from := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	if _, ok := s.Next(from); ok {
		t.Fatal("this schedule was to be too much for Next")
	}
	p := Make(decide.Workload{Spec: annotation.Spec{Schedule: s}}, from, from.AddDate(1, 0, 0), 10)
	if len(p.Changes) != 2 || p.Changes[0].Size != "7" || p.Changes[0].At != time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC) {
		t.Errorf("changes are %v", p.Changes)
	}
}

// TestMakeEdges: the start's own change is its size, and the end's is left out.
func TestMakeEdges(t *testing.T) {
	s := schedule(t, "Sat = 0", "UTC")
	saturday := time.Date(2026, 6, 6, 0, 0, 0, 0, time.UTC)
	p := Make(decide.Workload{Spec: annotation.Spec{Schedule: s}}, saturday, saturday.AddDate(0, 0, 1), 10)
	if p.SizeAtFrom != "0" || p.ruleAtFrom != "Sat = 0" || p.Changes == nil || len(p.Changes) != 0 {
		t.Errorf("plan is %+v", p)
	}
}

func TestStartOfDay(t *testing.T) {
	for name, c := range map[string]struct{ date, zone, want string }{
		"plain":                         {"2026-06-05", "Europe/Berlin", "2026-06-04T22:00:00Z"},
		"far east":                      {"2026-06-05", "Pacific/Kiritimati", "2026-06-04T10:00:00Z"},
		"far west":                      {"2026-06-05", "Pacific/Pago_Pago", "2026-06-05T11:00:00Z"},
		"midnight is skipped":           {"2026-04-24", "Africa/Cairo", "2026-04-23T22:00:00Z"},
		"midnight comes twice":          {"2026-11-01", "America/Havana", "2026-11-01T04:00:00Z"},
		"the day is skipped":            {"2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00Z"},
		"the first day that rules know": {"1970-01-01", "UTC", "1970-01-01T00:00:00Z"},
		"the last":                      {"2199-12-31", "UTC", "2199-12-31T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			zone, err := timewindow.LoadZone(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			got, err := StartOfDay(c.date, zone)
			if err != nil || got.UTC().Format(time.RFC3339) != c.want {
				t.Errorf("starts at %s, %v, want %s", got.UTC().Format(time.RFC3339), err, c.want)
			}
		})
	}
}
