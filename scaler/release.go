package scaler

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// ReleaseAll gives every workload in the cache its normal size back and removes what Curfew wrote on it, whatever its
// rules say. It returns how many it wrote; the error names each one that could not be released. To run it again is safe.
func (r *Reconciler) ReleaseAll(ctx context.Context) (int, error) {
	released := 0
	var failed []error
	for _, o := range r.Objects.in("") {
		if len(o.Annotations) == 0 || o.DeletionTimestamp != nil || r.Defaults.Terminating(o.Namespace) {
			continue
		}
		wrote, err := r.release(ctx, o.Key())
		if err != nil {
			failed = append(failed, fmt.Errorf("%s was not released: %w", o.Key(), err))
		} else if wrote {
			released++
		}
	}
	return released, errors.Join(failed...)
}

// release lets one workload go. If it has changed since the cache saw it, the cache is soon to know.
func (r *Reconciler) release(ctx context.Context, key kind.Key) (bool, error) {
	wrote := false
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		o := r.Objects.get(key)
		if o == nil {
			return nil
		}
		l := look{key: key, object: o, workload: r.workload(o), now: r.Clock.Now()}
		if p := l.workload.Problems.About(annotation.Remembered); p != nil {
			return p // removing it would lose what it may have meant
		}
		l.decision = decide.Release(l.workload)
		l.change = l.decision.Change(l.workload.Size, o.Annotations)
		if l.change.Empty() {
			return nil
		}
		ctx := klog.NewContext(ctx, klog.FromContext(ctx).WithValues(key.Kind.Logged(), key.ObjectName))
		if r.DryRun {
			r.report(ctx, l)
			return nil
		}
		if err := r.Patcher.Patch(ctx, o, l.change); err != nil {
			return err
		}
		wrote = true
		eventWriter{r.Recorder}.changed(l)
		logChange(ctx, l, 0)
		return nil
	})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return wrote, err
}
