package downscaler

import (
	"fmt"
	"time"
)

const week = 7 * day

// periodsError says why periods cannot be rules.
type periodsError string

func (e periodsError) Error() string { return string(e) }

// periodRules is the rules of periods: down from when a period first says so until one says up. down is false if the
// workload is never scaled down.
func periodRules(m meaning, size string) (rules []rule, down bool, err error) {
	var zone *time.Location
	for _, s := range append(append(spans{}, m.up...), m.down...) {
		switch {
		case s.form == absolute:
			return nil, false, periodsError(fmt.Sprintf("what is to hold between the periods cannot be said where one has a date, as %q has", s.text))
		case s.form != weekly:
		case zone != nil && zone.String() != s.zone.String():
			return nil, false, periodsError(fmt.Sprintf("what is to hold between periods in two zones, %s and %s, cannot be said", zone, s.zone))
		default:
			zone = s.zone
		}
	}
	// Any week will do: on this clock it has no change of time, and starts on a Monday.
	var states [week]state
	ups, downs := 0, 0
	for i := range states {
		up, down := m.up.atWeek(i), m.down.atWeek(i)
		switch {
		case up && !down:
			states[i], ups = goUp, ups+1
		case down && !up:
			states[i], downs = goDown, downs+1
		}
	}
	switch {
	case downs == 0:
		return nil, false, nil
	case downs == week:
		return []rule{{"always", "", size}}, true, nil
	case ups == 0:
		return nil, false, periodsError("after the period the old tool leaves the workload down until somebody scales it up by hand, as no upscale-period does; " +
			"Curfew would give its size back by itself: if that will do, write the period as a rule; if not, write \"always = 0\" and wake it by curfew/override")
	}
	for i := range 2 * week { // the first round finds what held before
		if states[i%week] == nothing {
			states[i%week] = states[(i+week-1)%week]
		}
	}
	type stretch struct{ from, to int } // minutes of the day
	days := map[stretch][7]bool{}
	var order []stretch
	for i := range week {
		if states[i] != goDown || states[(i+week-1)%week] == goDown {
			continue
		}
		length := 0
		for states[(i+length)%week] == goDown {
			length++
		}
		s := stretch{i % day, (i + length) % day}
		if s.to == 0 {
			s.to = day
		}
		if length > day || length == day && s.from > 0 {
			end := (i + length) % week
			rules = append(rules, rule{fmt.Sprintf("%s %s - %s %s", dayNames[i/day], clock(s.from), dayNames[end/day], clock(end%day)), zone.String(), size})
			continue
		}
		on, ok := days[s]
		if !ok {
			order = append(order, s)
		}
		on[i/day] = true
		days[s] = on
	}
	for _, s := range order {
		rules = append(rules, rule{when(days[s], s.from, s.to), zone.String(), size})
	}
	return rules, true, nil
}

// atWeek reports whether one of the spans holds at a minute of the week.
func (ss spans) atWeek(minute int) bool {
	for _, s := range ss {
		if s.form == always || s.form == weekly && s.days[minute/day] && s.atMinute(minute%day) {
			return true
		}
	}
	return false
}
