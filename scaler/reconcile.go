package scaler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
	"curfew/scaler/wave"
	"curfew/timewindow"
)

// Reconciler makes one workload what its annotations ask for. It knows no queue.
type Reconciler struct {
	Objects     *Objects
	Defaults    Defaults
	Autoscalers Autoscalers
	Patcher     Patcher
	Recorder    events.EventRecorder
	Metrics     *Metrics
	Clock       clock.PassiveClock
	Settings    observe.Settings
	Self        cache.ObjectName // Curfew's own Deployment, which is never touched
	DryRun      bool             // decide and report, write nothing
	Limits      wave.Limits      // how fast workloads are woken
	Versions    Versions         // what the API server has now; nil: the cache is taken to be current

	contests contests
	turns    turns
	charge   func(namespace string, took time.Duration) // is told what a decision has taken; nil: nobody is
	reported sync.Map                                   // by key, in a dry run: the change that was reported last, so as to say it once
}

// errConflict says that the object changed between read and write. It is no failure: the key is looked at again.
var errConflict = errors.New("the object has changed meanwhile")

// Again is when to look at a workload again though nothing has changed.
type Again struct {
	At   time.Time // zero: never
	Rank int32     // among those that are to be looked at then, lower first
}

// Reconcile brings one workload to what it should be, in one write or none, and returns when to look again. A workload
// that is gone is a normal end.
func (r *Reconciler) Reconcile(ctx context.Context, key kind.Key) (Again, error) {
	now := r.Clock.Now()
	object := r.Objects.get(key)
	if object == nil || r.untouchable(key, object) {
		r.forget(key)
		return Again{}, nil
	}
	l := look{key: key, object: object, workload: r.workload(object), now: now}
	l.decision = decide.Decide(l.workload, now)
	if r.charge != nil {
		r.charge(key.Namespace, r.Clock.Since(now))
	}
	wait := r.contests.judge(&l)
	quiet, waits := r.await(&l, wait > 0)
	if waits && !quiet.IsZero() {
		r.Metrics.look(key, r.holding(l, annotation.StateWaiting, l.workload.Size), resultWaiting)
		return Again{quiet, rank(l)}, nil
	}
	if wait == 0 {
		l.change = l.decision.Change(l.workload.Size, object.Annotations)
		wait = r.contests.judgeNote(l)
	}
	if wait > 0 {
		r.Metrics.look(key, r.holding(l, annotation.StateContested, l.workload.Size), resultContested)
		return Again{sooner(now.Add(wait), l.decision.Next), rank(l)}, nil // a boundary never waits for a contest
	}
	result, err := r.apply(ctx, l)
	size := l.workload.Size
	if err == nil && l.change.Size != nil {
		size = *l.change.Size
	}
	if waits && result == resultUnchanged {
		result = resultWaiting
	}
	r.Metrics.look(key, r.holding(l, l.decision.Status.State, size), result)
	r.tellLate(ctx, l)
	return Again{l.decision.Next, rank(l)}, err
}

// untouchable reports whether a workload is to be left alone whatever it says, without a word.
func (r *Reconciler) untouchable(key kind.Key, o *kind.Object) bool {
	return o.DeletionTimestamp != nil || key == (kind.Key{Kind: kind.Deployment, ObjectName: r.Self}) || r.Defaults.Terminating(key.Namespace) || r.copied(o)
}

// copied reports whether an object has its annotations from its owner: a Deployment gives its ReplicaSets its own, and is
// the one to be looked after.
func (r *Reconciler) copied(o *kind.Object) bool {
	if o.Owner == nil {
		return false
	}
	for _, key := range r.Objects.called(kind.Target{Kind: o.Owner.Kind, ObjectName: cache.NewObjectName(o.Namespace, o.Owner.Name)}) {
		owner := r.Objects.get(key)
		if owner == nil || len(owner.Annotations) > 0 { // nil: its watch is behind
			return true
		}
	}
	return false
}

