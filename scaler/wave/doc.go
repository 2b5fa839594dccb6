// Package wave says whose turn it is to wake. Workloads that the clock wakes come in waves, lower first, and no more of
// them than the limits allow are on their way at once. It is pure: what was found and the time come in as arguments.
//
// A [Table] holds what was found at the last look at each workload. Nothing in it needs to be kept: whoever looks at every
// workload once, as a new leader does, has the same table.
package wave

import "time"

// Limits are how fast workloads may be woken. The zero Limits let all that are in no wave go at once.
type Limits struct {
	Concurrency int           // how many may be on their way at once; 0: any number
	PerMinute   int           // how many may be woken in a minute, evenly; 0: any number
	Timeout     time.Duration // how long one counts as on its way, and so holds others up
}

// Any reports whether there is a limit for workloads in no wave.
func (l Limits) Any() bool { return l.Concurrency > 0 || l.PerMinute > 0 }

// interval is the least time between two wakes.
func (l Limits) interval() time.Duration {
	if l.PerMinute == 0 {
		return 0
	}
	return time.Minute / time.Duration(l.PerMinute)
}

// Sight is what a look at a workload found.
type Sight struct {
	Wave    *int32    // nil: it waits for no wave, and no wave for it
	Due     bool      // it is to be woken, when its turn comes
	Since   time.Time // since when that is so; zero: not known
	Next    time.Time // when it may be to be woken though nothing has changed; zero: never
	Woken   time.Time // when it was given its size, which is above 0; zero: not by Curfew
	Up      bool      // it has what it asks for
	Version string    // of the object that was looked at; "": not known
}

// Turn is what a look means for a workload.
type Turn struct {
	Go     bool      // it may be woken now, or needs no turn
	Waited bool      // it has been looked at before and had to wait
	Since  time.Time // since when it is to be woken
	Late   bool      // it was woken and did not come up in time, which has not been told yet
}

// Call is a workload that should be looked at though nothing about it has changed.
type Call[K comparable] struct {
	Key   K
	Since time.Time // since when it is to be woken; zero: it is not
}
