package wave

import (
	"slices"
	"time"

	"curfew/scaler/ordered"
)

// forgotten is how long after its time somebody is still told that a workload did not come up.
const forgotten = 10 * time.Minute

// Table is what is known of all workloads for which waves or limits mean anything. It is for one goroutine at a time.
type Table[K comparable] struct {
	limits  Limits
	compare func(x, y K) int

	entries   map[K]*entry[K]
	orders    [orders]ordered.Heap[*entry[K]]
	waves     []int32       // that there ever were, in order
	holding   map[int32]int // entries that hold up the waves above
	moving    int           // entries on their way
	unsettled int           // entries in a wave of which it is not known whether they are to be woken

	started bool      // every workload has been looked at
	pending *entry[K] // whoever was given a turn last, where there is a rate, until it has written
	last    time.Time // when somebody was woken last, where there is a rate
	pace    time.Time // when the next one may be, while somebody waits for nothing else

	calls    []Call[K]
	timeouts int
}

// New makes a table. Until [Table.Start] nobody's turn comes. compare says who comes first of those that are equal otherwise.
func New[K comparable](limits Limits, compare func(x, y K) int) *Table[K] {
	t := &Table[K]{limits: limits, compare: compare, entries: map[K]*entry[K]{}, holding: map[int32]int{}}
	byStart := func(x, y *entry[K]) bool { return x.started.Before(y.started) }
	byNext := func(x, y *entry[K]) bool { return x.next.Before(y.next) }
	for id, less := range [orders]func(x, y *entry[K]) bool{t.before, t.before, t.before, t.before, byStart, byNext, byNext} {
		t.orders[id] = ordered.New(less, func(e *entry[K]) *int { return &e.spots[id] })
	}
	return t
}

// Start says that every workload has been looked at, so that turns can be given.
func (t *Table[K]) Start(now time.Time) {
	t.started = true
	t.Advance(now)
}

// Look takes in what was found of a workload, and says what that means for it.
func (t *Table[K]) Look(key K, s Sight, now time.Time) Turn {
	e := t.entries[key]
	if s.Wave == nil && !t.limits.Any() {
		t.Forget(key, now)
		return Turn{Go: true}
	}
	if e == nil {
		e = &entry[K]{key: key, wave: inNone}
		t.entries[key] = e
	}
	t.advance(now)
	t.take(e, s, now)
	t.settle(e)
	t.dispatch(e, now)
	old := e.base != "" && e.base == s.Version // to write over it is a conflict, and then there is another look
	turn := Turn{Go: !s.Due || e.permit || old, Waited: e.waited, Since: e.since}
	if !turn.Go {
		e.waited = true
	}
	if t.started && e.woken && e.expired && !e.told {
		e.told, turn.Late = true, now.Sub(e.started) < t.limits.Timeout+forgotten
	}
	if e.wave == inNone && !e.due && !e.taken && !e.woken { // nothing to remember
		t.drop(e)
	}
	return turn
}

// take puts what was found into an entry.
func (t *Table[K]) take(e *entry[K], s Sight, now time.Time) {
	e.next, e.overdue, e.lapsed = s.Next, false, false
	if e.base != "" && e.base == s.Version { // from before the write
		return
	}
	e.base = ""
	e.wave = inNone
	if s.Wave != nil {
		e.wave = *s.Wave
	}
	if s.Due && !e.due {
		e.due, e.since, e.waited = true, now, false
		if !s.Since.IsZero() && s.Since.Before(now) {
			e.since = s.Since
		}
	}
	e.parked = false
	if !s.Due {
		e.due, e.permit, e.taken, e.passed, e.waited = false, false, false, false, false
		t.notPending(e)
	}
	switch woken := !s.Woken.IsZero() && !s.Up; {
	case !woken:
		e.woken = false
	case !e.woken:
		e.woken = true
		if !e.taken {
			e.started, e.told = s.Woken, false
			if e.started.After(now) {
				e.started = now
			}
			e.expired = !now.Before(e.started.Add(t.limits.Timeout))
		}
	}
	if !t.started && t.limits.PerMinute > 0 && !s.Woken.IsZero() {
		at := s.Woken.Add(time.Second) // the API server notes whole seconds
		if limit := now.Add(time.Second); at.After(limit) {
			at = limit
		}
		if at.After(t.last) {
			t.last = at
		}
	}
}

// Wrote says that a workload was given more replicas, in place of that version of it.
func (t *Table[K]) Wrote(key K, version string, now time.Time) {
	e := t.entries[key]
	if e == nil {
		if !t.limits.Any() {
			return
		}
		e = &entry[K]{key: key, wave: inNone}
		t.entries[key] = e
	}
	if t.pending == e {
		t.pending, t.last = nil, now
	}
	e.due, e.permit, e.taken, e.passed, e.waited, e.parked = false, false, false, false, false, false
	e.woken, e.started, e.expired, e.told, e.base = true, now, false, false, version
	t.settle(e)
	t.Advance(now)
}

// Failed says that a workload could not be written. It counts as on its way all the same, for nobody knows.
func (t *Table[K]) Failed(key K, now time.Time) {
	e := t.entries[key]
	if e == nil || !e.due {
		return
	}
	if t.pending == e {
		t.pending, t.last = nil, now
	}
	e.parked = true
	if t.limits.PerMinute > 0 {
		e.permit = false // the next try is a wake like any other
	}
	t.settle(e)
	t.Advance(now)
}

// Forget says that there is nothing to do for a workload any more.
func (t *Table[K]) Forget(key K, now time.Time) {
	if e := t.entries[key]; e != nil {
		t.drop(e)
		t.Advance(now)
	}
}

