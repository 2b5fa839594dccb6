package timewindow

import (
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// awkward are days on which clocks do what nobody expects.
var awkward = []struct{ zone, day string }{
	{"Australia/Lord_Howe", "2026-04-05"}, // half an hour back
	{"Australia/Lord_Howe", "2026-10-04"}, // half an hour on
	{"America/Santiago", "2026-04-05"},    // 24:00 becomes 23:00
	{"America/Santiago", "2026-09-06"},    // midnight is not there
	{"Pacific/Apia", "2011-12-30"},        // the whole day is not there
	{"Pacific/Apia", "2021-04-04"},
	{"Africa/Casablanca", "2026-02-15"}, // back for Ramadan
	{"Africa/Casablanca", "2026-03-22"},
	{"Africa/Cairo", "2026-04-24"}, // midnight is not there
	{"Africa/Cairo", "2026-10-30"}, // 24:00 becomes 23:00
	{"Atlantic/Azores", "2026-03-29"},
	{"Atlantic/Azores", "2026-10-25"}, // 01:00 becomes 00:00
	{"Asia/Kathmandu", "1986-01-01"},  // a quarter of an hour on, for ever
	{"Europe/Berlin", "2026-03-29"},
	{"Europe/Berlin", "2026-10-25"},
	{"America/New_York", "2026-03-08"},
	{"America/New_York", "2028-11-05"},
	{"Asia/Kathmandu", "2024-12-31"}, // the end of a leap year, with no change
}

// TestRandomSchedules walks random schedules minute by minute across changes of the clock, and compares At and Next
// with the oracle.
func TestRandomSchedules(t *testing.T) {
	const (
		schedules = 12
		lead      = 5 * 24 * 60 // minutes of history, more than any duration in a rule
		span      = 3 * 24 * 60 // minutes that are compared
	)
	sizes := []Size{Replicas(0), Normal, Percent(50), Replicas(0)}
	for _, a := range awkward {
		t.Run(strings.ReplaceAll(a.zone, "/", "_")+"_"+a.day, func(t *testing.T) {
			t.Parallel()
			loc, err := LoadZone(a.zone)
			if err != nil {
				t.Fatal(err)
			}
			around, err := time.Parse(time.DateOnly, a.day)
			if err != nil {
				t.Fatal(err)
			}
			from := around.Add(-36*time.Hour - lead*time.Minute)
			w := watch(loc, from, from.Add((lead+span)*time.Minute))
			h := fnv.New64a()
			h.Write([]byte(t.Name()))
			r := rand.New(rand.NewPCG(h.Sum64(), 1))
			for range schedules {
				var texts []string
				var holds [][]bool
				var give []Size
				for range 1 + r.IntN(4) {
					m, size := randomRule(r, around), sizes[r.IntN(len(sizes))]
					if s, err := Parse(m.text+" = 0", loc); err != nil && neverHolds(err) && s == nil {
						continue // such as Apia's 30 December 2011
					}
					texts, give = append(texts, m.text+" = "+size.String()), append(give, size)
					holds = append(holds, m.holds(w))
				}
				if texts == nil {
					continue
				}
				s, err := Parse(strings.Join(texts, "; "), loc)
				if err != nil {
					t.Errorf("%q: %v", texts, err)
					continue
				}
				at := func(i int) State {
					for n := range holds {
						if holds[n][i] {
							return State{give[n], n}
						}
					}
					return State{Normal, -1}
				}
				compare(t, s, w, lead, at)
			}
		})
	}
}

func neverHolds(err error) bool {
	var faults Faults
	return errors.As(err, &faults) && strings.Contains(faults[0].Problem, "never hold")
}

// compare walks from the minute first to the end of w, looking at At every minute, and at Next from every change, from
// the minute before it, and now and then.
func compare(t *testing.T, s *Schedule, w wall, first int, want func(minute int) State) {
	t.Helper()
	next := -1 // the next minute at which the size is another; -1 if it is beyond the end
	for i := len(w.latest) - 1; i >= first; i-- {
		now := w.from.Add(time.Duration(i) * time.Minute)
		is := want(i)
		if got := s.At(now); got != is {
			t.Errorf("%s\nat %s: At = %v, want %v", s, now.In(s.Rules()[0].Location()), got, is)
			return
		}
		turns := i+1 < len(w.latest) && want(i+1).Size != is.Size
		if turns {
			next = i + 1
		}
		every := 29
		if next < 0 {
			every = 1439 // to find that nothing changes may take many looks
		}
		if !turns && i%every != 0 && i != first {
			continue
		}
		got, ok := s.Next(now.Add(time.Duration(i%60) * time.Second))
		end := w.from.Add(time.Duration(len(w.latest)) * time.Minute)
		switch {
		case next < 0 && ok && got.Before(end):
			t.Errorf("%s\nat %s: Next = %s, want none before %s", s, now, got, end)
			return
		case next >= 0 && (!ok || !got.Equal(w.from.Add(time.Duration(next)*time.Minute))):
			t.Errorf("%s\nat %s: Next = %s, %v, want %s", s, now, got, ok, w.from.Add(time.Duration(next)*time.Minute))
			return
		}
	}
}
