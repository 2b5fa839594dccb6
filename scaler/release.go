package scaler

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// ReleaseAll gives every workload in the cache its normal size back and removes what Curfew wrote on it, whatever its
// rules say. It returns how many it wrote; the error names each one that could not be released. To run it again is safe.
func (r *Reconciler) ReleaseAll(ctx context.Context) (int, error) {
	all, err := r.Deployments.List(labels.Everything())
	if err != nil {
		return 0, err
	}
	released := 0
	var failed []error
	for _, d := range all {
		if len(d.Annotations) == 0 || d.DeletionTimestamp != nil || r.Defaults.Terminating(d.Namespace) {
			continue
		}
		wrote, err := r.release(ctx, cache.MetaObjectToName(d))
		if err != nil {
			failed = append(failed, fmt.Errorf("%s/%s was not released: %w", d.Namespace, d.Name, err))
		} else if wrote {
			released++
		}
	}
	return released, errors.Join(failed...)
}

// release lets one workload go. If it has changed since the cache saw it, the cache is soon to know.
func (r *Reconciler) release(ctx context.Context, key cache.ObjectName) (bool, error) {
	wrote := false
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		d, err := r.Deployments.Deployments(key.Namespace).Get(key.Name)
		if err != nil {
			return err
		}
		l := look{key: key, object: d, workload: r.workload(d), now: r.Clock.Now()}
		if p := l.workload.Problems.About(annotation.Remembered); p != nil {
			return p // removing it would lose what it may have meant
		}
		l.decision = decide.Release(l.workload)
		l.change = l.decision.Change(l.workload.Size, d.Annotations)
		if l.change.Empty() {
			return nil
		}
		ctx := klog.NewContext(ctx, klog.FromContext(ctx).WithValues("deployment", key))
		if r.DryRun {
			r.report(ctx, l)
			return nil
		}
		if err := r.Patcher.Patch(ctx, d, l.change); err != nil {
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
