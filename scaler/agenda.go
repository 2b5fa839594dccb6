package scaler

import (
	"cmp"
	"container/heap"
	"context"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
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

	mu     sync.Mutex
	turns  map[cache.ObjectName]*entry
	heap   entries       // those that have not come yet
	sooner chan struct{} // has a token when the first one comes sooner than was thought
}

// entry is a key's turn.
type entry struct {
	turn
	key   cache.ObjectName
	place int // in the heap; -1 when it has come
}

func newAgenda(clk clock.WithTicker) *agenda {
	return &agenda{clock: clk, turns: map[cache.ObjectName]*entry{}, sooner: make(chan struct{}, 1)}
}

// set gives a key another turn, or none if that is at no time.
func (a *agenda) set(key cache.ObjectName, t turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.turns[key]
	switch {
	case t.at.IsZero():
		if e != nil && e.place >= 0 {
			heap.Remove(&a.heap, e.place)
		}
		delete(a.turns, key)
		return
	case e == nil:
		e = &entry{turn: t, key: key}
		a.turns[key] = e
		heap.Push(&a.heap, e)
	case e.place < 0:
		e.turn = t
		heap.Push(&a.heap, e)
	default:
		e.turn = t
		heap.Fix(&a.heap, e.place)
	}
	if e.place == 0 {
		a.wake()
	}
}

// due returns a key's turn if it has come.
func (a *agenda) due(key cache.ObjectName) (turn, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.turns[key]
	if e == nil || e.at.After(a.clock.Now()) {
		return turn{}, false
	}
	return e.turn, true
}

// wake has the first turn looked at again. It is to be called when the wall clock has stepped, for timers do not see that.
func (a *agenda) wake() {
	select {
	case a.sooner <- struct{}{}:
	default:
	}
}

// run adds each key when its turn comes, in their order, until the context ends.
func (a *agenda) run(ctx context.Context, add func(cache.ObjectName)) {
	for {
		keys, wait, some := a.take()
		for _, key := range keys {
			add(key)
		}
		var timer clock.Timer
		var next <-chan time.Time
		if some {
			timer = a.clock.NewTimer(wait)
			next = timer.C()
		}
		select {
		case <-ctx.Done():
		case <-a.sooner:
		case <-next:
		}
		if timer != nil {
			timer.Stop()
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// take returns the keys whose turn has come since it was last called, and how long it is until the next one, if there is
// any.
func (a *agenda) take() (keys []cache.ObjectName, wait time.Duration, some bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	for len(a.heap) > 0 {
		if first := a.heap[0]; first.at.After(now) {
			return keys, first.at.Sub(now), true
		}
		keys = append(keys, heap.Pop(&a.heap).(*entry).key)
	}
	return keys, 0, false
}

// entries implements heap.Interface.
type entries []*entry

func (e entries) Len() int { return len(e) }

func (e entries) Less(i, j int) bool {
	// By key in the end, so that it is the same each time.
	return cmp.Or(e[i].compare(e[j].turn), strings.Compare(e[i].key.Namespace, e[j].key.Namespace), strings.Compare(e[i].key.Name, e[j].key.Name)) < 0
}

func (e entries) Swap(i, j int) {
	e[i], e[j] = e[j], e[i]
	e[i].place, e[j].place = i, j
}

func (e *entries) Push(x any) {
	added := x.(*entry)
	added.place = len(*e)
	*e = append(*e, added)
}

func (e *entries) Pop() any {
	last := len(*e) - 1
	first := (*e)[last]
	(*e)[last] = nil
	*e = (*e)[:last]
	first.place = -1
	return first
}
