package timewindow

import (
	"fmt"
	"strings"
)

// window is the "when" of a rule. Times are readings of the wall clock of the rule's zone where they are civil, and
// Unix seconds where they are not.
type window interface {
	// holding reports whether the window holds at t and, if so, an instant up to which it surely does.
	holding(z *zone, t int64) (until int64, ok bool)
	// opening returns the first instant after t at which the window opens. It is asked only while the window is shut.
	opening(z *zone, t int64) (from int64, ok bool)
	String() string
}

// never is the end of a window that has none.
const never = int64(1<<63 - 1)

// always is the window that never shuts.
type always struct{}

func (always) holding(*zone, int64) (int64, bool) { return never, true }
func (always) opening(*zone, int64) (int64, bool) { return 0, false }
func (always) String() string                     { return "always" }

// daily is a span on each day of a set. It starts start seconds into the day and lasts length seconds, so that it may
// reach into the day after.
type daily struct {
	days          days
	start, length int64
}

func (w daily) holding(z *zone, t int64) (int64, bool) {
	c := z.effective(t)
	today := c.day()
	for d := today; d >= today-1; d-- { // no span is longer than a day, and none starts later than its own
		start := d.start() + civil(w.start)
		if start <= c && c < start+civil(w.length) && w.days.has(d) {
			return z.instant(start + civil(w.length)), true
		}
	}
	return 0, false
}

func (w daily) opening(z *zone, t int64) (int64, bool) {
	c := z.effective(t)
	d, ok := w.days.from((c - civil(w.start)).day() + 1)
	return z.instant(d.start() + civil(w.start)), ok
}

func (w daily) String() string {
	if w.start == 0 && w.length == day {
		if w.days == everyDay {
			return "00:00-24:00"
		}
		return w.days.String()
	}
	span := clock(w.start) + "-" + clockEnd(w.start+w.length)
	if w.days == everyDay {
		return span
	}
	return w.days.String() + " " + span
}

// weekly is one span of the week. It starts start seconds after Sunday 00:00.
type weekly struct{ start, length int64 }

// since is how long ago, on the wall clock, the latest span had started at c.
func (w weekly) since(c civil) int64 {
	sunday := civil(3 * day) // 1970-01-04
	return floorMod(int64(c-sunday)-w.start, week)
}

func (w weekly) holding(z *zone, t int64) (int64, bool) {
	c := z.effective(t)
	since := w.since(c)
	if since >= w.length {
		return 0, false
	}
	return z.instant(c + civil(w.length-since)), true
}

func (w weekly) opening(z *zone, t int64) (int64, bool) {
	c := z.effective(t)
	return z.instant(c + civil(week-w.since(c))), true
}

func (w weekly) String() string {
	end := (w.start + w.length) % week
	on := func(t int64) string { return weekdays(1 << (t / day)).String() }
	return fmt.Sprintf("%s %s - %s %s", on(w.start), clock(w.start%day), on(end), clock(end%day))
}

// clock writes seconds into a day as HH:MM, or HH:MM:SS where there are seconds.
func clock(t int64) string {
	text := fmt.Sprintf("%02d:%02d:%02d", t/hour, t%hour/minute, t%minute)
	return strings.TrimSuffix(text, ":00")
}

// clockEnd is clock for the end of a span, which may lie in the day after; midnight is 24:00 there.
func clockEnd(t int64) string {
	if t > day {
		t -= day
	}
	return strings.Replace(clock(t), "24:00:00", "24:00", 1)
}
