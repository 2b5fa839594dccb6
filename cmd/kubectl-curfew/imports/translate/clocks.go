package translate

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"curfew/timewindow"
)

// The changes of the clocks that are looked at. A translator has no clock of its own, and needs none: the rules of the
// zones say the same every year, or will be published years from now.
var clocksFrom, clocksTo = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2032, 1, 1, 0, 0, 0, 0, time.UTC)

const aroundChange = 36 * time.Hour

// Changes are the instants after from at which the clocks of a zone jump, for as long as its rules go.
func Changes(zone *time.Location, from time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for t := from; ; {
			_, end := t.In(zone).ZoneBounds()
			if end.IsZero() {
				return
			}
			if !end.After(t) { // on the last day of a leap year package time may give the start of that day
				end = t.Add(15 * time.Minute)
			}
			if offset(end.Add(-time.Second), zone) != offset(end, zone) && !yield(end) {
				return
			}
			t = end
		}
	}
}

// changes are those that are looked at.
func changes(zone *time.Location) []time.Time {
	var all []time.Time
	for change := range Changes(zone, clocksFrom) {
		if change.After(clocksTo) {
			break
		}
		all = append(all, change)
	}
	return all
}

func offset(t time.Time, zone *time.Location) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// instant is when a zone's clock first reads wall, which is carried as UTC, or later; as package timewindow has it.
func instant(wall time.Time, zone *time.Location) time.Time {
	before, after := offset(wall.Add(-24*time.Hour), zone), offset(wall.Add(24*time.Hour), zone)
	t := wall.Add(-before)
	if offset(t, zone) == before {
		return t
	}
	if late := wall.Add(-after); offset(late, zone) == after {
		return late
	}
	start, _ := t.In(zone).ZoneBounds() // in the gap
	return start
}

// ClockChanges says how crons that are run by robfig/cron in a zone part from Curfew's when the clocks change, or "".
// tool is who runs them.
func ClockChanges(tool string, zone *time.Location, crons ...Cron) string {
	for _, change := range changes(zone) {
		from, to := change.Add(-aroundChange), change.Add(aroundChange)
		for _, c := range crons {
			if !slices.EqualFunc(c.fired(zone, from, to), c.kept(zone, from, to), time.Time.Equal) {
				return fmt.Sprintf("%s leaves out a time that spring skips, and does one that autumn repeats twice or at another moment; "+
					"Curfew does it once, at the end of the gap or in the first pass. It makes a difference on %s in %s, for instance.",
					tool, change.Add(-time.Second).In(zone).Format(time.DateOnly), zone)
			}
		}
	}
	return ""
}

// fired are the instants at which robfig/cron runs, if it has been running since before.
func (c Cron) fired(zone *time.Location, from, to time.Time) []time.Time {
	var all []time.Time
	for t := c.Next(from.Add(-aroundChange).In(zone)); !t.IsZero() && t.Before(to); t = c.Next(t) {
		if !t.Before(from) {
			all = append(all, t)
		}
	}
	return all
}

// kept are the instants at which Curfew has the times of a cron.
func (c Cron) kept(zone *time.Location, from, to time.Time) []time.Time {
	wall := func(t time.Time) time.Time { return t.UTC().Add(offset(t, zone)) }
	var all []time.Time
	for w := c.Next(wall(from).Add(-aroundChange)); !w.IsZero() && !w.After(wall(to).Add(aroundChange)); w = c.Next(w) {
		if t := instant(w, zone); !t.Before(from) && t.Before(to) && (len(all) == 0 || !t.Equal(all[len(all)-1])) {
			all = append(all, t)
		}
	}
	return all
}

// StateChanges is ClockChanges for a tool that asks at every instant what should hold: was is its answer, which changes
// at the times of crons. Sizes are taken of a normal size of so many replicas.
func StateChanges(tool string, zone *time.Location, was func(time.Time) int32, schedule *timewindow.Schedule, normal int32, crons ...Cron) string {
	for _, change := range changes(zone) {
		from, to := change.Add(-aroundChange), change.Add(aroundChange)
		var at []time.Time
		for t := from; t.Before(to); t = t.Add(time.Hour) {
			at = append(at, t)
		}
		for _, c := range crons {
			at = append(append(at, c.fired(zone, from, to)...), c.kept(zone, from, to)...)
		}
		if slices.ContainsFunc(at, func(t time.Time) bool { return was(t) != schedule.At(t).Size.Of(normal) }) {
			return fmt.Sprintf("%s looks at the next start and the next end, which go astray where the clocks change: it leaves out a time that spring "+
				"skips, and with it a whole day or night may go. Curfew has it at the end of the gap, and what autumn repeats in the first pass. "+
				"It makes a difference on %s in %s, for instance.", tool, change.Add(-time.Second).In(zone).Format(time.DateOnly), zone)
		}
	}
	return ""
}
