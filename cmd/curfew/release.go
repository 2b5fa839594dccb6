package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"curfew/scaler"
)

// release gives every workload back what was taken from it, after it has made sure that nobody takes it again.
func release(ctx context.Context, client kubernetes.Interface, o *options, w *watch, reconciler *scaler.Reconciler) error {
	if o.leaderElection.LeaderElect && !o.dryRun {
		if err := standDown(ctx, client, o); err != nil {
			return fmt.Errorf("taking the lease from whoever leads: %w", err)
		}
	}
	w.start(ctx)
	var synced, foreign []cache.DoneChecker
	for _, workloads := range w.sources.Workloads {
		if checker := workloads.Informer.HasSyncedChecker(); workloads.Foreign {
			foreign = append(foreign, checker)
		} else {
			synced = append(synced, checker)
		}
	}
	if w.sources.Namespaces != nil {
		synced = append(synced, w.sources.Namespaces.TypedInformer().HasSyncedChecker())
	}
	if w.sources.Autoscalers != nil {
		synced = append(synced, w.sources.Autoscalers.TypedInformer().HasSyncedChecker())
	}
	if !cache.WaitFor(ctx, "the cache", synced...) {
		return errors.New("interrupted")
	}
	within, cancel := context.WithTimeout(ctx, releaseForeign)
	defer cancel()
	if !cache.WaitFor(within, "the cache of foreign kinds", foreign...) && ctx.Err() != nil {
		return errors.New("interrupted")
	}
	released, err := reconciler.ReleaseAll(ctx)
	klog.FromContext(ctx).Info("Released", "workloads", released)
	return errors.Join(append([]error{err}, w.unseen()...)...)
}

// releaseForeign is how long kinds of somebody else's API are waited for, which may be out of order alone.
const releaseForeign = time.Minute

// unseen are the kinds of which nobody knows what there is to release.
func (w *watch) unseen() []error {
	var errs []error
	for _, m := range w.missing {
		if m.kind && m.lacks.noRight {
			errs = append(errs, fmt.Errorf("%s were not released: there is no right to list and watch them", m.what))
		}
	}
	for _, workloads := range w.sources.Workloads {
		if workloads.Foreign && !workloads.Informer.HasSynced() {
			errs = append(errs, fmt.Errorf("%s were not released: the API server does not list them", workloads.Kind))
		}
	}
	return errs
}

// releaseLease is how long no Curfew leads after a release: time enough to remove it.
const releaseLease = 5 * time.Minute

// standDown takes the lease, so that a Curfew that leads loses it and ends, and none leads for a while. It waits until
// the one that led must have noticed. Where nobody leads there is nothing to wait for.
func standDown(ctx context.Context, client kubernetes.Interface, o *options) error {
	l := o.leaderElection
	leases := client.CoordinationV1().Leases(l.ResourceNamespace)
	var led bool
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now := metav1.NewMicroTime(time.Now())
		lease, err := leases.Get(ctx, l.ResourceName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.ResourceNamespace, Name: l.ResourceName}}
			lease.Spec = releaseSpec(now)
			_, err = leases.Create(ctx, lease, metav1.CreateOptions{})
			return err
		}
		if err != nil {
			return err
		}
		holder := ptr.Deref(lease.Spec.HolderIdentity, "")
		led = holder != "" && holder != releaseHolder
		lease.Spec = releaseSpec(now)
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
		return err
	})
	if err != nil || !led {
		return err
	}
	// One that has renewed just before notices after the retry period and the renew deadline, to the moment. What the
	// lease lasts longer than that deadline is there for whoever is slow: without it the last to let go would take
	// back the first that were released.
	wait := l.RetryPeriod.Duration + l.LeaseDuration.Duration
	klog.FromContext(ctx).Info("Waiting for the Curfew that leads to stop", "for", wait.String())
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}

const releaseHolder = "curfew-release"

func releaseSpec(now metav1.MicroTime) coordinationv1.LeaseSpec {
	return coordinationv1.LeaseSpec{
		HolderIdentity:       ptr.To(releaseHolder),
		LeaseDurationSeconds: ptr.To(int32(releaseLease.Seconds())),
		AcquireTime:          &now,
		RenewTime:            &now,
	}
}
