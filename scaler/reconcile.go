package scaler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	appslisters "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/observe"
)

// Reconciler makes one workload what its annotations ask for. It knows no queue.
type Reconciler struct {
	Deployments appslisters.DeploymentLister
	Defaults    Defaults
	Autoscalers Autoscalers
	Patcher     Patcher
	Recorder    events.EventRecorder
	Metrics     *Metrics
	Clock       clock.PassiveClock
	Settings    observe.Settings
	Self        cache.ObjectName // Curfew's own Deployment, which is never touched
	DryRun      bool             // decide and report, write nothing

	contests contests
	reported sync.Map // by key, in a dry run: the change that was reported last, so as to say it once
}

// errConflict says that the object changed between read and write. It is no failure: the key is looked at again.
var errConflict = errors.New("the object has changed meanwhile")

// Reconcile brings one workload to what it should be, in one write or none, and returns the instant at which to look
// again though nothing has changed; zero if never. A workload that is gone is a normal end.
func (r *Reconciler) Reconcile(ctx context.Context, key cache.ObjectName) (time.Time, error) {
	now := r.Clock.Now()
	d, err := r.Deployments.Deployments(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		r.forget(key)
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	if d.DeletionTimestamp != nil || key == r.Self || r.Defaults.Terminating(key.Namespace) {
		r.forget(key)
		return time.Time{}, nil
	}
	l := look{key: key, object: d, workload: r.workload(d), now: now}
	l.decision = decide.Decide(l.workload, now)
	wait := r.contests.judge(&l)
	if wait == 0 {
		l.change = l.decision.Change(l.workload.Size, d.Annotations)
		wait = r.contests.judgeNote(l)
	}
	if wait > 0 {
		r.Metrics.look(key, r.holding(l, annotation.StateContested, l.workload.Size), resultContested)
		return sooner(now.Add(wait), l.decision.Next), nil // a boundary never waits for a contest
	}
	result, err := r.apply(ctx, l)
	size := l.workload.Size
	if err == nil && l.change.Size != nil {
		size = *l.change.Size
	}
	r.Metrics.look(key, r.holding(l, l.decision.Status.State, size), result)
	return l.decision.Next, err
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
	key      cache.ObjectName
	object   *appsv1.Deployment
	workload decide.Workload
	decision decide.Decision
	change   decide.Change
	now      time.Time
}

// workload gathers what a decision depends on.
func (r *Reconciler) workload(d *appsv1.Deployment) decide.Workload {
	return observe.Workload(d, r.Defaults.Of(d.Namespace), r.Autoscalers.Of(cache.MetaObjectToName(d)), r.Settings)
}

// holding says what is held of a workload, given the size that it has after the look.
func (r *Reconciler) holding(l look, state annotation.State, size int32) holding {
	h := holding{state: state}
	if state == "" || l.decision.Size == nil || r.DryRun {
		return h
	}
	h.holds, h.size = true, *l.decision.Size
	if _, normal, ok := l.decision.Status.Holding(); ok {
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
	late, boundary := r.late(l)
	if boundary {
		done = resultBoundary
		r.Metrics.delay.Observe(late.Seconds())
	}
	r.contests.wrote(l)
	if l.change.Size != nil {
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
	if l.change.Size == nil || until.IsZero() || until.After(l.now) || reason != decide.WindowStarted && reason != decide.WindowEnded {
		return 0, false
	}
	return r.Clock.Now().Sub(until), true
}

func (r *Reconciler) forget(key cache.ObjectName) {
	r.Metrics.gone(key)
	r.contests.forget(key)
	r.reported.Delete(key)
}

// report says what a dry run does not do, once for each change.
func (r *Reconciler) report(ctx context.Context, l look) {
	text := fmt.Sprint(ptr.Deref(l.change.Size, -1), l.decision.Status)
	if was, _ := r.reported.Swap(l.key, text); was != text {
		logChange(klog.NewContext(ctx, klog.FromContext(ctx).WithValues("dryRun", true)), l, 0)
	}
}

// logChange writes the one line that a change is worth.
func logChange(ctx context.Context, l look, late time.Duration) {
	logger, status := klog.FromContext(ctx), l.decision.Status
	var values []any
	if l.change.Size != nil {
		values = append(values, "from", l.workload.Size, "to", *l.change.Size, "reason", string(l.decision.Reason))
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
	case l.change.Size != nil:
		logger.Info("Scaled", values...)
	case status.State == annotation.StateInvalid:
		logger.Info("Left as it stands", values...)
	default:
		logger.Info("Noted", values...)
	}
}
