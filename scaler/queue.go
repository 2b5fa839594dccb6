package scaler

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"

	"curfew/scaler/kind"
	"curfew/scaler/ordered"
)

// How long a failed key waits before it is tried again: the first time, and at the most.
const (
	firstRetry = 5 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// queue is a workqueue that hands out boundaries that are due before everything else. At eight o'clock ten thousand keys
// are due at once, and each write comes back as an event that puts its key in again only to find nothing to do.
type queue struct {
	workqueue.TypedRateLimitingInterface[kind.Key]
	agenda *agenda
	keys   *keys
}

func newQueue(clk clock.WithTicker) queue {
	const name = "curfew"
	waiting := newKeys(newAgenda(clk))
	byTurn := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[kind.Key]{Name: name, Clock: clk, Queue: waiting})
	delaying := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[kind.Key]{Name: name, Clock: clk, Queue: byTurn})
	return queue{
		TypedRateLimitingInterface: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.NewTypedItemExponentialFailureRateLimiter[kind.Key](firstRetry, lastRetry),
			workqueue.TypedRateLimitingQueueConfig[kind.Key]{Name: name, Clock: clk, DelayingQueue: delaying}),
		agenda: waiting.agenda,
		keys:   waiting,
	}
}

// AddAt adds a key at an instant of the wall clock instead of the one it was to be added at so far; never if that is
// zero. Of the keys that are due together, those of a lower rank come first. It takes [agenda.run] to be kept.
func (q queue) AddAt(key kind.Key, at time.Time, rank int32) {
	q.agenda.set(key, turn{at, rank})
}

// keys are what is in the queue, in order: what is due by its turn, then the rest as it came. But the rules of one tenant
// must not cost another one's boundary, so a namespace whose keys have taken much more computing than those of the others
// comes behind them. The queue has a lock around every call.
type keys struct {
	agenda *agenda
	costs  costs
	lanes  ordered.Heap[*lane]
	of     map[string]*lane
	index  map[kind.Key]*waitingKey
	due    atomic.Int64 // how many of them are due
	pushed uint64
	spent  time.Duration // by the lane that was served last
}

func newKeys(turns *agenda) *keys {
	return &keys{
		agenda: turns, of: map[string]*lane{}, index: map[kind.Key]*waitingKey{},
		lanes: ordered.New((*lane).before, func(l *lane) *int { return &l.place }),
	}
}

// lane is what waits of one namespace; there is none of which nothing does.
type lane struct {
	keys  ordered.Heap[*waitingKey]
	spent time.Duration // what its keys have taken since it has not been empty, counted on from what the others had taken
	place int           // among the lanes
}

// allowance is how much more computing one namespace may take than another before it comes behind: that of a thousand
// looks at common rules, and of a few at the worst that are accepted.
const allowance = 20 * time.Millisecond

// account is how often the lane has used up its allowance.
func (l *lane) account() time.Duration { return l.spent / allowance }

// before says which of two lanes is served first.
func (l *lane) before(other *lane) bool {
	if x, y := l.account(), other.account(); x != y {
		return x < y
	}
	return l.keys.First().before(other.keys.First())
}

// costs collects what looks at the objects of a namespace have taken, until the queue asks.
type costs struct {
	mu   sync.Mutex
	took map[string]time.Duration
}

func (c *costs) add(namespace string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.took == nil {
		c.took = map[string]time.Duration{}
	}
	c.took[namespace] += took
}

// take returns what was added since it was last called.
func (c *costs) take() map[string]time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	took := c.took
	c.took = nil
	return took
}

// charge brings the lanes up to date.
func (k *keys) charge() {
	for namespace, took := range k.costs.take() {
		if l := k.of[namespace]; l != nil {
			l.spent += took
			k.lanes.Put(l)
		}
	}
}

// Push puts a key where its turn says.
func (k *keys) Push(key kind.Key) {
	w := &waitingKey{key: key, arrived: k.pushed}
	if w.turn, w.due = k.agenda.due(key); w.due {
		k.due.Add(1)
	}
	k.pushed++
	k.index[key] = w
	l := k.of[key.Namespace]
	if l == nil {
		l = &lane{keys: ordered.New((*waitingKey).before, func(w *waitingKey) *int { return &w.place }), spent: k.spent}
		k.of[key.Namespace] = l
	}
	l.keys.Put(w)
	k.lanes.Put(l)
}

// Touch moves a key forward that is in the queue already and whose turn has come meanwhile.
func (k *keys) Touch(key kind.Key) {
	w := k.index[key]
	if w == nil || w.due {
		return
	}
	if w.turn, w.due = k.agenda.due(key); w.due {
		k.due.Add(1)
		l := k.of[key.Namespace]
		l.keys.Put(w)
		k.lanes.Put(l)
	}
}

// Len is how many keys there are.
func (k *keys) Len() int { return len(k.index) }

// Pop takes the first key out.
func (k *keys) Pop() kind.Key {
	k.charge()
	l := k.lanes.First()
	w := l.keys.Pop()
	delete(k.index, w.key)
	if w.due {
		k.due.Add(-1)
	}
	k.spent = l.spent
	if l.keys.Len() > 0 {
		k.lanes.Put(l)
	} else {
		k.lanes.Remove(l)
		delete(k.of, w.key.Namespace)
	}
	return w.key
}

// waitingKey is a key in the queue.
type waitingKey struct {
	key     kind.Key
	due     bool
	turn    turn
	arrived uint64
	place   int // in its lane
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
