package harness_test

import (
	"testing"
	"time"

	"curfew/e2e/harness"
)

// TestWindowAcrossMidnight: a rule is daily, so its end may be before its start.
func TestWindowAcrossMidnight(t *testing.T) {
	start := time.Date(2026, 12, 31, 23, 59, 55, 0, time.UTC)
	for end, want := range map[time.Time]string{
		start.Add(3 * time.Second):  "23:59:55-23:59:58 = 0",
		start.Add(5 * time.Second):  "23:59:55-00:00:00 = 0",
		start.Add(10 * time.Second): "23:59:55-00:00:05 = 0",
	} {
		if got := (harness.Window{Start: start, End: end}).Rule("0"); got != want {
			t.Errorf("%v: %q, want %q", end, got, want)
		}
	}
}

// TestWindowIn: never sooner than asked for, and in whole seconds.
func TestWindowIn(t *testing.T) {
	before := time.Now()
	window := harness.WindowIn(3*time.Second, 5*time.Second)
	if lead := window.Start.Sub(before); lead < 3*time.Second || lead > 5*time.Second {
		t.Errorf("it starts after %v, want 3 s and up to a second more", lead)
	}
	if window.Start.Nanosecond() != 0 || window.End.Sub(window.Start) != 5*time.Second {
		t.Errorf("not in whole seconds: %+v", window)
	}
}
