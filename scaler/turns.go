package scaler

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/wave"
)

// quietWait is how long a workload may wait for its turn without a note on it: most wait for less, and a note is a write.
const quietWait = 2 * time.Second

// DefaultWaveTimeout is how long others wait for one that was woken, where nobody says otherwise.
const DefaultWaveTimeout = 5 * time.Minute

// turns keeps the table of whose turn it is to wake. Where there are neither waves nor limits it is empty, and costs
// nothing. The zero turns belong to a controller that does not run yet: everybody may go.
type turns struct {
	mu      sync.Mutex
	table   *wave.Table[kind.Key]
	limits  wave.Limits
	known   atomic.Int64 // workloads in the table
	alarm   alarm        // rings when time may change something sooner than was thought
	call    func(key kind.Key, since time.Time)
	metrics *Metrics
	told    int // timeouts that the metrics know of
}

// start makes the table. call is for those whose turn has come, or of whom there is something to tell.
func (t *turns) start(limits wave.Limits, metrics *Metrics, call func(kind.Key, time.Time)) {
	if limits.Timeout <= 0 {
		limits.Timeout = DefaultWaveTimeout
	}
	t.limits, t.metrics, t.call = limits, metrics, call
	t.alarm = newAlarm()
	t.table = wave.New(limits, kind.Key.Compare)
}

// with does something with the table and carries out what comes of it.
func (t *turns) with(do func(*wave.Table[kind.Key])) {
	t.mu.Lock()
	before := t.table.Again()
	do(t.table)
	calls, again := t.table.Take(), t.table.Again()
	t.known.Store(int64(t.table.Len()))
	timeouts := t.table.Timeouts()
	t.metrics.waking.Set(float64(t.table.Moving()))
	t.metrics.timeouts.Add(float64(timeouts - t.told))
	t.told = timeouts
	t.mu.Unlock()
	for _, c := range calls {
		t.call(c.Key, c.Since)
	}
	if !again.IsZero() && (before.IsZero() || again.Before(before)) {
		t.alarm.ring()
	}
}

// idle reports whether nothing is known and what is new does not matter.
func (t *turns) idle(w *int32) bool {
	return t.table == nil || w == nil && !t.limits.Any() && t.known.Load() == 0
}

// look takes in what was found, and says whether the workload may be woken if it is to be.
func (t *turns) look(l look, due bool) wave.Turn {
	if t.idle(l.workload.Spec.Wave) {
		return wave.Turn{Go: true}
	}
	var turn wave.Turn
	t.with(func(table *wave.Table[kind.Key]) { turn = table.Look(l.key, sight(l, due), l.now) })
	return turn
}

func sight(l look, due bool) wave.Sight {
	return wave.Sight{
		Wave: l.workload.Spec.Wave, Due: due, Since: l.workload.Status.Until, Next: l.decision.Next,
		Woken: l.object.Woken, Up: l.object.Up(), Version: l.object.ResourceVersion,
	}
}

// wrote notes a write that was carried out.
func (t *turns) wrote(l look, now time.Time) {
	if size := l.change.Size; size == nil || *size <= l.workload.Size || t.idle(l.workload.Spec.Wave) {
		return
	}
	t.with(func(table *wave.Table[kind.Key]) { table.Wrote(l.key, l.object.ResourceVersion, now) })
}

// failed notes that a write was not carried out, or that nobody knows.
func (t *turns) failed(key kind.Key, now time.Time) {
	if t.table != nil && t.known.Load() > 0 {
		t.with(func(table *wave.Table[kind.Key]) { table.Failed(key, now) })
	}
}

// forget notes that there is nothing to do for a workload any more.
func (t *turns) forget(key kind.Key, now time.Time) {
	if t.table != nil && t.known.Load() > 0 {
		t.with(func(table *wave.Table[kind.Key]) { table.Forget(key, now) })
	}
}

// waking reports whether it matters that a workload comes up.
func (t *turns) waking(key kind.Key) bool {
	if t.table == nil || t.known.Load() == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.table.Waking(key)
}

// run has time pass in the table until the context ends.
func (t *turns) run(ctx context.Context, clk clock.WithTicker) {
	for ctx.Err() == nil {
		t.mu.Lock()
		again := t.table.Again()
		t.mu.Unlock()
		if t.alarm.wait(ctx, clk, again) {
			t.with(func(table *wave.Table[kind.Key]) { table.Advance(clk.Now()) })
		}
	}
}

// survey looks at every workload in the cache before the first one is woken, so that a new leader knows who is on its
// way and who comes first. Where there are neither waves nor limits there is nothing to know.
func (r *Reconciler) survey() {
	for _, o := range r.Objects.in("") {
		if r.DryRun {
			break
		}
		if r.paces(o) {
			r.foresee(o)
		}
	}
	r.turns.with(func(table *wave.Table[kind.Key]) { table.Start(r.Clock.Now()) })
}

// paces reports whether waves or limits mean anything for an object.
func (r *Reconciler) paces(o *kind.Object) bool {
	own, inherited := o.Annotations, r.Defaults.Of(o.Namespace)
	return (r.Limits.Any() || has(own) || has(inherited)) && len(own)+len(inherited) > 0
}

func has(annotations map[string]string) bool {
	_, ok := annotations[annotation.Wave]
	return ok
}

// foresee looks at one workload and does nothing about it.
func (r *Reconciler) foresee(o *kind.Object) {
	key := o.Key()
	if r.untouchable(key, o) {
		return
	}
	l := look{key: key, object: o, workload: r.workload(o), now: r.Clock.Now()}
	l.decision = decide.Decide(l.workload, l.now)
	r.turns.look(l, l.decision.Paced(l.workload))
}

// await has a workload wait that is to be woken when its turn has not come. It reports false if the turn has come, and
// else until when to leave the workload as it is without a note; zero if there is to be one, or is.
func (r *Reconciler) await(l *look, contested bool) (quiet time.Time, waits bool) {
	if r.DryRun {
		return time.Time{}, false
	}
	due := !contested && l.decision.Paced(l.workload)
	turn := r.turns.look(*l, due)
	l.turn = turn
	if !due || turn.Go {
		return time.Time{}, false
	}
	if l.workload.Status.State != annotation.StateWaiting {
		quiet = turn.Since.Add(quietWait)
	}
	l.decision = l.decision.Waiting(l.workload)
	if quiet.After(l.now) {
		return sooner(quiet, l.decision.Next), true
	}
	return time.Time{}, true
}

// rank says where a workload stands among those whose next boundary is at the same instant: of those that go down a
// higher wave comes first, of those that wake a lower one.
func rank(l look) int32 {
	w := l.workload.Spec.Wave
	if w == nil || l.decision.Next.IsZero() {
		return 0
	}
	if l.decision.Lowers(l.workload) {
		return -*w
	}
	return *w
}
