package timewindow

import (
	"math"
	"slices"
	"sort"
	"time"
)

// zone crosses between wall clock and real time. It is a table, so that both ways cost a binary search and no
// allocation. The table spans minYear to maxYear; beyond it the first and the last offset go on for ever.
//
// Both ways obey one law: instant(c) <= t if and only if c <= effective(t). From it follows that windows that touch on
// the clock touch in time, and that each boundary happens exactly once, whatever the clock does in between.
type zone struct {
	loc      *time.Location
	segments []segment
}

// segment is a stretch of time with one offset.
type segment struct {
	start  int64 // first instant, in Unix seconds
	offset int64 // seconds east of UTC
	shown  civil // the latest reading that the clock had shown when the segment began
}

func newZone(loc *time.Location) *zone {
	last := time.Date(maxYear+1, 1, 1, 0, 0, 0, 0, time.UTC)
	t := time.Date(minYear, 1, 1, 0, 0, 0, 0, time.UTC)
	segments := []segment{{start: math.MinInt64, offset: offsetAt(t, loc), shown: math.MinInt64}}
	for {
		_, end := t.In(loc).ZoneBounds()
		if !end.IsZero() && !end.After(t) {
			// On 31 December of a leap year package time gives the start of that day as the end of the stretch. It is
			// followed in steps that no change of a clock is finer than.
			end = t.Add(15 * time.Minute)
		}
		if end.IsZero() || end.After(last) {
			return &zone{loc, slices.Clip(segments)}
		}
		before := segments[len(segments)-1]
		offset := offsetAt(end, loc)
		if offset != before.offset { // else only the abbreviation changed
			shown := civil(end.Unix()-1) + civil(before.offset) // the second before; the reading due now is not shown
			segments = append(segments, segment{end.Unix(), offset, max(shown, before.shown)})
		}
		t = end
	}
}

func offsetAt(t time.Time, loc *time.Location) int64 {
	_, offset := t.In(loc).Zone()
	return int64(offset)
}

// effective is the latest reading the zone's clock has come up to by the instant t (Unix seconds): its reading, except
// that it stands still while the clock passes again through an hour it has shown already.
func (z *zone) effective(t int64) civil {
	i := sort.Search(len(z.segments), func(i int) bool { return z.segments[i].start > t }) - 1
	s := z.segments[i]
	return max(civil(t+s.offset), s.shown)
}

// instant is the first instant (Unix seconds) at which the zone's clock reads c or later.
func (z *zone) instant(c civil) int64 {
	i := sort.Search(len(z.segments), func(i int) bool { return z.segments[i].shown >= c }) - 1
	s := z.segments[i]
	return max(int64(c)-s.offset, s.start)
}
