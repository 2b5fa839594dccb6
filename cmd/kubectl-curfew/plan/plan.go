// Package plan works out what rules mean over a stretch of time, and is the command that shows it.
package plan

import (
	"time"

	"curfew/timewindow"
)

// Plan is what a schedule asks for over a stretch of time.
type Plan struct {
	OptedOut   bool     `json:"optedOut,omitempty"` // there is no schedule, and that is meant
	SizeAtFrom string   `json:"sizeAtFrom"`
	Changes    []Change `json:"changes"` // never nil

	ruleAtFrom string
	complete   bool // there is no further change in that time
}

// Change is an instant at which the size becomes another.
type Change struct {
	At   time.Time `json:"at"`   // in UTC
	Size string    `json:"size"` // as a rule says it
	Rule string    `json:"rule"` // as its author wrote it; "" when none holds
}

// Make plans from one instant to another: the size at the first, and every change after it and before the second, up to
// so many. A nil schedule plans nothing.
func Make(s *timewindow.Schedule, from, to time.Time, most int) Plan {
	p := Plan{OptedOut: s == nil, SizeAtFrom: timewindow.Normal.String(), Changes: []Change{}, complete: true}
	if s == nil {
		return p
	}
	p.SizeAtFrom, p.ruleAtFrom = at(s, from)
	for t, ok := next(s, from, to); ok; t, ok = next(s, t, to) {
		if len(p.Changes) == most {
			p.complete = false
			break
		}
		size, rule := at(s, t)
		p.Changes = append(p.Changes, Change{t.UTC(), size, rule})
	}
	return p
}

// at is the size at an instant and the rule that says so, in words.
func at(s *timewindow.Schedule, t time.Time) (size, rule string) {
	state := s.At(t)
	if state.Rule >= 0 {
		rule = s.Rules()[state.Rule].Text()
	}
	return state.Size.String(), rule
}

// next is the first change after one instant and before another. Where rules of equal size take turns for very long, the
// schedule gives up looking; then it is asked again from the day after.
func next(s *timewindow.Schedule, after, before time.Time) (time.Time, bool) {
	for ; after.Before(before); after = after.Add(24 * time.Hour) {
		if t, ok := s.Next(after); ok {
			return t, t.Before(before)
		}
	}
	return time.Time{}, false
}
