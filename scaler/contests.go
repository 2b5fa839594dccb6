package scaler

import (
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"

	"curfew/scaler/annotation"
	"curfew/scaler/contest"
)

// contests remembers who fights over which workload. It is lost with the process, and found again in the status.
type contests struct {
	mu        sync.Mutex
	histories map[cache.ObjectName]contest.History
}

// judge says how long the size that was decided on must not be written yet, and where it is contested marks the
// decision so.
func (c *contests) judge(l *look) time.Duration {
	size := l.decision.Size
	if size == nil {
		return 0
	}
	c.mu.Lock()
	history, known := c.histories[l.key]
	c.mu.Unlock()
	was := l.workload.Status
	if !known && was.State == annotation.StateContested && was.Size != nil {
		history = contest.Resume(*was.Size, l.now)
		c.set(l.key, history)
	}
	if *size != l.workload.Size {
		if wait := history.Wait(*size, l.now); wait > 0 {
			return wait
		}
		history = history.Wrote(*size, l.now) // as it will be
	}
	if until, contested := history.Contested(l.now); contested && history.Of(*size) {
		l.decision = l.decision.Contested(l.workload.Writer, was, until)
	}
	return 0
}

// wrote notes that a size was written.
func (c *contests) wrote(l look) {
	if l.change.Size == nil {
		return
	}
	c.mu.Lock()
	history := c.histories[l.key]
	c.mu.Unlock()
	c.set(l.key, history.Wrote(*l.change.Size, l.now))
}

func (c *contests) set(key cache.ObjectName, history contest.History) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.histories == nil {
		c.histories = map[cache.ObjectName]contest.History{}
	}
	c.histories[key] = history
}

func (c *contests) forget(key cache.ObjectName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.histories, key)
}
