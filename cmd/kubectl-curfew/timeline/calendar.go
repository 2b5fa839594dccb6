package timeline

import (
	"fmt"
	"time"

	"curfew/cmd/kubectl-curfew/plan"
)

// The ranges that a page may show.
const (
	Day   = "day"
	Week  = "week"
	Month = "month"
)

// Ranges lists every range.
func Ranges() []string { return []string{Day, Week, Month} }

// View is which stretch of time a page shows.
type View struct {
	Range string         // a day, a week or a month
	From  string         // the date of its first day; "": the day, week from Monday or month that now is in
	Zone  *time.Location // the zone in which days start
}

// stretch is a view at an instant.
type stretch struct {
	from, to       time.Time
	previous, next string // the dates on which the stretches before and after this one start
	title          string
}

// at finds the stretch that a view shows.
func (v View) at(now time.Time) (stretch, error) {
	first, err := v.first(now)
	if err != nil {
		return stretch{}, err
	}
	next := v.step(first, 1)
	s := stretch{previous: v.step(first, -1).Format(time.DateOnly), next: next.Format(time.DateOnly), title: v.title(first, next)}
	if s.from, err = plan.StartOfDay(first.Format(time.DateOnly), v.Zone); err != nil {
		return stretch{}, err
	}
	if s.to, err = plan.StartOfDay(s.next, v.Zone); err != nil {
		return stretch{}, err
	}
	s.from, s.to = s.from.In(v.Zone), s.to.In(v.Zone)
	return s, nil
}

// first is the first day, as a date carried in UTC.
func (v View) first(now time.Time) (time.Time, error) {
	if v.From != "" {
		day, err := time.Parse(time.DateOnly, v.From)
		if err != nil {
			return day, fmt.Errorf("%q is not a date; write one such as 2026-06-05", v.From)
		}
		return day, nil
	}
	y, m, d := now.In(v.Zone).Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	switch v.Range {
	case Week:
		return day.AddDate(0, 0, -int(day.Weekday()+6)%7), nil
	case Month:
		return day.AddDate(0, 0, 1-d), nil
	}
	return day, nil
}

func (v View) step(day time.Time, n int) time.Time {
	switch v.Range {
	case Week:
		return day.AddDate(0, 0, 7*n)
	case Month:
		return day.AddDate(0, n, 0)
	}
	return day.AddDate(0, 0, n)
}

// title names the days from first to before next.
func (v View) title(first, next time.Time) string {
	last := next.AddDate(0, 0, -1)
	switch {
	case first.Equal(last):
		return first.Format("Monday 2 January 2006")
	case first.Day() == 1 && v.Range == Month:
		return first.Format("January 2006")
	case first.Year() != last.Year():
		return first.Format("2 January 2006") + " – " + last.Format("2 January 2006")
	case first.Month() != last.Month():
		return first.Format("2 January") + " – " + last.Format("2 January 2006")
	}
	return first.Format("2") + " – " + last.Format("2 January 2006")
}

// Tick is a line on the axis.
type Tick struct {
	At      int64  `json:"at"`
	Label   string `json:"label,omitempty"`
	Below   string `json:"below,omitempty"` // what stands under the label
	Day     bool   `json:"day,omitempty"`   // a day starts here
	Weekend bool   `json:"weekend,omitempty"`
}

// grain is how finely ticks looks: no zone is off the quarter of an hour.
const grain = 15 * time.Minute

// ticks draws the axis: the starts of days, and hours between them where there is room.
func (v View) ticks(s stretch) []Tick {
	var ticks []Tick
	day := 0
	for t := s.from; t.Before(s.to); t = t.Add(grain) {
		tick := Tick{At: t.Unix()}
		weekday := t.Weekday()
		starts := t.YearDay() != day
		switch every := map[string]int{Day: 1, Week: 6}[v.Range]; {
		case starts:
			day = t.YearDay()
			tick.Day, tick.Weekend = true, weekday == time.Saturday || weekday == time.Sunday
		case every == 0 || t.Minute() != 0 || t.Hour()%every != 0:
			continue
		}
		switch {
		case v.Range == Day && t.Hour()%3 == 0:
			tick.Label = t.Format("15:04")
		case v.Range == Week && starts:
			tick.Label = t.Format("Mon 2 Jan")
		case v.Range == Month && starts:
			tick.Label, tick.Below = t.Format("2"), t.Format("Mon")
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// Clock is what a zone's clock shows from an instant on.
type Clock struct {
	At     int64  `json:"at"`
	Offset int    `json:"offset"` // from UTC, in seconds
	Name   string `json:"name"`   // CEST
}

// clocks is what a zone's clock shows during a stretch of time. So a page needs no zone data of its own, which may be
// other than Curfew's.
func clocks(zone *time.Location, s stretch) []Clock {
	var all []Clock
	for t := s.from.In(zone); ; {
		name, offset := t.Zone()
		all = append(all, Clock{t.Unix(), offset, name})
		_, end := t.ZoneBounds()
		if end.IsZero() || end.After(s.to) {
			return all
		}
		t = end
	}
}
