package scaler

import (
	"container/heap"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// How long a failed key waits before it is tried again: the first time, and at the most.
const (
	firstRetry = 5 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// queue is a workqueue that hands out boundaries that are due before everything else. At eight o'clock ten thousand keys
// are due at once, and each write comes back as an event that puts its key in again only to find nothing to do.
type queue struct {
	workqueue.TypedRateLimitingInterface[cache.ObjectName]
	agenda *agenda
}

func newQueue(clk clock.WithTicker) queue {
	const name = "curfew"
	turns := newAgenda(clk)
	byTurn := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[cache.ObjectName]{Name: name, Clock: clk, Queue: &keys{agenda: turns}})
	delaying := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[cache.ObjectName]{Name: name, Clock: clk, Queue: byTurn})
	return queue{
		TypedRateLimitingInterface: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](firstRetry, lastRetry),
			workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: name, Clock: clk, DelayingQueue: delaying}),
		agenda: turns,
	}
}

// AddAt adds a key at an instant of the wall clock instead of the one it was to be added at so far; never if that is
// zero. Of the keys that are due together, those of a lower rank come first. It takes [agenda.run] to be kept.
func (q queue) AddAt(key cache.ObjectName, at time.Time, rank int32) {
	q.agenda.set(key, turn{at, rank})
}

// keys are what is in the queue, in order. The queue has a lock around every call.
type keys struct {
	agenda *agenda
	heap   waiting
	index  map[cache.ObjectName]*waitingKey
	pushed uint64
}

// Push puts a key where its turn says.
func (k *keys) Push(key cache.ObjectName) {
	w := &waitingKey{key: key, arrived: k.pushed}
	w.turn, w.due = k.agenda.due(key)
	k.pushed++
	if k.index == nil {
		k.index = map[cache.ObjectName]*waitingKey{}
	}
	k.index[key] = w
	heap.Push(&k.heap, w)
}

// Touch moves a key forward that is in the queue already and whose turn has come meanwhile.
func (k *keys) Touch(key cache.ObjectName) {
	w := k.index[key]
	if w == nil || w.due {
		return
	}
	if w.turn, w.due = k.agenda.due(key); w.due {
		heap.Fix(&k.heap, w.place)
	}
}

// Len is how many keys there are.
func (k *keys) Len() int { return len(k.heap) }

// Pop takes the first key out.
func (k *keys) Pop() cache.ObjectName {
	w := heap.Pop(&k.heap).(*waitingKey)
	delete(k.index, w.key)
	return w.key
}

// waitingKey is a key in the queue.
type waitingKey struct {
	key     cache.ObjectName
	due     bool
	turn    turn
	arrived uint64
	place   int // in the heap
}

// before says which of two keys comes first: one whose turn has come, the earlier turn, the lower rank, and otherwise
// the one that has waited longer.
func (w *waitingKey) before(other *waitingKey) bool {
	switch {
	case w.due != other.due:
		return w.due
	case w.due && w.turn.compare(other.turn) != 0:
		return w.turn.compare(other.turn) < 0
	}
	return w.arrived < other.arrived
}

// waiting implements heap.Interface.
type waiting []*waitingKey

func (w waiting) Len() int           { return len(w) }
func (w waiting) Less(i, j int) bool { return w[i].before(w[j]) }

func (w waiting) Swap(i, j int) {
	w[i], w[j] = w[j], w[i]
	w[i].place, w[j].place = i, j
}

func (w *waiting) Push(x any) {
	k := x.(*waitingKey)
	k.place = len(*w)
	*w = append(*w, k)
}

func (w *waiting) Pop() any {
	last := len(*w) - 1
	k := (*w)[last]
	(*w)[last] = nil
	*w = (*w)[:last]
	return k
}
