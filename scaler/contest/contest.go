// Package contest decides how soon something may be written again that somebody else keeps undoing, be it a size or a
// note. Two writers that disagree must not spin. It is pure: the time comes in as an argument.
package contest

import "time"

// How corrections slow down.
const (
	Free       = 4                // corrections within Hour that are made at once
	FirstWait  = 10 * time.Second // before the next one; then it doubles
	LongWait   = 5 * time.Minute  // the longest that it doubles to
	MostAnHour = 12               // corrections within Hour
	Hour       = time.Hour
	Quiet      = 10 * time.Minute // without a correction, and the contest is over
)

// History is what was written lately to one workload. The zero History is nothing.
type History[T comparable] struct {
	what        T
	known       bool        // what was written
	corrections []time.Time // later writes of the same, within Hour
}

// Resume is the history of a workload on which something was contested when nobody remembers any more what was written
// when, as after a restart.
func Resume[T comparable](what T, now time.Time) History[T] {
	h := History[T]{what: what, known: true}
	for range Free {
		h.corrections = append(h.corrections, now)
	}
	return h
}

// Wrote returns the history after something was written. To write the same again is a correction; anything else, as at
// the start or end of a window, begins anew.
func (h History[T]) Wrote(what T, now time.Time) History[T] {
	if !h.Of(what) {
		return History[T]{what: what, known: true}
	}
	return History[T]{what, true, append(h.within(now), now)}
}

// Of reports whether that is what was written last.
func (h History[T]) Of(what T) bool { return h.known && h.what == what }

// Wait is how long something must not be written yet.
func (h History[T]) Wait(what T, now time.Time) time.Duration {
	past := h.within(now)
	n := len(past)
	if !h.Of(what) || n < Free {
		return 0
	}
	wait := FirstWait
	for i := Free; i < n && wait < LongWait; i++ {
		wait *= 2
	}
	at := past[n-1].Add(min(wait, LongWait))
	if n >= MostAnHour {
		if room := past[n-MostAnHour].Add(Hour); room.After(at) {
			at = room
		}
	}
	return max(0, at.Sub(now))
}

// Contested reports whether it is being fought over, and until when it counts as such if nothing more happens.
func (h History[T]) Contested(now time.Time) (until time.Time, contested bool) {
	past := h.within(now)
	if len(past) < Free {
		return time.Time{}, false
	}
	until = past[len(past)-1].Add(Quiet)
	return until, now.Before(until)
}

// within is the corrections of the last Hour, in a slice of its own.
func (h History[T]) within(now time.Time) []time.Time {
	var recent []time.Time
	for _, t := range h.corrections {
		if now.Sub(t) < Hour {
			recent = append(recent, t)
		}
	}
	return recent
}
