package timeline

import (
	"testing"
	"time"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/timewindow"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := timewindow.LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestStretches(t *testing.T) {
	for name, c := range map[string]struct {
		rng, from, zone string
		hours           float64
		start           string // in UTC
		previous, next  string
		title           string
	}{
		"this week":                    {Week, "", "UTC", 168, "2026-06-01T00:00:00Z", "2026-05-25", "2026-06-08", "1 – 7 June 2026"},
		"this week, where it is today": {Week, "", "Asia/Tokyo", 168, "2026-05-31T15:00:00Z", "2026-05-25", "2026-06-08", "1 – 7 June 2026"},
		"this day":                     {Day, "", "UTC", 24, "2026-06-03T00:00:00Z", "2026-06-02", "2026-06-04", "Wednesday 3 June 2026"},
		"this month":                   {Month, "", "UTC", 720, "2026-06-01T00:00:00Z", "2026-05-01", "2026-07-01", "June 2026"},
		"a week from a Friday":         {Week, "2026-05-29", "UTC", 168, "2026-05-29T00:00:00Z", "2026-05-22", "2026-06-05", "29 May – 4 June 2026"},
		"a week over the new year":     {Week, "2026-12-28", "UTC", 168, "2026-12-28T00:00:00Z", "2026-12-21", "2027-01-04", "28 December 2026 – 3 January 2027"},
		"into summer":                  {Week, "2026-03-23", "Europe/Berlin", 167, "2026-03-22T23:00:00Z", "2026-03-16", "2026-03-30", "23 – 29 March 2026"},
		"into winter":                  {Week, "2026-10-19", "Europe/Berlin", 169, "2026-10-18T22:00:00Z", "2026-10-12", "2026-10-26", "19 – 25 October 2026"},
		"half an hour":                 {Day, "2026-04-05", "Australia/Lord_Howe", 24.5, "2026-04-04T13:00:00Z", "2026-04-04", "2026-04-06", "Sunday 5 April 2026"},
		"midnight is skipped":          {Day, "2026-04-24", "Africa/Cairo", 23, "2026-04-23T22:00:00Z", "2026-04-23", "2026-04-25", "Friday 24 April 2026"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := View{c.rng, c.from, zone(t, c.zone)}.at(wednesday)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.to.Sub(s.from).Hours(); got != c.hours || s.from.UTC().Format(time.RFC3339) != c.start || s.previous != c.previous || s.next != c.next || s.title != c.title {
				t.Errorf("%v h from %v, previous %s, next %s, %q", got, s.from.UTC(), s.previous, s.next, s.title)
			}
		})
	}
}

func TestNoStretch(t *testing.T) {
	for _, from := range []string{"soon", "2026-02-30", "0001-01-01", "9999-12-31", "2026-6-5"} {
		if s, err := (View{Week, from, time.UTC}).at(wednesday); err == nil {
			t.Errorf("%q is %v", from, s)
		}
	}
}

// Every day has one line, wherever its midnight has gone, and the last day's end is the end of the axis.
func TestTicks(t *testing.T) {
	for name, c := range map[string]struct {
		rng, from, zone string
		days, all       int
	}{
		"a week":                       {Week, "2026-06-01", "UTC", 7, 28},
		"into summer":                  {Week, "2026-03-23", "Europe/Berlin", 7, 28},
		"into winter":                  {Week, "2026-10-19", "Europe/Berlin", 7, 28},
		"midnight is skipped":          {Week, "2026-04-20", "Africa/Cairo", 7, 28},
		"midnight comes twice":         {Week, "2026-10-26", "America/Havana", 7, 29},
		"a day of 23 hours":            {Day, "2026-03-29", "Europe/Berlin", 1, 23},
		"a day of 25 hours":            {Day, "2026-10-25", "Europe/Berlin", 1, 25},
		"a zone off the hour":          {Day, "2026-06-01", "Asia/Kathmandu", 1, 24},
		"a month with a clock change":  {Month, "2026-03-01", "Europe/Berlin", 31, 31},
		"the clock goes back to 23:00": {Month, "2026-04-01", "America/Santiago", 30, 30},
	} {
		t.Run(name, func(t *testing.T) {
			v := View{c.rng, c.from, zone(t, c.zone)}
			s, err := v.at(wednesday)
			if err != nil {
				t.Fatal(err)
			}
			ticks, days := v.ticks(s), 0
			for _, tick := range ticks {
				if tick.Day {
					days++
				}
			}
			if days != c.days || len(ticks) != c.all || ticks[0].At != s.from.Unix() {
				t.Errorf("%d days, %d ticks", days, len(ticks))
			}
		})
	}
}

// A bar is where its hours are, also in a week that is an hour short or long: the night of the change is shorter.
func TestNightOfTheClockChange(t *testing.T) {
	for from, c := range map[string]struct{ clocks, hours int }{"2026-03-23": {2, 9}, "2026-10-19": {2, 11}, "2026-06-01": {1, 10}} {
		s := subject("a", "w", 3, old, annotations{"curfew/windows": "Sat 20:00 - Sun 06:00 = 0", "curfew/timezone": "Europe/Berlin", "curfew/replicas": "1"})
		m, err := Make([]live.Subject{s}, View{Range: Week, From: from}, wednesday, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Saved / 3600; got != int64(c.hours) || m.Zone != "Europe/Berlin" {
			t.Errorf("from %s: %d hours in %s, want %d", from, got, m.Zone, c.hours)
		}
		clocks := m.Clocks["Europe/Berlin"]
		if len(clocks) != c.clocks || clocks[0].At != m.From {
			t.Errorf("from %s: clocks %v", from, clocks)
		}
	}
}
