package decide

import (
	"time"

	"curfew/timewindow"
)

// Timetable is what the rules ask of one workload, and when. Against the schedule every boundary comes later by the
// workload's share of the spread; and what is more than before comes earlier by the lead, for at any instant the most is
// asked for that the schedule asks for between then and the end of the lead, the first of equals. Both are elapsed time.
// Without rules normal is asked for, always.
type Timetable struct {
	schedule    *timewindow.Schedule
	shift, lead time.Duration
	normal      int32
	autoscaled  bool
}

// Timetable is that of the workload.
func (w Workload) Timetable() Timetable {
	t := Timetable{schedule: w.Spec.Schedule, shift: w.Shift, lead: w.Spec.Lead, autoscaled: w.Autoscaler != nil}
	if t.lead > 0 {
		t.normal, _ = w.Normal()
	}
	return t
}

// Bounds on the windows that are looked at, as package timewindow has one. They matter where sizes take turns by the
// minute and the lead is long.
const (
	leadLooks = 1 << 12 // within the lead of one instant
	nextLooks = 1 << 13 // for the next change
	farLooks  = 1 << 17 // for one that a forecast waits for, or that no lead makes dear to find
)

// looks is how many there may be for the next change.
func (t Timetable) looks() int {
	if t.lead > 0 {
		return nextLooks
	}
	return farLooks
}

// At says which size is asked for at an instant, and which rule says so; with a lead it may be one whose time comes.
func (t Timetable) At(now time.Time) timewindow.State {
	switch {
	case t.schedule == nil:
		return timewindow.State{Size: timewindow.Normal, Rule: -1}
	case t.lead == 0:
		return t.schedule.At(now.Add(-t.shift))
	}
	return t.view(t.unmoved(now)).State
}

// Next returns the first instant after another at which another size is asked for. It reports false if there is none, or
// none in sight.
func (t Timetable) Next(now time.Time) (time.Time, bool) {
	looks := farLooks
	next, _, ok := t.change(now, t.At(now).Size, &looks)
	return next, ok
}

// Steady returns an instant after another, up to which the size that is asked for surely stays what it is: that of
// [Timetable.Next] where there is one, and else as far as it has looked.
func (t Timetable) Steady(now time.Time) time.Time {
	looks := farLooks
	next, _, _ := t.change(now, t.At(now).Size, &looks)
	return next
}

// Origin says of an instant at which another size is asked for which boundary of the rules that comes from, and whether
// the lead brings it forward.
func (t Timetable) Origin(at time.Time) (boundary time.Time, led bool) {
	u := t.unmoved(at)
	if t.lead > 0 && t.schedule != nil {
		if from := t.view(u).from; !from.Equal(u) {
			return from, true
		}
	}
	return u, false
}

// unmoved is an instant on the schedule's own time, in whole seconds.
func (t Timetable) unmoved(now time.Time) time.Time { return now.Add(-t.shift).Truncate(time.Second) }

// farthest is how far change looks ahead: as far as the schedule does.
const farthest = 50 * 366 * 24 * time.Hour

// change is the first instant after now at which another size is asked for than is, and what that is. Where it reports
// false none is in sight, and is is surely asked for up to the instant.
func (t Timetable) change(now time.Time, is timewindow.Size, looks *int) (at time.Time, then timewindow.State, ok bool) {
	switch {
	case t.schedule == nil:
		return now.Add(farthest), timewindow.State{Size: timewindow.Normal, Rule: -1}, false
	case t.lead == 0:
		u := now.Add(-t.shift)
		u = t.schedule.SteadyUpTo(u, u.Add(farthest), looks)
		then = t.schedule.At(u)
		return u.Add(t.shift), then, then.Size != is
	}
	u := t.unmoved(now)
	end := u.Add(farthest)
	for v := t.view(u); ; v = t.view(u) {
		*looks -= v.looks
		if v.Size != is { // and not at now, so u is where it begins
			return u.Add(t.shift), v.State, true
		}
		if u = t.holds(u, v, looks); *looks <= 0 || !v.whole || !u.Before(end) {
			return u.Add(t.shift), v.State, false
		}
	}
}

// view is the most that the schedule asks for between an instant and the end of the lead from then.
type view struct {
	timewindow.State
	from  time.Time // an instant at which it asks for that, the first unless that is before the one that was asked about
	seen  time.Time // an instant up to which it was looked at
	most  bool      // nothing ever asks for more
	whole bool      // it was looked at to the end of the lead
	looks int       // how many there were
}

func (t Timetable) view(u time.Time) view {
	v := view{State: t.schedule.At(u), from: u, seen: u}
	looks, end := leadLooks, u.Add(t.lead)
	best, most := t.worth(v.Size), t.most()
	for best < most && !v.seen.After(end) && looks > 0 {
		v.seen = t.schedule.SteadyUpTo(v.seen, end.Add(time.Second), &looks)
		if v.seen.After(end) || looks <= 0 {
			break
		}
		if s := t.schedule.At(v.seen); t.worth(s.Size) > best {
			best, v.State, v.from = t.worth(s.Size), s, v.seen
		}
	}
	v.looks, v.most = leadLooks-looks, best == most
	v.whole = v.most || v.seen.After(end)
	return v
}

// holds is an instant after u, up to which the view from there surely asks for the same: until what it found is over, or
// until something larger comes into view. A view that is not whole may have missed that already, so it is looked at again
// before that can begin.
func (t Timetable) holds(u time.Time, v view, looks *int) time.Time {
	if !v.whole {
		return v.seen
	}
	over := t.schedule.SteadyUpTo(v.from, u.Add(farthest), looks)
	if v.most {
		return over
	}
	best, end := t.worth(v.Size), over.Add(t.lead)
	for x := v.seen; !x.After(end); x = t.schedule.SteadyUpTo(x, end.Add(time.Second), looks) {
		if *looks <= 0 || t.worth(t.schedule.At(x).Size) > best {
			return x.Add(-t.lead)
		}
	}
	return over
}

// worth is what sizes are compared by. An autoscaler owns every size above 0, so these are alike.
func (t Timetable) worth(size timewindow.Size) int32 {
	n := size.Of(t.normal)
	if t.autoscaled {
		return min(n, 1)
	}
	return n
}

// most is the worth beyond which nothing goes.
func (t Timetable) most() int32 {
	most := t.worth(timewindow.Normal)
	rules := t.schedule.Rules()
	for i := range rules {
		most = max(most, t.worth(rules[i].Size()))
	}
	return most
}

// Bridged lists the rules whose time comes between two instants and who never get a say, because each time it is over
// before the lead of what comes after it.
func (t Timetable) Bridged(from, to time.Time) []timewindow.Rule {
	if t.schedule == nil || t.lead == 0 {
		return nil
	}
	const missed, held = 1, 2
	rules := t.schedule.Rules()
	fate := make([]int, len(rules))
	looks := farLooks
	for u, end := t.unmoved(from), t.unmoved(to); looks > 0; {
		if u = t.schedule.SteadyUpTo(u, end, &looks); !u.Before(end) {
			break
		}
		s, v := t.schedule.At(u), t.view(u)
		looks -= v.looks
		switch {
		case s.Rule < 0:
		case v.from.Equal(u):
			fate[s.Rule] |= held
		default:
			fate[s.Rule] |= missed
		}
	}
	var bridged []timewindow.Rule
	for i, f := range fate {
		if f == missed {
			bridged = append(bridged, rules[i])
		}
	}
	return bridged
}
