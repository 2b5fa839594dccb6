// Package contest decides how soon a size may be written again that somebody else keeps undoing. Two writers that
// disagree must not spin. It is pure: the time comes in as an argument.
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
type History struct {
	size        int32
	known       bool        // size was written
	corrections []time.Time // later writes of the same size, within Hour
}

// Resume is the history of a workload that was contested at a size when nobody remembers any more what was written when,
// as after a restart.
func Resume(size int32, now time.Time) History {
	h := History{size: size, known: true}
	for range Free {
		h.corrections = append(h.corrections, now)
	}
	return h
}

// Wrote returns the history after a size was written. Writing the size that was written before is a correction; another
// size, as at the start or end of a window, begins anew.
func (h History) Wrote(size int32, now time.Time) History {
	if !h.Of(size) {
		return History{size: size, known: true}
	}
	return History{size, true, append(h.within(now), now)}
}

// Of reports whether the size is the one that was written last.
func (h History) Of(size int32) bool { return h.known && h.size == size }

// Wait is how long a size must not be written yet.
func (h History) Wait(size int32, now time.Time) time.Duration {
	past := h.within(now)
	n := len(past)
	if !h.Of(size) || n < Free {
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

// Contested reports whether the size is being fought over, and until when it counts as such if nothing more happens.
func (h History) Contested(now time.Time) (until time.Time, contested bool) {
	past := h.within(now)
	if len(past) < Free {
		return time.Time{}, false
	}
	until = past[len(past)-1].Add(Quiet)
	return until, now.Before(until)
}

// within is the corrections of the last Hour, in a slice of its own.
func (h History) within(now time.Time) []time.Time {
	var recent []time.Time
	for _, t := range h.corrections {
		if now.Sub(t) < Hour {
			recent = append(recent, t)
		}
	}
	return recent
}
