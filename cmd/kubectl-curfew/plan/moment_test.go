package plan

import (
	"testing"
	"time"

	"curfew/timewindow"
)

// FuzzMoment: what is accepted as a time is one, in every zone, and a day starts near the midnight of its date.
func FuzzMoment(f *testing.F) {
	for _, text := range []string{"2026-06-05", "2026-06-05T22:00:00+02:00", "2026-02-30", "0000-01-01", "9999-12-31", "2011-12-30", "2200-01-01", "tomorrow", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMoment(text)
		if err != nil {
			return
		}
		for _, name := range []string{"UTC", "Pacific/Apia", "Africa/Cairo", "America/Santiago"} {
			zone, err := timewindow.LoadZone(name)
			if err != nil {
				t.Fatal(err)
			}
			at, err := m.in(zone)
			if err != nil {
				t.Fatalf("%q was accepted, and in %s: %v", text, name, err)
			}
			if day, err := time.Parse(time.DateOnly, m.date); err == nil && day.Sub(at).Abs() > 48*time.Hour {
				t.Errorf("%q starts at %s in %s", text, at, name)
			}
		}
	})
}
