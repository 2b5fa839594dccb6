package timewindow

import (
	"testing"
	"time"
)

// mustParse reads rules that a test is sure of.
func mustParse(t testing.TB, text, zone string) *Schedule {
	t.Helper()
	loc, err := LoadZone(zone)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(text, loc)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return s
}

// mustTime reads an instant written as RFC 3339.
func mustTime(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// change is the size from an instant on.
type change struct {
	at   time.Time
	size Size
}

// walk lists the changes after from and before to, as Next tells them.
func walk(s *Schedule, from, to time.Time) []change {
	var all []change
	for at, ok := s.Next(from); ok && at.Before(to); at, ok = s.Next(at) {
		all = append(all, change{at, s.At(at).Size})
	}
	return all
}

// checkSteady holds At to its word between two changes: it gives one size from the first instant to the last second
// before the end, looked at every minute or, over long stretches, a thousand times.
func checkSteady(t testing.TB, s *Schedule, from, end time.Time, size Size) {
	t.Helper()
	step := max(time.Minute, end.Sub(from)/1000).Truncate(time.Second)
	for at := from; at.Before(end); at = at.Add(step) {
		if got := s.At(at).Size; got != size {
			t.Errorf("size at %s is %s, want %s from %s to %s", at, got, size, from, end)
			return
		}
	}
	if got := s.At(end.Add(-1)).Size; from.Before(end) && got != size {
		t.Errorf("size a nanosecond before %s is %s, want %s", end, got, size)
	}
}
