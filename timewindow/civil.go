package timewindow

import "time"

// civil is a reading of a wall clock: the seconds from 1970-01-01 00:00:00 to it, as if that clock stood in UTC. It is
// arithmetic without daylight saving; a zone turns it into an instant and back.
type civil int64

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	week   = 7 * day
)

// Dates in rules lie in these years: the zone data says nothing that is worth its place before, and nobody knows after.
const (
	minYear = 1970
	maxYear = 2199
)

// dayNumber counts days from 1970-01-01, which was a Thursday.
type dayNumber int64

func (c civil) day() dayNumber { return dayNumber(floorDiv(int64(c), day)) }

func (d dayNumber) start() civil { return civil(d) * day }

func (d dayNumber) weekday() time.Weekday {
	return time.Weekday(floorMod(int64(d)+int64(time.Thursday), 7))
}

func (d dayNumber) date() (int, time.Month, int) { return time.Unix(int64(d)*day, 0).UTC().Date() }

// dayOf normalises as [time.Date] does: 29 February of a common year is 1 March.
func dayOf(year int, month time.Month, dayOfMonth int) dayNumber {
	return dayNumber(time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC).Unix() / day)
}

// daysIn is how many days a month has.
func daysIn(year int, month time.Month) int {
	switch month {
	case time.April, time.June, time.September, time.November:
		return 30
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }
