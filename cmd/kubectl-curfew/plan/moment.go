package plan

import (
	"errors"
	"fmt"
	"time"

	"curfew/timewindow"
)

// moment is a point in time as a flag says it: an instant, or the start of a day in a zone that is not known yet.
type moment struct {
	instant time.Time
	date    string // if not empty, the day
}

func parseMoment(text string) (*moment, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return &moment{instant: t}, nil
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return nil, fmt.Errorf("%q is not a time; write a date such as 2026-06-05 or a time such as 2026-06-05T22:00:00+02:00", text)
	}
	if _, err := StartOfDay(text, time.UTC); err != nil {
		return nil, err
	}
	return &moment{date: text}, nil
}

func (m *moment) in(zone *time.Location) (time.Time, error) {
	if m.date == "" {
		return m.instant.In(zone), nil
	}
	t, err := StartOfDay(m.date, zone)
	return t.In(zone), err
}

// StartOfDay asks a rule when the day starts, so that days start where rules say they do: also where the clock skips
// midnight, or shows it twice.
func StartOfDay(date string, zone *time.Location) (time.Time, error) {
	onwards, err := timewindow.Parse(date+"..2199-12-31 = 0", zone)
	if faults := (timewindow.Faults)(nil); errors.As(err, &faults) {
		return time.Time{}, fmt.Errorf("%q: %s; %s", date, faults[0].Problem, faults[0].Hint)
	} else if err != nil {
		return time.Time{}, err
	}
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return time.Time{}, err
	}
	start, _ := onwards.Next(day.Add(-48 * time.Hour)) // no zone is so far from UTC
	return start, nil
}
