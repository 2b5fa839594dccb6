package scaler

import (
	"cmp"
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"curfew/scaler/kind"
	"curfew/scaler/ordered"
)

// turn is when a key is to be looked at though nothing has changed, and where it stands among those that are then.
type turn struct {
	at   time.Time
	rank int32
}

// compare says which of two turns comes first.
func (t turn) compare(other turn) int {
	return cmp.Or(t.at.Compare(other.at), cmp.Compare(t.rank, other.rank))
}

// agenda knows every key's turn: one for each key, with one timer for all of them.
type agenda struct {
	clock clock.WithTicker
	alarm alarm // rings when the first turn comes sooner than was thought, or the wall clock has stepped

	mu    sync.Mutex
	turns map[kind.Key]*entry
	ahead ordered.Heap[*entry] // those that have not come yet
}

// entry is a key's turn.
type entry struct {
	turn
	key   kind.Key
	place int // among those ahead; 0 when it has come
}

func newAgenda(clk clock.WithTicker) *agenda {
	return &agenda{
		clock: clk, alarm: newAlarm(), turns: map[kind.Key]*entry{},
		ahead: ordered.New(
			func(x, y *entry) bool { return cmp.Or(x.compare(y.turn), x.key.Compare(y.key)) < 0 },
			func(e *entry) *int { return &e.place }),
	}
}

// set gives a key another turn, or none if that is at no time.
func (a *agenda) set(key kind.Key, t turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.turns[key]
	if t.at.IsZero() {
		if e != nil {
			a.ahead.Remove(e)
			delete(a.turns, key)
		}
		return
	}
	if e == nil {
		e = &entry{key: key}
		a.turns[key] = e
	}
	e.turn = t
	if a.ahead.Put(e); a.ahead.First() == e {
		a.alarm.ring()
	}
}

// due returns a key's turn if it has come.
func (a *agenda) due(key kind.Key) (turn, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.turns[key]
	if e == nil || e.at.After(a.clock.Now()) {
		return turn{}, false
	}
	return e.turn, true
}

// run adds each key when its turn comes, in their order, until the context ends.
func (a *agenda) run(ctx context.Context, add func(kind.Key)) {
	for ctx.Err() == nil {
		keys, next := a.take()
		for _, key := range keys {
			add(key)
		}
		a.alarm.wait(ctx, a.clock, next)
	}
}

// take returns the keys whose turn has come since it was last called, and when the next one comes; zero if there is none.
func (a *agenda) take() (keys []kind.Key, next time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	for first := a.ahead.First(); first != nil; first = a.ahead.First() {
		if first.at.After(now) {
			return keys, first.at
		}
		keys = append(keys, a.ahead.Pop().key)
	}
	return keys, time.Time{}
}
