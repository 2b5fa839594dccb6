package timewindow

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// The oracle knows what rules mean, and nothing of how this package works it out. It looks at the clock on the wall
// every minute through package time, writes down the latest reading it has seen so far, and compares that with windows
// laid out on a calendar that knows no daylight saving. It is slow and simple.

// wall is what a clock showed, minute by minute.
type wall struct {
	from   time.Time
	latest []time.Time // the latest reading so far, as a time in UTC
}

func watch(loc *time.Location, from, to time.Time) wall {
	w := wall{from: from}
	for at := from; at.Before(to); at = at.Add(time.Minute) {
		local := at.In(loc)
		shown := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), 0, 0, time.UTC)
		if n := len(w.latest); n > 0 && w.latest[n-1].After(shown) {
			shown = w.latest[n-1]
		}
		w.latest = append(w.latest, shown)
	}
	return w
}

// when is the first minute at which the clock reads c or later.
func (w wall) when(c time.Time) int {
	return sort.Search(len(w.latest), func(i int) bool { return !w.latest[i].Before(c) })
}

// mark sets the minutes of [from, to).
func mark(on []bool, from, to int) {
	for i := from; i < min(to, len(on)); i++ {
		on[i] = true
	}
}

// A model is a rule as the oracle sees it: its text, and which minutes it holds in.
type model struct {
	text  string
	holds func(w wall) []bool
}

// midnights are the civil days that the clock comes near, from some time before to the day after.
func (w wall) midnights(before int) []time.Time {
	first, last := w.latest[0].Truncate(24*time.Hour).AddDate(0, 0, -before), w.latest[len(w.latest)-1].AddDate(0, 0, 2)
	var all []time.Time
	for d := first; d.Before(last); d = d.AddDate(0, 0, 1) {
		all = append(all, d)
	}
	return all
}

