package decide

import (
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// demand is what overrides and rules ask for at an instant.
type demand struct {
	state annotation.State // override, window or normal
	size  timewindow.Size
	rule  string    // in a window
	until time.Time // the end of an override; else not known yet
}

// demand finds the nearest override that is still running, or else the first rule that holds. It reports false when the
// workload has neither an override nor rules.
func (w Workload) demand(now time.Time) (demand, bool) {
	for _, o := range w.Spec.Overrides {
		if now.Before(o.Until) {
			return demand{state: annotation.StateOverride, size: o.Size, until: o.Until}, true
		}
	}
	if w.Spec.Schedule == nil {
		return demand{}, false
	}
	state := w.Timetable().At(now)
	if state.Size.IsNormal() {
		return demand{state: annotation.StateNormal}, true
	}
	return demand{state: annotation.StateWindow, size: state.Size, rule: w.Spec.Schedule.Rules()[state.Rule].Text()}, true
}

// lookAgain is when to look again where no end is in sight. A schedule says never also when it has only given up looking.
const lookAgain = 24 * time.Hour

// ending is when what is asked for ends.
type ending struct {
	at   time.Time // zero if no end is in sight
	sure time.Time // where none is, an instant up to which there surely is none
}

// next is when to decide again.
func (e ending) next(now time.Time) time.Time {
	if !e.at.IsZero() {
		return e.at
	}
	if again := now.Add(lookAgain); again.Before(e.sure) {
		return again
	}
	return e.sure
}

// end is the next instant at which something else is asked for than what makes size of normal now. Sizes that are
// written differently and come to the same, such as 2 and 50% of 4, are one window.
func (w Workload) end(d demand, normal, size int32, now time.Time) ending {
	if d.state == annotation.StateOverride {
		return ending{at: d.until}
	}
	table := w.Timetable()
	looks := table.looks()
	for at, is := now, d.size; ; looks = min(looks, nextLooks) {
		next, then, ok := table.change(at, is, &looks)
		if !ok {
			return ending{sure: next}
		}
		at, is = next, then.Size
		if d.size.IsNormal() || is.IsNormal() || is.Of(normal) != size || !sameMax(d.size, is) {
			return ending{at: at}
		}
		if looks <= 0 {
			return ending{sure: at}
		}
	}
}

// sameMax reports whether two sizes say the same of the maximum.
func sameMax(a, b timewindow.Size) bool {
	x, ranged := a.High()
	y, too := b.High()
	return x == y && ranged == too
}

// standing lets a decision name the rule that the status names already, where both say the same.
func (w Workload) standing(d Decision) Decision {
	if d.Status.Rule != "" && stands(w.Status, d.Status, w.Spec.Schedule) {
		d.Status.Rule = w.Status.Rule
	}
	return d
}

// stands reports whether the old status says the same as the new one but for the rule, and its rule is still there. Two
// rules of equal size that follow each other are one window, with no write between them.
func stands(was, is annotation.Status, s *timewindow.Schedule) bool {
	if s == nil || !was.Until.Equal(is.Until) || !ptr.Equal(was.Size, is.Size) || !ptr.Equal(was.Normal, is.Normal) ||
		!ptr.Equal(was.Max, is.Max) || !ptr.Equal(was.NormalMax, is.NormalMax) {
		return false
	}
	return slices.ContainsFunc(s.Rules(), func(r timewindow.Rule) bool { return r.Text() == was.Rule })
}
