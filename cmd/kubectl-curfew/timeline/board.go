package timeline

import (
	"reflect"
	"sync"
	"time"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// board holds the subjects as they were seen last, and lets others wait for the next time.
type board struct {
	mu       sync.Mutex
	subjects []live.Subject
	facts    []fact
	trouble  string        // why they may be old; "" if they are not
	changed  chan struct{} // closed when they change
	first    chan struct{} // closed when there are any to see
}

func newBoard() *board {
	return &board{changed: make(chan struct{}), first: make(chan struct{})}
}

// fact is what a page shows of a subject. Of a workload most of what changes is nothing to it, such as how many Pods
// are ready.
type fact struct {
	key       kind.Key
	concerned bool
	zone      string
	workload  decide.Workload
}

// put replaces the subjects and wakes who waits, if that makes a difference.
func (b *board) put(subjects []live.Subject) {
	facts := make([]fact, len(subjects))
	for i, s := range subjects {
		facts[i] = fact{s.Key(), s.Concerned(), s.Zone.String(), s.Workload}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.first:
		if reflect.DeepEqual(facts, b.facts) {
			return
		}
	default:
		close(b.first)
	}
	b.subjects, b.facts = subjects, facts
	b.wake()
}

// warn says why the subjects may be old; "" if they are not.
func (b *board) warn(trouble string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if trouble != b.trouble {
		b.trouble = trouble
		b.wake()
	}
}

func (b *board) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// look returns what there is to see, and what is closed when that is something else.
func (b *board) look() (subjects []live.Subject, trouble string, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.subjects, b.trouble, b.changed
}

// pause is how long a page is left alone between two updates.
const pause = 500 * time.Millisecond