// Advance lets time pass.
func (t *Table[K]) Advance(now time.Time) {
	t.advance(now)
	t.dispatch(nil, now)
}

// Take returns the workloads to look at, once.
func (t *Table[K]) Take() []Call[K] {
	calls := t.calls
	t.calls = nil
	return calls
}

// Again is when time alone changes something; zero if never.
func (t *Table[K]) Again() time.Time {
	var again time.Time
	sooner := func(at time.Time) {
		if again.IsZero() || at.Before(again) {
			again = at
		}
	}
	if e := t.orders[ending].First(); e != nil {
		sooner(e.started.Add(t.limits.Timeout))
	}
	for id := range lines {
		if t.orders[id].First() == nil {
			continue
		}
		if e := t.orders[missing].First(); e != nil {
			sooner(e.next.Add(t.limits.Timeout))
		}
		if !t.pace.IsZero() {
			sooner(t.pace)
		}
		break
	}
	return again
}

// Moving is how many are on their way.
func (t *Table[K]) Moving() int { return t.moving }

// Timeouts is how many did not come up in time, since ever.
func (t *Table[K]) Timeouts() int { return t.timeouts }

// Len is how many workloads it knows.
func (t *Table[K]) Len() int { return len(t.entries) }

// Waking reports whether it waits for a workload to be up.
func (t *Table[K]) Waking(key K) bool {
	e := t.entries[key]
	return e != nil && (e.taken || e.woken)
}

// advance notes what has become so by time alone.
func (t *Table[K]) advance(now time.Time) {
	over := func(id int, extra time.Duration, at func(*entry[K]) time.Time) *entry[K] {
		if e := t.orders[id].First(); e != nil && !now.Before(at(e).Add(extra)) {
			return e
		}
		return nil
	}
	started := func(e *entry[K]) time.Time { return e.started }
	next := func(e *entry[K]) time.Time { return e.next }
	for e := over(ending, t.limits.Timeout, started); e != nil; e = over(ending, t.limits.Timeout, started) {
		t.expire(e)
	}
	for e := over(coming, 0, next); e != nil; e = over(coming, 0, next) {
		e.overdue = true
		t.settle(e)
	}
	for e := over(missing, t.limits.Timeout, next); e != nil; e = over(missing, t.limits.Timeout, next) {
		e.lapsed = true
		t.settle(e)
	}
}

// expire says that an entry has had its time.
func (t *Table[K]) expire(e *entry[K]) {
	if e.woken || !e.passed {
		t.timeouts++
	}
	if e.woken {
		e.expired = true
		t.calls = append(t.calls, Call[K]{Key: e.key}) // to be told
	}
	if e.taken {
		e.taken, e.permit, e.passed = false, false, true
		t.notPending(e)
	}
	t.settle(e)
}

func (t *Table[K]) notPending(e *entry[K]) {
	if t.pending == e {
		t.pending = nil
	}
}

// dispatch gives turns to all whose turn it is. All but the one that asks are called.
func (t *Table[K]) dispatch(asks *entry[K], now time.Time) {
	t.pace = time.Time{}
	if !t.started {
		return
	}
	for e := t.candidate(); e != nil; e = t.candidate() {
		if n := t.limits.Concurrency; n > 0 && t.moving >= n && !e.isMoving() {
			return
		}
		if t.limits.PerMinute > 0 {
			if t.pending != nil {
				return
			}
			if at := t.last.Add(t.limits.interval()); now.Before(at) {
				t.pace = at
				return
			}
			t.pending = e
		}
		e.permit = true
		if !e.taken {
			e.taken, e.started, e.expired, e.told = true, now, false, false
		}
		t.settle(e)
		if e != asks {
			t.calls = append(t.calls, Call[K]{e.key, e.since})
		}
	}
}

// candidate is whose turn it is, if there is room.
func (t *Table[K]) candidate() *entry[K] {
	lowest := t.lowest()
	for id := range lines {
		e := t.orders[id].First()
		switch {
		case e == nil:
		case e.wave != inNone && e.wave <= lowest:
			return e
		case e.wave == inNone && (t.unsettled == 0 || !t.limits.Any()):
			return e
		}
	}
	return nil
}

// lowest is the lowest wave that holds others up, or inNone.
func (t *Table[K]) lowest() int32 {
	for _, wave := range t.waves {
		if t.holding[wave] > 0 {
			return wave
		}
	}
	return inNone
}

// settle counts an entry as what it has become, and puts it where it belongs.
func (t *Table[K]) settle(e *entry[K]) {
	t.count(e, -1)
	e.counted = counted{moving: e.isMoving(), holding: e.isHolding(), unsettled: e.isIn(missing) && e.wave != inNone, wave: e.wave}
	t.count(e, 1)
	for id := range t.orders {
		if e.isIn(id) {
			t.orders[id].Put(e)
		} else {
			t.orders[id].Remove(e)
		}
	}
}

// drop forgets an entry.
func (t *Table[K]) drop(e *entry[K]) {
	t.notPending(e)
	t.count(e, -1)
	for id := range t.orders {
		t.orders[id].Remove(e)
	}
	delete(t.entries, e.key)
}

func (t *Table[K]) count(e *entry[K], by int) {
	if e.counted.moving {
		t.moving += by
	}
	if e.counted.unsettled {
		t.unsettled += by
	}
	if e.counted.holding {
		if at, known := slices.BinarySearch(t.waves, e.counted.wave); !known {
			t.waves = slices.Insert(t.waves, at, e.counted.wave)
		}
		t.holding[e.counted.wave] += by
	}
}
