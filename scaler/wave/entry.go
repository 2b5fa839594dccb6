package wave

import (
	"math"
	"time"
)

// inNone is the wave of a workload that is in none: behind all others.
const inNone = math.MaxInt32

// entry is what is known of one workload.
type entry[K comparable] struct {
	key  K
	wave int32

	// To be woken.
	due    bool
	since  time.Time // for so long
	permit bool      // and its turn has come
	waited bool      // and it has been told to wait
	parked bool      // but the write has failed, and whoever tries again looks again
	passed bool      // but it has had its time, so others do not wait for it and it is behind them

	// On its way.
	taken   bool      // its turn has come and nothing is to be seen of it yet
	woken   bool      // it has its size and is not up
	started time.Time // since
	expired bool      // for longer than it may take
	told    bool      // which was told
	base    string    // the version that was written over; until another one is seen, what is seen is old

	// To be looked at.
	next    time.Time
	overdue bool // then has come, and it has not been looked at
	lapsed  bool // for so long that nobody waits for that any more

	counted counted
	spots   [orders]int // where it is in each order, from 1; 0 if it is not
}

// counted is what an entry adds to the counts of the table.
type counted struct {
	moving, holding, unsettled bool
	wave                       int32
}

// heaps by which a table finds entries.
const (
	inWave     = iota // waiting for their turn, in a wave
	free              // waiting for their turn, in none
	passedWave        // the same of those that have had their time
	passedFree
	ending  // on their way, by when their time is over
	coming  // by when they are to be looked at
	missing // overdue, by when nobody waits any more
	orders  // how many there are
	lines   = ending
)

func (e *entry[K]) waiting() bool { return e.due && !e.permit && !e.parked }

// line is where the entry waits.
func (e *entry[K]) line() int {
	line := inWave
	if e.wave == inNone {
		line = free
	}
	if e.passed {
		line += passedWave
	}
	return line
}

// isMoving reports whether it counts as on its way.
func (e *entry[K]) isMoving() bool { return (e.taken || e.woken) && !e.expired }

// isHolding reports whether higher waves wait for it.
func (e *entry[K]) isHolding() bool {
	if e.wave == inNone {
		return false
	}
	return !e.passed && (e.due || e.isMoving()) || e.overdue && !e.lapsed
}

// isIn reports whether it belongs in an order.
func (e *entry[K]) isIn(order int) bool {
	switch order {
	case ending:
		return e.isMoving()
	case coming:
		return e.wave != inNone && !e.overdue && !e.next.IsZero()
	case missing:
		return e.overdue && !e.lapsed
	}
	return e.waiting() && e.line() == order
}

// before is the order of those that wait: lower waves, whoever has waited longer, and then by key.
func (t *Table[K]) before(x, y *entry[K]) bool {
	if x.wave != y.wave {
		return x.wave < y.wave
	}
	if !x.since.Equal(y.since) {
		return x.since.Before(y.since)
	}
	return t.compare(x.key, y.key) < 0
}
