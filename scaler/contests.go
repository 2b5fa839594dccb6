package scaler

import (
	"hash/maphash"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"curfew/scaler/annotation"
	"curfew/scaler/contest"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// contests remembers what is fought over on which workload. It is lost with the process; that a size was contested is
// found again in the status.
type contests struct {
	mu   sync.Mutex
	over map[kind.Key]contested
}

// contested is what was written lately to one workload.
type contested struct {
	uid  types.UID // another one of the same name begins anew
	size contest.History[bounds]
	note contest.History[uint64] // the status, and what goes with it, as noteOf has it
}

// bounds is a size and the maximum that goes with it, 0 where there is none.
type bounds struct{ size, most int32 }

// has is what a workload has.
func (l *look) has() bounds {
	b := bounds{size: l.workload.Size}
	if c := l.workload.Ceiling; c != nil {
		b.most = c.Max
	}
	return b
}

// wants is what a workload is to have.
func (l *look) wants() bounds {
	b := l.has()
	if size := l.decision.Size; size != nil {
		b.size = *size
	}
	if most := l.decision.Max; most != nil {
		b.most = *most
	}
	return b
}

// noteOf stands for a status, whose text would be in the memory once more for every workload.
func noteOf(d decide.Decision) uint64 { return maphash.String(noteSeed, d.Status.String()) }

var noteSeed = maphash.MakeSeed()

// judge says how long the size that was decided on must not be written yet, and where it is contested marks the
// decision so.
func (c *contests) judge(l *look) time.Duration {
	if l.decision.Size == nil && l.decision.Max == nil {
		return 0
	}
	wants := l.wants()
	past, known := c.get(*l)
	was := l.workload.Status
	if !known && was.State == annotation.StateContested && was.Size != nil {
		past.size = contest.Resume(bounds{*was.Size, wants.most}, l.now)
		c.set(l.key, past)
	}
	history := past.size
	if wants != l.has() {
		if wait := history.Wait(wants, l.now); wait > 0 {
			return wait
		}
		history = history.Wrote(wants, l.now) // as it will be
	}
	if until, contested := history.Contested(l.now); contested && history.Of(wants) {
		by := l.workload.Writer
		if c := l.workload.Ceiling; c != nil && by.Curfew {
			by = c.Writer // of two that are held, the one that somebody else has changed
		}
		l.decision = l.decision.Contested(by, was, until, l.key.Kind.Path()...)
	}
	return 0
}

// judgeNote says how long a change of annotations alone must not be written yet, because somebody keeps undoing it.
func (c *contests) judgeNote(l look) time.Duration {
	if l.change.Resizes() || l.change.Empty() {
		return 0
	}
	past, _ := c.get(l)
	return past.note.Wait(noteOf(l.decision), l.now)
}

// wrote notes what was written.
func (c *contests) wrote(l look) {
	past, _ := c.get(l)
	if l.change.Resizes() {
		past.size = past.size.Wrote(l.wants(), l.now)
	}
	if len(l.change.Annotations) > 0 {
		past.note = past.note.Wrote(noteOf(l.decision), l.now)
	}
	c.set(l.key, past)
}

func (c *contests) get(l look) (contested, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	past, known := c.over[l.key]
	if past.uid != l.object.UID {
		return contested{uid: l.object.UID}, false
	}
	return past, known
}

func (c *contests) set(key kind.Key, past contested) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over == nil {
		c.over = map[kind.Key]contested{}
	}
	c.over[key] = past
}

func (c *contests) forget(key kind.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.over, key)
}
