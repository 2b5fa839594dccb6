package downscaler

import (
	"fmt"
	"slices"
	"time"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/timewindow"
)

// lookAhead is how far changes of clocks are looked at. They come twice a year where they come.
const lookAhead = 2 * 366 * 24 * time.Hour

// clockChanges says where the rules mean something else while a clock is put forward or back: the old tools ask what it
// shows at the moment, which in autumn it shows twice; for Curfew each local time comes once.
func clockChanges(tool Tool, m meaning, schedule *timewindow.Schedule, now time.Time) []string {
	var notes []string
	for _, zone := range m.zones() {
		for change := range translate.Changes(zone, now) {
			if change.After(now.Add(lookAhead)) {
				break
			}
			from, to, ok := m.differs(schedule, zone, change)
			if !ok {
				continue
			}
			const layout = "2006-01-02 15:04 -07:00"
			notes = append(notes, fmt.Sprintf("%s goes by what the clock shows, and for Curfew each local time comes once: one that is shown twice the first time, one that is skipped when the clock jumps; so they differ from %s to %s in %s, and so whenever that clock is changed like this",
				tool, from.In(zone).Format(layout), to.In(zone).Format(layout), zone))
			break
		}
	}
	return notes
}

// zones are the zones of the weekly spans.
func (m meaning) zones() []*time.Location {
	var zones []*time.Location
	for _, ss := range []spans{m.forceUp, m.forceDown, m.up, m.down} {
		for _, s := range ss {
			if s.form == weekly && !slices.ContainsFunc(zones, func(z *time.Location) bool { return z.String() == s.zone.String() }) {
				zones = append(zones, s.zone)
			}
		}
	}
	return zones
}

// differs is the time around a change of the clock in which the rules say something else than the old tool.
func (m meaning) differs(schedule *timewindow.Schedule, zone *time.Location, change time.Time) (from, to time.Time, ok bool) {
	// No clock shows anything twice but what it has shown this shortly before.
	_, before := change.Add(-time.Second).In(zone).Zone()
	_, after := change.In(zone).Zone()
	around := 2*time.Hour + time.Duration(max(before-after, after-before))*time.Second
	t := change.Add(-around)
	end := change.Add(around)
	last := nothing
	if m.mode == periods { // what held before; and a period that was skipped is not made up for before the next
		t, end = t.Add(-8*24*time.Hour), end.Add(8*24*time.Hour)
	}
	for ; t.Before(end); t = t.Add(time.Minute) {
		state := m.at(t)
		if state == nothing && m.mode == periods {
			state = last
		}
		last = state
		if state == nothing || t.Before(change.Add(-around)) {
			continue
		}
		want := timewindow.Normal
		if state == goDown {
			want = timewindow.Replicas(int32(m.floor)) //nolint:gosec // it is at most MaxReplicas
		}
		if schedule.At(t).Size == want {
			continue
		}
		if !ok {
			from, ok = t, true
		}
		to = t.Add(time.Minute)
	}
	return from, to, ok
}
