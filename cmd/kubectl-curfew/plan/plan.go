// Package plan works out what rules mean over a stretch of time, and is the command that shows it.
package plan

import (
	"iter"
	"time"

	"curfew/scaler/decide"
	"curfew/timewindow"
)

// Plan is what is asked of a workload over a stretch of time.
type Plan struct {
	OptedOut   bool     `json:"optedOut,omitempty"` // there are no rules, and that is meant
	SizeAtFrom string   `json:"sizeAtFrom"`
	Changes    []Change `json:"changes"` // never nil

	ruleAtFrom string
	complete   bool // there is no further change in that time
}

// Change is an instant at which the size becomes another.
type Change struct {
	At   time.Time `json:"at"`   // in UTC
	Size string    `json:"size"` // as a rule says it
	Rule string    `json:"rule"` // as its author wrote it, or "override"; "" when none holds
}

// Make plans from one instant to another: the size at the first, and every change after it and before the second, up to
// so many.
func Make(w decide.Workload, from, to time.Time, most int) Plan {
	p := Plan{OptedOut: w.Spec.OptedOut, Changes: []Change{}, complete: true}
	for s := range stretches(w, from, to) {
		switch {
		case s.from.Equal(from):
			p.SizeAtFrom, p.ruleAtFrom = s.size.String(), s.rule
		case len(p.Changes) == most:
			p.complete = false
			return p
		default:
			p.Changes = append(p.Changes, Change{s.from.UTC(), s.size.String(), s.rule})
		}
	}
	return p
}

// stretch is the time from one change of size to the next.
type stretch struct {
	from, to time.Time // to is not included
	size     timewindow.Size
	rule     string // the one that holds when it begins
}

// stretches goes from one instant to another, from change to change.
func stretches(w decide.Workload, from, to time.Time) iter.Seq[stretch] {
	return func(yield func(stretch) bool) {
		for start := from; start.Before(to); {
			s := stretch{from: start, to: start}
			s.size, s.rule = at(w, start)
			for s.to.Before(to) {
				s.to = next(w, s.to, to)
				if size, _ := at(w, s.to); size != s.size {
					break
				}
			}
			if !yield(s) {
				return
			}
			start = s.to
		}
	}
}

// at is the size at an instant and what says so, in words.
func at(w decide.Workload, t time.Time) (size timewindow.Size, rule string) {
	for _, o := range w.Spec.Overrides {
		if t.Before(o.Until) {
			return o.Size, "override"
		}
	}
	state := w.Timetable().At(t)
	if state.Rule >= 0 {
		rule = w.Spec.Schedule.Rules()[state.Rule].Text()
	}
	return state.Size, rule
}

// next is an instant after one and at most the other, up to which the size stays what it is.
func next(w decide.Workload, after, most time.Time) time.Time {
	for _, o := range w.Spec.Overrides { // the nearest comes first, and as long as it runs nothing else counts
		if after.Before(o.Until) {
			return earlier(o.Until, most)
		}
	}
	return earlier(w.Timetable().Steady(after), most)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
