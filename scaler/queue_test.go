package scaler

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	"curfew/scaler/kind"
)

func queueKey(name string) kind.Key { return keyOf("shop", name) }

func keyOf(namespace, name string) kind.Key {
	return kind.Key{Kind: kind.Deployment, ObjectName: cache.NewObjectName(namespace, name)}
}

// TestQueueOrder: what is due comes first, in its order, and the rest as it came.
func TestQueueOrder(t *testing.T) {
	at := func(seconds int) time.Time {
		return time.Date(2026, 6, 5, 20, 0, 0, 0, time.UTC).Add(time.Duration(seconds) * time.Second)
	}
	for name, c := range map[string]struct {
		turns map[string]turn
		add   []string
		then  []string // added again when it is a minute later
		want  []string
	}{
		"nothing is due":                {add: []string{"b", "a", "c"}, want: []string{"b", "a", "c"}},
		"a boundary before resyncs":     {turns: map[string]turn{"c": {at(0), 0}}, add: []string{"a", "b", "c"}, want: []string{"c", "a", "b"}},
		"one to come is none":           {turns: map[string]turn{"c": {at(1), 0}}, add: []string{"a", "c", "b"}, want: []string{"a", "c", "b"}},
		"the earlier boundary":          {turns: map[string]turn{"a": {at(0), 0}, "b": {at(-1), 9}}, add: []string{"a", "b"}, want: []string{"b", "a"}},
		"the lower rank":                {turns: map[string]turn{"a": {at(0), 1}, "b": {at(0), -2}}, add: []string{"a", "b"}, want: []string{"b", "a"}},
		"of one rank as they came":      {turns: map[string]turn{"a": {at(0), 1}, "b": {at(0), 1}}, add: []string{"b", "a"}, want: []string{"b", "a"}},
		"its turn comes while it waits": {turns: map[string]turn{"c": {at(60), 0}}, add: []string{"a", "b", "c"}, then: []string{"c"}, want: []string{"c", "a", "b"}},
		"added twice is there once":     {add: []string{"a", "b", "a"}, want: []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			clk := clocktesting.NewFakeClock(at(0))
			q := newQueue(clk)
			defer q.ShutDown()
			for key, turn := range c.turns {
				q.agenda.set(queueKey(key), turn)
			}
			for _, key := range c.add {
				q.Add(queueKey(key))
			}
			clk.SetTime(at(60))
			for _, key := range c.then {
				q.Add(queueKey(key))
			}
			var got []string
			for range c.want {
				key, _ := q.Get()
				q.Done(key)
				got = append(got, key.Name)
			}
			if !slices.Equal(got, c.want) || q.Len() != 0 {
				t.Errorf("%v, and %d more", got, q.Len())
			}
		})
	}
}

// TestQueueLosesNothing: every key that was put in comes out once, and always the first of those that are in.
func TestQueueLosesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2026, 6, 5, 20, 0, 0, 0, time.UTC)
	clk := clocktesting.NewFakeClock(start)
	k := newKeys(newAgenda(clk))
	in := map[kind.Key]bool{}
	for step := range 20_000 {
		key := queueKey(fmt.Sprint(random.IntN(200)))
		switch random.IntN(4) {
		case 0:
			k.agenda.set(key, turn{start.Add(time.Duration(random.IntN(20_000)) * time.Second), random.Int32N(3)})
		case 1:
			clk.SetTime(start.Add(time.Duration(step) * time.Second))
		case 2:
			if in[key] {
				k.Touch(key)
			} else {
				k.Push(key)
				in[key] = true
			}
		default:
			if k.Len() == 0 {
				continue
			}
			first := slices.MinFunc(slices.Collect(maps.Values(k.index)), func(a, b *waitingKey) int {
				if a.before(b) {
					return -1
				}
				return 1
			})
			if got := k.Pop(); got != first.key || !in[got] {
				t.Fatalf("step %d: %v came out before %v", step, got, first.key)
			} else {
				delete(in, got)
			}
		}
		due := 0
		for _, w := range k.index {
			if w.due {
				due++
			}
		}
		if int(k.due.Load()) != due {
			t.Fatalf("step %d: %d are due, not %d", step, due, k.due.Load())
		}
		if k.Len() != len(in) || len(k.index) != len(in) {
			t.Fatalf("step %d: %d keys, %d known, %d are in", step, k.Len(), len(k.index), len(in))
		}
	}
}

// TestQueueIsFair: whatever one namespace has in the queue, however much of it is due, and however often it comes again,
// another one's key does not wait for more of it than takes a few allowances. Of each namespace the order is its own.
func TestQueueIsFair(t *testing.T) {
	start := time.Date(2026, 6, 5, 20, 0, 0, 0, time.UTC)
	k := newKeys(newAgenda(clocktesting.NewFakeClock(start.Add(time.Hour))))
	key := func(namespace string, i int) kind.Key {
		return keyOf(namespace, fmt.Sprintf("%05d", i))
	}
	for i := range 1000 {
		k.agenda.set(key("greedy", i), turn{start.Add(time.Duration(i) * time.Second), 0})
		k.Push(key("greedy", i))
	}
	again, last := 1000, -1
	pop := func() kind.Key {
		got := k.Pop()
		if got.Namespace == "greedy" {
			k.costs.add("greedy", allowance/4)
			k.agenda.set(key("greedy", again), turn{start.Add(time.Duration(again) * time.Second), 0})
			k.Push(key("greedy", again))
			again++
			if i, _ := strconv.Atoi(got.Name); i <= last {
				t.Fatalf("%v comes after %d", got, last)
			} else {
				last = i
			}
		}
		return got
	}
	for i := range 100 {
		modest := fmt.Sprint("modest-", i%3)
		k.Push(key(modest, i))
		waited := 0
		for pop() != key(modest, i) {
			waited++
		}
		if waited > 8 {
			t.Errorf("a key that is not due waits for %d others", waited)
		}
	}
}

// TestQueueOrderOverNamespaces: as long as nobody takes much more than others, what is due comes first and in its order,
// whosever it is.
func TestQueueOrderOverNamespaces(t *testing.T) {
	start := time.Date(2026, 6, 5, 20, 0, 0, 0, time.UTC)
	k := newKeys(newAgenda(clocktesting.NewFakeClock(start)))
	const namespaces, each = 20, 30
	key := func(i int) kind.Key {
		return keyOf(fmt.Sprint("team-", i%namespaces), fmt.Sprint(i))
	}
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(namespaces * each) {
		if i%3 > 0 { // the others are not due
			k.agenda.set(key(i), turn{start, int32(-i % 7)})
		}
		k.Push(key(i))
	}
	last := int32(-7)
	for n := range namespaces * each {
		got := k.Pop()
		k.costs.add(got.Namespace, 10*time.Microsecond)
		i, _ := strconv.Atoi(got.Name)
		if due := i%3 > 0; due != (n < namespaces*each*2/3) {
			t.Fatalf("%v comes as number %d", got, n)
		} else if rank := int32(-i % 7); due && rank < last {
			t.Fatalf("%v of rank %d comes after rank %d", got, rank, last)
		} else if due {
			last = rank
		}
	}
}
