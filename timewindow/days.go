package timewindow

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// days is a set of days: of the week, of the calendar, or of every year.
type days interface {
	has(d dayNumber) bool
	// from returns the first day of the set that is d or later.
	from(d dayNumber) (dayNumber, bool)
	String() string
}

// weekdays has a bit for each day of the week, Sunday being bit 0.
type weekdays uint8

const everyDay weekdays = 1<<7 - 1

func (w weekdays) has(d dayNumber) bool { return w&(1<<d.weekday()) != 0 }

func (w weekdays) from(d dayNumber) (dayNumber, bool) {
	ahead := (uint(w) | uint(w)<<7) >> d.weekday() // bit 0 is d, bit 1 the day after …
	if ahead == 0 {
		return 0, false
	}
	return d + dayNumber(bits.TrailingZeros(ahead)), true
}

// String writes runs of three or more days as a range, starting on Monday where it can.
func (w weekdays) String() string {
	if w == everyDay {
		return "Mon-Sun"
	}
	name := func(d int) string { return time.Weekday(d % 7).String()[:3] }
	on := func(d int) bool { return w&(1<<(d%7)) != 0 }
	first := 1
	for on(first) && on(first+6) { // never cut a run that passes over the end of the week
		first++
	}
	var parts []string
	for d := first; d < first+7; d++ {
		if !on(d) {
			continue
		}
		run := d
		for run+1 < first+7 && on(run+1) {
			run++
		}
		if run >= d+2 {
			parts = append(parts, name(d)+"-"+name(run))
			d = run
		} else {
			parts = append(parts, name(d))
		}
	}
	return strings.Join(parts, ",")
}

// dates is a range of days that comes once, both ends included.
type dates struct{ first, last dayNumber }

func (s dates) has(d dayNumber) bool { return s.first <= d && d <= s.last }

func (s dates) from(d dayNumber) (dayNumber, bool) { return max(d, s.first), d <= s.last }

func (s dates) String() string {
	text := func(d dayNumber) string { return d.start().dateString() }
	if s.first == s.last {
		return text(s.first)
	}
	return text(s.first) + ".." + text(s.last)
}

func (c civil) dateString() string { return time.Unix(int64(c), 0).UTC().Format(time.DateOnly) }

// monthDay is a date without a year.
type monthDay struct {
	month time.Month
	day   int
}

func (m monthDay) String() string { return fmt.Sprintf("%02d-%02d", m.month, m.day) }

func (m monthDay) before(o monthDay) bool {
	return m.month < o.month || m.month == o.month && m.day < o.day
}

// yearly is a range of days that comes every year, both ends included; with last before first it passes over the new
// year. 29 February is there only in leap years.
type yearly struct{ first, last monthDay }

func (s yearly) has(d dayNumber) bool {
	_, month, dayOfMonth := d.date()
	m := monthDay{month, dayOfMonth}
	if s.last.before(s.first) {
		return !m.before(s.first) || !s.last.before(m)
	}
	return !m.before(s.first) && !s.last.before(m)
}

func (s yearly) from(d dayNumber) (dayNumber, bool) {
	if s.has(d) {
		return d, true
	}
	year, _, _ := d.date()
	for y := year; y <= year+8; y++ { // 29 February can be eight years away
		start := dayOf(y, s.first.month, s.first.day)
		if start >= d && s.has(start) {
			return start, true
		}
	}
	return 0, false
}

func (s yearly) String() string {
	if s.first == s.last {
		return s.first.String()
	}
	return s.first.String() + ".." + s.last.String()
}
