package translate

import (
	"fmt"
	"testing"
	"time"

	"curfew/timewindow"
)

// A time on the wall comes when package timewindow says, whatever the clocks do.
func TestInstant(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/Santiago", "Africa/Casablanca", "Antarctica/Troll", "Europe/Dublin"} {
		zone, err := timewindow.LoadZone(name)
		if err != nil {
			t.Fatal(err)
		}
		found := changes(zone)
		if len(found) < 6 {
			t.Errorf("%s: the clocks change %d times in six years", name, len(found))
		}
		for _, change := range found[:4] {
			wall := change.Add(offset(change, zone)).UTC().Truncate(time.Minute)
			for m := -200; m <= 200; m += 7 {
				at := wall.Add(time.Duration(m) * time.Minute)
				schedule, err := timewindow.Parse(fmt.Sprintf("%s %s-24:00 = 0", at.Format(time.DateOnly), at.Format("15:04")), zone)
				if err != nil {
					t.Fatal(err)
				}
				want, ok := schedule.Next(change.Add(-72 * time.Hour))
				if got := instant(at, zone); !ok || !got.Equal(want) {
					t.Errorf("%s: %s is at %s, want %s", name, at.Format(time.DateTime), got.In(zone), want.In(zone))
				}
			}
		}
	}
}
