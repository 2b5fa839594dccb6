package timewindow

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestNextIsBounded asks for the next change of schedules that have none for decades, or none at all, and counts the
// windows that are looked at.
func TestNextIsBounded(t *testing.T) {
	lines := func(n int, rule func(i int) string) string {
		var all []string
		for i := range n {
			all = append(all, rule(i))
		}
		return strings.Join(all, "\n")
	}
	byTheMinute := lines(60, func(i int) string { return fmt.Sprintf("cron(%d * * * *) for 1m = 0", i) })
	for _, c := range []struct {
		name, rules, from string
		want              string // the change; "" for never
		looks             int
	}{
		{"leap day from the day after", "02-29 = 0", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z", 10},
		{"leap day by cron, over the year without", "cron(0 0 29 2 *) for 1h = 0", "2096-02-29T12:00:00Z", "2104-02-29T00:00:00Z", 10},
		{"leap day on a Sunday alone", "Mon-Sat = normal; 02-29 = 0", "2004-03-01T00:00:00Z", "2032-02-29T00:00:00Z", 100},
		{"leap day on a Sunday, forty years on", "Mon-Sat = normal; 02-29 = 0", "2088-03-01T00:00:00Z", "2128-02-29T00:00:00Z", 100},
		{"leap day in the one minute that is left", "00:00-12:00 = normal; 12:01-24:00 = normal; cron(0 12 29 2 *) for 1m = 0", "2096-03-01T00:00:00Z", "2104-02-29T12:00:00Z", 100},
		{"minutes that are always hidden", "00:00-12:00 = normal; 12:00-24:00 = normal; cron(* * * * *) for 1s = 0", "2026-01-01T00:00:00Z", "", 1 << 18},
		{"an end in the past", "2020-01-01..2020-12-31 = 0", "2026-01-01T00:00:00Z", "", 10},
		{"a start in the far future", "2199-12-31 = 0", "2160-01-01T00:00:00Z", "2199-12-31T00:00:00Z", 10},
		{"always", "always = 0", "2026-01-01T00:00:00Z", "", 1},
		{"five hundred that say normal", lines(500, func(i int) string { return "cron(* * * * *) for 1s = normal" }), "2026-01-01T00:00:00Z", "", 1},
		{"five hundred of equal size", lines(500, func(i int) string { return fmt.Sprintf("%02d:%02d-12:00 = 3", i/60, i%60) }), "2026-01-01T00:00:00Z", "2026-01-01T12:00:00Z", 2000},
		{"rules by the minute of equal size", byTheMinute, "2026-01-01T00:00:00Z", "", 1 << 18},
		{"rules by the minute that hide one another", "cron(*/2 * * * *) for 1m = 0\ncron(1-59/2 * * * *) for 1m = 0\nalways = normal", "2026-01-01T00:00:00Z", "", 1 << 18},
		{"equal to what is left without", "cron(* * * * *) for 30s = 1\ncron(*/5 * * * *) for 1m = 0\nalways = 1", "2026-01-01T00:00:00Z", "2026-01-01T00:00:30Z", 10},
		{"hidden by a rule of another size", "00:00-24:00 UTC = 1; cron(* * * * *) for 1s = 0", "2026-01-01T00:00:00Z", "", 1},
		{"the hidden half of a pair", "Mon 00:00 - Sun 00:00 = 1; Sun = 1; 12-24 = 0", "2026-01-01T00:00:00Z", "", 1 << 18},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustParse(t, c.rules, "UTC")
			next, ok, looks := s.next(mustTime(t, c.from).Unix())
			got := ""
			if ok {
				got = time.Unix(next, 0).UTC().Format(time.RFC3339)
			}
			if got != c.want {
				t.Errorf("next is %q, want %q", got, c.want)
			}
			if looks > c.looks {
				t.Errorf("%d looks, want at most %d", looks, c.looks)
			}
		})
	}
}

// The look at a single window is bounded too: neither a weekday nor a month is searched for further than it can be.
func TestDaysAreFoundOrNot(t *testing.T) {
	d := dayOf(2097, 1, 1)
	if got, ok := (yearly{monthDay{2, 29}, monthDay{2, 29}}).from(d); !ok || got != dayOf(2104, 2, 29) {
		t.Errorf("leap day is %d, %v", got, ok)
	}
	if got, ok := (yearly{monthDay{2, 29}, monthDay{3, 1}}).from(d); !ok || got != dayOf(2097, 3, 1) {
		t.Errorf("leap day to 1 March is %d, %v", got, ok)
	}
	if got, ok := (yearly{monthDay{12, 30}, monthDay{1, 1}}).from(d + 1); !ok || got != dayOf(2097, 12, 30) {
		t.Errorf("the new year is %d, %v", got, ok)
	}
	if got, ok := weekdays(0).from(d); ok {
		t.Errorf("no weekday is %d", got)
	}
	if got, ok := (dates{d, d + 1}).from(d + 2); ok {
		t.Errorf("a date that is over is %d", got)
	}
	// A set that occurs nowhere cannot be parsed; were it there, the search would end.
	never := *mustCron(t, "0 0 29 2 *")
	never.doms = 1 << 30
	if got, ok := never.next(0); ok {
		t.Errorf("30 February is %d", got)
	}
	if got, ok := never.last(0); ok {
		t.Errorf("30 February was %d", got)
	}
}

// A schedule may be used by many goroutines at once, and so may Parse and LoadZone. The race detector watches.
func TestConcurrentUse(t *testing.T) {
	s := mustParse(t, threeRules, "Europe/Berlin")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				at := time.Unix(int64(1_774_700_000+g*3600+i*86400), 0)
				if next, ok := s.Next(at); !ok || s.At(next).Size == s.At(at).Size {
					t.Errorf("Next(%s) = %s, %v", at, next, ok)
				}
				if len(s.Warnings()) != 0 || s.String() == "" {
					t.Error("the schedule has changed")
				}
				loc, err := LoadZone([]string{"America/Denver", "Asia/Kolkata", "Asia/Tokyo"}[i%3])
				if err != nil {
					t.Error(err)
				}
				if _, err := Parse("cron(0 0 * * *) for 1h America/Halifax = 0; Mon-Fry = 0", loc); err == nil {
					t.Error("a fault has vanished")
				}
			}
		})
	}
	wg.Wait()
}

// TestDaysIn: months are as long as package time has them.
func TestDaysIn(t *testing.T) {
	for year := 1600; year <= 2400; year++ {
		for month := time.January; month <= time.December; month++ {
			if got, want := daysIn(year, month), int(dayOf(year, month+1, 1)-dayOf(year, month, 1)); got != want {
				t.Fatalf("%v %d has %d days, want %d", month, year, got, want)
			}
		}
	}
}