func hhmm(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// spanOn is a span from one minute of the day to another, on each day that it belongs to.
func spanOn(prefix string, belongs func(time.Time) bool, from, to int) model {
	text := prefix
	if from != 0 || to != 24*60 || prefix == "" {
		text = strings.TrimSpace(prefix + " " + hhmm(from) + "-" + hhmm(to))
	}
	length := to - from
	if length <= 0 {
		length += 24 * 60
	}
	return model{text, func(w wall) []bool {
		on := make([]bool, len(w.latest))
		for _, d := range w.midnights(2) {
			if belongs(d) {
				start := d.Add(time.Duration(from) * time.Minute)
				mark(on, w.when(start), w.when(start.Add(time.Duration(length)*time.Minute)))
			}
		}
		return on
	}}
}

// weekSpan goes from a minute of one weekday to a minute of another.
func weekSpan(fromDay time.Weekday, from int, toDay time.Weekday, to int) model {
	text := fmt.Sprintf("%s %s - %s %s", fromDay.String()[:3], hhmm(from), toDay.String()[:3], hhmm(to))
	return model{text, func(w wall) []bool {
		on := make([]bool, len(w.latest))
		for _, d := range w.midnights(9) {
			if d.Weekday() != fromDay {
				continue
			}
			start := d.Add(time.Duration(from) * time.Minute)
			end := d
			for end.Weekday() != toDay || !end.Add(time.Duration(to)*time.Minute).After(start) {
				end = end.AddDate(0, 0, 1)
			}
			mark(on, w.when(start), w.when(end.Add(time.Duration(to)*time.Minute)))
		}
		return on
	}}
}

// firings are the minutes that cron fields name, by robfig/cron on a clock that knows no daylight saving.
func firings(fields string, from, to time.Time) []time.Time {
	s, err := cron.ParseStandard(fields)
	if err != nil {
		panic(err)
	}
	var all []time.Time
	for at := s.Next(from.Add(-time.Second)); !at.IsZero() && !at.After(to); at = s.Next(at) {
		all = append(all, at)
	}
	return all
}

func cronLasting(fields string, lasts time.Duration) model {
	return model{fmt.Sprintf("cron(%s) for %s", fields, lasts), func(w wall) []bool {
		on := make([]bool, len(w.latest))
		for _, start := range firings(fields, w.latest[0], w.latest[len(w.latest)-1]) {
			i := w.when(start)
			mark(on, i, i+int(lasts/time.Minute))
		}
		return on
	}}
}

func cronUntil(fields, ends string) model {
	return model{fmt.Sprintf("cron(%s) to cron(%s)", fields, ends), func(w wall) []bool {
		on := make([]bool, len(w.latest))
		from, to := w.latest[0].AddDate(0, 0, -70), w.latest[len(w.latest)-1].AddDate(0, 0, 70)
		stops := firings(ends, from, to)
		for _, start := range firings(fields, from, to) {
			n := sort.Search(len(stops), func(i int) bool { return stops[i].After(start) })
			if n < len(stops) { // else it starts long after the clock has stopped
				mark(on, w.when(start), w.when(stops[n]))
			}
		}
		return on
	}}
}

// randomRule makes a rule of any kind, with times that gather where clocks change and dates around the day given.
func randomRule(r *rand.Rand, around time.Time) model {
	clocks := []int{0, 15, 30, 60, 90, 119, 120, 135, 150, 165, 179, 180, 181, 240, 23*60 + 30, 23 * 60, 12 * 60}
	at := func() int {
		if r.IntN(4) == 0 {
			return r.IntN(24 * 60)
		}
		return clocks[r.IntN(len(clocks))]
	}
	span := func() (int, int) {
		if r.IntN(4) == 0 {
			return 0, 24 * 60
		}
		from, to := at(), at()
		if r.IntN(8) == 0 {
			to = 24 * 60
		}
		for from == to {
			to = at()
		}
		return from, to
	}
	date := func() time.Time { return around.AddDate(0, 0, r.IntN(9)-4).Truncate(24 * time.Hour) }
	minutes := []string{"0", "30", "*/20", "5,59", "*"}
	hours := []string{"0", "1", "2", "3", "*", "*/6", "0-3", "23"}
	doms := []string{"*", "*", "*", "1-15", date().Format("2"), "*/2"}
	dows := []string{"*", "*", "1-5", "SAT", "0", "*/2"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	fields := func() string {
		return strings.Join([]string{pick(minutes), pick(hours), pick(doms), "*", pick(dows)}, " ")
	}

	switch r.IntN(8) {
	case 0:
		from, to := span()
		return spanOn("", func(time.Time) bool { return true }, from, to)
	case 1:
		set := map[time.Weekday]bool{}
		first, last := time.Weekday(r.IntN(7)), time.Weekday(r.IntN(7))
		text := first.String()[:3] + "-" + last.String()[:3]
		for d := first; ; d = (d + 1) % 7 {
			set[d] = true
			if d == last {
				break
			}
		}
		if r.IntN(2) == 0 {
			more := time.Weekday(r.IntN(7))
			set[more] = true
			text += "," + strings.ToUpper(more.String())
		}
		from, to := span()
		return spanOn(text, func(d time.Time) bool { return set[d.Weekday()] }, from, to)
	case 2:
		fromDay, toDay, from, to := time.Weekday(r.IntN(7)), time.Weekday(r.IntN(7)), at(), at()
		if fromDay == toDay && from == to {
			to = (to + 30) % (24 * 60)
		}
		return weekSpan(fromDay, from, toDay, to)
	case 3:
		first, last := date().Format("2006-01-02"), date().Format("2006-01-02")
		first, last = min(first, last), max(first, last)
		from, to := span()
		return spanOn(first+".."+last, func(d time.Time) bool { s := d.Format("2006-01-02"); return first <= s && s <= last }, from, to)
	case 4:
		first, last := date().Format("01-02"), date().Format("01-02")
		from, to := span()
		return spanOn(first+".."+last, func(d time.Time) bool {
			s := d.Format("01-02")
			if first <= last {
				return first <= s && s <= last
			}
			return first <= s || s <= last
		}, from, to)
	case 5:
		lasts := []time.Duration{time.Minute, 20 * time.Minute, time.Hour, 90 * time.Minute, 8 * time.Hour, 25 * time.Hour, 50 * time.Hour}
		return cronLasting(fields(), lasts[r.IntN(len(lasts))])
	case 6:
		start, end := fields(), fields()
		for start == end {
			end = fields()
		}
		return cronUntil(start, end)
	default:
		return model{"always", func(w wall) []bool {
			on := make([]bool, len(w.latest))
			mark(on, 0, len(on))
			return on
		}}
	}
}
