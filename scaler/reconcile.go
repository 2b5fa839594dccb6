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
)

// Reconciler makes one workload what its annotations ask for. It knows no queue.
type Reconciler struct {
	Deployments appslisters.DeploymentLister
	Patcher     Patcher
	Recorder    events.EventRecorder
	Metrics     *Metrics
	Clock       clock.PassiveClock
	Zone        *time.Location   // the zone of objects that name none
	Self        cache.ObjectName // Curfew's own Deployment, which is never touched
	DryRun      bool             // decide and report, write nothing

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
	if d.DeletionTimestamp != nil || key == r.Self {
		r.forget(key)
		return time.Time{}, nil
	}
	w := r.workload(d)
	decision := decide.Decide(w, now)
	r.Metrics.state(key, decision.Status.State)
	change := decision.Change(w.Size, d.Annotations)
	result, err := r.apply(ctx, key, d, w, decision, change, now)
	r.Metrics.reconciles.WithLabelValues(result).Inc()
	return decision.Next, err
}

// workload gathers what a decision depends on. An absent size is one replica, as the API server would have it.
func (r *Reconciler) workload(d *appsv1.Deployment) decide.Workload {
	w := decide.Workload{
		Size:   ptr.Deref(d.Spec.Replicas, 1),
		Writer: writerOf(d.ManagedFields),
		Status: annotation.ParseStatus(d.Annotations[annotation.StatusKey]),
	}
	w.Spec, w.Problems = annotation.Parse(d.Annotations, r.Zone)
	return w
}

// apply writes a change and tells of it. Nothing to change is nothing to say.
func (r *Reconciler) apply(ctx context.Context, key cache.ObjectName, d *appsv1.Deployment, w decide.Workload, decision decide.Decision, change decide.Change, now time.Time) (string, error) {
	invalid := decision.Status.State == annotation.StateInvalid
	if change.Empty() {
		if invalid {
			return resultInvalid, nil
		}
		return resultUnchanged, nil
	}
	if r.DryRun {
		r.report(ctx, key, w, decision, change)
		return resultUnchanged, nil
	}
	tell := eventWriter{r.Recorder}
	err := r.Patcher.Patch(ctx, d, change)
	switch {
	case apierrors.IsConflict(err):
		return resultConflict, errConflict
	case apierrors.IsNotFound(err):
		return resultUnchanged, nil
	case apierrors.IsForbidden(err) || apierrors.IsInvalid(err):
		tell.refused(d, err)
		return resultError, err
	case err != nil:
		return resultError, fmt.Errorf("writing: %w", err)
	}
	if change.Size != nil {
		r.Metrics.writes.WithLabelValues(string(decision.Reason)).Inc()
		tell.scaled(d, w.Size, *change.Size, decision)
	}
	if invalid {
		tell.invalid(d, w.Problems)
	}
	logChange(ctx, w, decision, change, r.delay(w, decision, now))
	if invalid {
		return resultInvalid, nil
	}
	return resultWritten, nil
}

// delay measures how late a boundary was kept; zero where the write was not for a boundary that the last status named.
func (r *Reconciler) delay(w decide.Workload, decision decide.Decision, now time.Time) time.Duration {
	until := w.Status.Until
	if until.IsZero() || until.After(now) || decision.Reason != decide.WindowStarted && decision.Reason != decide.WindowEnded {
		return 0
	}
	late := r.Clock.Now().Sub(until)
	r.Metrics.delay.Observe(late.Seconds())
	return late
}

func (r *Reconciler) forget(key cache.ObjectName) {
	r.Metrics.state(key, "")
	r.reported.Delete(key)
}

// report says what a dry run does not do, once for each change.
func (r *Reconciler) report(ctx context.Context, key cache.ObjectName, w decide.Workload, decision decide.Decision, change decide.Change) {
	text := fmt.Sprint(ptr.Deref(change.Size, -1), decision.Status)
	if was, _ := r.reported.Swap(key, text); was != text {
		logChange(klog.NewContext(ctx, klog.FromContext(ctx).WithValues("dryRun", true)), w, decision, change, 0)
	}
}

// logChange writes the one line that a change is worth.
func logChange(ctx context.Context, w decide.Workload, decision decide.Decision, change decide.Change, late time.Duration) {
	values := []any{"state", string(decision.Status.State)}
	if decision.Status.Rule != "" {
		values = append(values, "rule", decision.Status.Rule)
	}
	if until := decision.Status.Until; !until.IsZero() {
		values = append(values, "until", until.Format(time.RFC3339))
	}
	logger := klog.FromContext(ctx)
	switch {
	case change.Size != nil:
		values = append([]any{"from", w.Size, "to", *change.Size, "reason", string(decision.Reason)}, values...)
		if late > 0 {
			values = append(values, "delay", late.Round(time.Millisecond).String())
		}
		logger.Info("Scaled", values...)
	case decision.Status.State == annotation.StateInvalid:
		logger.Info("Left as it stands", append(values, "problem", w.Problems.Summary())...)
	default:
		logger.Info("Noted", values...)
	}
}