// sooner returns the earlier of two instants, of which the second may be zero for never.
func sooner(a, b time.Time) time.Time {
	if !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// look is one look at one workload: what was found, and what was made of it.
type look struct {
	key      kind.Key
	object   *kind.Object
	workload decide.Workload
	decision decide.Decision
	change   decide.Change
	turn     wave.Turn
	now      time.Time
}

// resized is the size that the workload had and the one that it is given: numbers, or ranges where the maximum changes too.
func (l look) resized() (from, to any) {
	was, is := l.workload.Size, l.workload.Size
	if l.change.Size != nil {
		is = *l.change.Size
	}
	if l.change.Max == nil {
		return was, is
	}
	return timewindow.Range(was, l.workload.Ceiling.Max).String(), timewindow.Range(is, *l.change.Max).String()
}

// workload gathers what a decision depends on.
func (r *Reconciler) workload(o *kind.Object) decide.Workload {
	namespace := r.Defaults.Of(o.Namespace)
	o = observe.LeftTo(o, r.Objects.scaling(o.Key()), namespace, r.Clock.Now())
	w := observe.Workload(o, namespace, r.Autoscalers.Of(o.Key()), r.Settings)
	if target := r.Objects.target(o); target != nil {
		w = observe.Floor(w, o, target, namespace, r.Settings)
	}
	return w
}

// holding says what is held of a workload, given the size that it has after the look.
func (r *Reconciler) holding(l look, state annotation.State, size int32) holding {
	h := holding{state: state}
	wanted := l.decision.Size
	if held, _, ok := l.decision.Status.Holding(); ok && wanted == nil && state == annotation.StateWaiting {
		wanted = &held // a new one has none
	}
	if state == "" || wanted == nil || r.DryRun {
		return h
	}
	h.holds, h.size = true, *wanted
	if _, normal, ok := l.decision.Status.Holding(); ok && l.key.Kind.Counted {
		h.below = max(0, normal-max(size, h.size)) // what somebody else took besides is not Curfew's
	}
	return h
}

// apply writes a change and tells of it. Nothing to change is nothing to say.
func (r *Reconciler) apply(ctx context.Context, l look) (string, error) {
	done := resultWritten
	if l.decision.Status.State == annotation.StateInvalid {
		done = resultInvalid
	}
	if l.change.Empty() {
		if done == resultWritten {
			done = resultUnchanged
		}
		return done, nil
	}
	if r.DryRun {
		r.report(ctx, l)
		return resultUnchanged, nil
	}
	tell := eventWriter{r.Recorder}
	err := r.Patcher.Patch(ctx, l.object, l.change)
	if err != nil && !apierrors.IsConflict(err) {
		r.turns.failed(l.key, r.Clock.Now())
	}
	switch {
	case apierrors.IsConflict(err):
		return resultConflict, errConflict
	case apierrors.IsNotFound(err):
		return resultUnchanged, nil
	case refused(err):
		tell.refused(l.object, err)
		return resultError, err
	case err != nil:
		return resultError, fmt.Errorf("writing: %w", err)
	}
	r.turns.wrote(l, r.Clock.Now())
	late, boundary := r.late(l)
	if boundary {
		done = resultBoundary
		if !l.turn.Waited { // else it is late on purpose
			r.Metrics.delay.Observe(late.Seconds())
		}
	}
	r.contests.wrote(l)
	if l.change.Resizes() {
		r.Metrics.wrote(l.decision.Reason)
	}
	tell.changed(l)
	logChange(ctx, l, late)
	return done, nil
}

// refused reports whether the API server has looked at a write and says no: the right is missing, or a policy, a quota, a
// webhook or the object's own limits are against it. The author of the object should know; and be it for as long as it
// takes, the same may be allowed later.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) ||
		apierrors.IsBadRequest(err) || // what a webhook says that gives no code of its own
		apierrors.IsRequestEntityTooLargeError(err) || apierrors.IsMethodNotSupported(err)
}

// late measures how late a boundary was kept. It reports false where the write was not for one that the last status named.
func (r *Reconciler) late(l look) (time.Duration, bool) {
	until, reason := l.workload.Status.Until, l.decision.Reason
	if l.turn.Waited {
		until = l.turn.Since
	}
	if !l.change.Resizes() || until.IsZero() || until.After(l.now) || reason != decide.WindowStarted && reason != decide.WindowEnded {
		return 0, false
	}
	return r.Clock.Now().Sub(until), true
}

// tellLate tells of a workload that was woken and did not come up, once.
func (r *Reconciler) tellLate(ctx context.Context, l look) {
	if !l.turn.Late {
		return
	}
	size, woken := l.workload.Size, l.object.Woken
	available := l.object.Available
	eventWriter{r.Recorder}.timedOut(l.object, size, woken, r.turns.limits.Timeout)
	klog.FromContext(ctx).Info("Woken, and not up in time", "size", size, "available", available, "woken", woken.UTC().Format(time.RFC3339))
}

func (r *Reconciler) forget(key kind.Key) {
	r.Metrics.gone(key)
	r.contests.forget(key)
	r.turns.forget(key, r.Clock.Now())
	r.reported.Delete(key)
}

// report says what a dry run does not do, once for each change.
func (r *Reconciler) report(ctx context.Context, l look) {
	text := fmt.Sprint(ptr.Deref(l.change.Size, -1), ptr.Deref(l.change.Max, -1), l.decision.Status)
	if was, _ := r.reported.Swap(l.key, text); was != text {
		logChange(klog.NewContext(ctx, klog.FromContext(ctx).WithValues("dryRun", true)), l, 0)
	}
}

// logChange writes the one line that a change is worth.
func logChange(ctx context.Context, l look, late time.Duration) {
	logger, status := klog.FromContext(ctx), l.decision.Status
	var values []any
	if l.change.Resizes() {
		from, to := l.resized()
		values = append(values, "from", from, "to", to, "reason", string(l.decision.Reason))
	}
	if status.State != "" {
		values = append(values, "state", string(status.State))
	}
	if status.Rule != "" {
		values = append(values, "rule", status.Rule)
	}
	if !status.Until.IsZero() {
		values = append(values, "until", status.Until.Format(time.RFC3339))
	}
	if late > 0 {
		values = append(values, "delay", late.Round(time.Millisecond).String())
	}
	if status.Message != "" {
		values = append(values, "message", status.Message)
	}
	switch {
	case l.change.Resizes():
		logger.Info("Scaled", values...)
	case status.State == annotation.StateInvalid:
		logger.Info("Left as it stands", values...)
	default:
		logger.Info("Noted", values...)
	}
}
