package timewindow

import (
	"slices"
	"sort"
	"testing"
	"time"
)

// reading is what a clock in loc shows at t, taken from package time's calendar.
func reading(loc *time.Location, t int64) civil {
	at := time.Unix(t, 0).In(loc)
	return civil(time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC).Unix())
}

// changes finds the instants at which the clocks of loc jump, by looking at them every day and bisecting. It does not
// ask package time for the bounds of a stretch, for those are what newZone is built on.
func changes(loc *time.Location, from, to int64) []int64 {
	var found []int64
	was := offsetAt(time.Unix(from, 0), loc)
	for t := from + day; t < to; t += day {
		is := offsetAt(time.Unix(t, 0), loc)
		if is == was {
			continue
		}
		start := t - day
		after := sort.Search(day, func(n int) bool { return offsetAt(time.Unix(start+int64(n), 0), loc) == is })
		found = append(found, start+int64(after))
		was = is
	}
	return found
}

// distinctZones returns every zone name that there is, one for each content: hundreds of names are aliases.
func distinctZones(t *testing.T) []string {
	t.Helper()
	files, err := zoneFiles()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 590 {
		t.Fatalf("only %d zone names are compiled in", len(files))
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	seen := map[uint32]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		sum := files[name].CRC32
		again := seen[sum]
		seen[sum] = true
		return again
	})
}

var (
	firstSampled = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	lastSampled  = time.Date(2040, 12, 31, 12, 0, 0, 0, time.UTC).Unix()
)

// TestZoneLaw holds the two crossings of every zone to what they promise, around every change of a clock: effective is
// the running maximum of the clock, and instant(c) <= t if and only if c <= effective(t).
func TestZoneLaw(t *testing.T) {
	total := 0
	for _, name := range distinctZones(t) {
		z, f := loadZone(name)
		if f != nil {
			t.Fatalf("%s: %s", name, f.problem)
		}
		found := changes(z.loc, firstSampled, lastSampled)
		total += len(found)

		// The table knows the same changes, and no others.
		var known []int64
		for _, s := range z.segments[1:] {
			if s.start <= lastSampled {
				known = append(known, s.start)
			}
		}
		if !slices.Equal(known, found) {
			t.Errorf("%s: the table has changes at %v, the clock at %v", name, known, found)
			continue
		}
		shown := civil(-1 << 62) // the latest reading that the changes so far cut off
		for _, change := range found {
			before, after := reading(z.loc, change-1), reading(z.loc, change)
			jump := int64(after-before) - 1
			shown = max(shown, before)
			size := max(jump, -jump)
			instants := []int64{change - size - 1, change - 2, change - 1, change, change + 1, change + size/2,
				change + size - 1, change + size, change + size + 1}
			readings := []civil{before - 1, before, before + 1, after - 1, after, after + 1, (before + after) / 2}
			for _, at := range instants {
				want := reading(z.loc, at)
				if at >= change {
					want = max(want, shown)
				}
				got := z.effective(at)
				if got != want {
					t.Errorf("%s: effective(%s) = %d, the clock had come up to %d", name, time.Unix(at, 0).UTC(), got, want)
				}
				for _, c := range append(readings, got-1, got, got+1) {
					if (z.instant(c) <= at) != (c <= got) {
						t.Errorf("%s: instant(%s) = %s, but effective(%s) = %s", name, time.Unix(int64(c), 0).UTC().Format(time.DateTime),
							time.Unix(z.instant(c), 0).UTC(), time.Unix(at, 0).UTC(), time.Unix(int64(got), 0).UTC().Format(time.DateTime))
					}
				}
			}
			if t.Failed() {
				break
			}
		}
	}
	if total < 10_000 {
		t.Errorf("only %d changes were looked at", total)
	}
	t.Logf("%d changes", total)
}

// Package time is wrong about where a stretch ends on 31 December of a leap year. The table must not be.
func TestZoneTableSurvivesTheEndOfALeapYear(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca"} {
		z, f := loadZone(name)
		if f != nil {
			t.Fatal(f.problem)
		}
		for year := 1972; year <= 2196; year += 4 {
			for hours := range 72 {
				at := time.Date(year, 12, 30, hours, 0, 0, 0, time.UTC)
				if got, want := z.effective(at.Unix()), reading(z.loc, at.Unix()); got != want {
					t.Fatalf("%s at %s: effective = %d, the clock reads %d", name, at, got, want)
				}
			}
		}
	}
}

// The last century that rules can name is as good as this one.
func TestZoneTableReachesTheLastYear(t *testing.T) {
	z, f := loadZone("Europe/Berlin")
	if f != nil {
		t.Fatal(f.problem)
	}
	summer, winter := time.Date(maxYear, 7, 1, 12, 0, 0, 0, time.UTC).Unix(), time.Date(maxYear, 1, 1, 12, 0, 0, 0, time.UTC).Unix()
	if got := z.effective(summer); got != civil(summer+2*hour) {
		t.Errorf("summer of %d: %d", maxYear, int64(got)-summer)
	}
	if got := z.effective(winter); got != civil(winter+hour) {
		t.Errorf("winter of %d: %d", maxYear, int64(got)-winter)
	}
}

// A location that did not come from LoadZone works as well.
func TestZoneOfAnyLocation(t *testing.T) {
	z := zoneOf(time.FixedZone("ship", 3*hour+1800))
	if got := z.effective(0); got != 3*hour+1800 {
		t.Errorf("effective = %d", got)
	}
	if got := z.instant(3*hour + 1800); got != 0 {
		t.Errorf("instant = %d", got)
	}
	if zoneOf(nil).loc != time.UTC {
		t.Error("nil is not UTC")
	}
}
