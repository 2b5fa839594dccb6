package main

import (
	"context"
	"errors"
	"os"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
	componentbaseconfig "k8s.io/component-base/config"
	"k8s.io/klog/v2"
)

var errLeaseLost = errors.New("the lease was lost; another one may be leading now")

// lead runs work while this process holds the lease. It returns when work has ended after the context did, and then the
// lease is free; or with an error when the lease was lost, and then the process must end, for work may still be going on.
//
// The lease has a context of its own: it is let go only when the last write is finished, not when the signal comes.
// That another one holds it is acted on as soon as it is seen, not when the deadline for renewing has passed. That the API
// server has gone back to an older state ends the process as well, leading or not, for its cache is wrong then.
func lead(ctx context.Context, config *rest.Config, l *componentbaseconfig.LeaderElectionConfiguration, watchDog *leaderelection.HealthzAdaptor, tenure *tenure, work func(context.Context)) error {
	logger := klog.FromContext(ctx)
	config = rest.AddUserAgent(rest.CopyConfig(config), "leader-election")
	config.Timeout = l.RenewDeadline.Duration / 2
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	identity := host + "_" + string(uuid.NewUUID())

	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	past := &past{noticed: func() { end(errPast) }}
	lease, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	working, stop := context.WithCancel(ctx)
	defer stop()
	var started, lost atomic.Bool
	lock := tenureLock{
		Interface: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: l.ResourceNamespace, Name: l.ResourceName},
			Client:     past.of(client.CoordinationV1()),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		tenure: tenure,
		lost: func() {
			lost.Store(true)
			stop()
			release()
		},
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name:          l.ResourceName,
		Lock:          lock,
		LeaseDuration: l.LeaseDuration.Duration,
		RenewDeadline: l.RenewDeadline.Duration,
		RetryPeriod:   l.RetryPeriod.Duration,
		// The elector's own release also comes when it could not renew, and first: the work would go on for as long as
		// that takes without an answer, and another one might lead already.
		ReleaseOnCancel: false,
		WatchDog:        watchDog,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				started.Store(true)
				defer release()
				defer context.AfterFunc(leading, stop)()
				logger.Info("Leading", "identity", identity)
				work(working)
			},
			OnStoppedLeading: func() {},
			OnNewLeader: func(leader string) {
				if leader != identity {
					logger.Info("Standing by", "leader", leader)
				}
			},
		},
	})
	if err != nil {
		return err
	}
	watchDog.SetLeaderElection(elector)
	defer context.AfterFunc(ctx, func() {
		if !started.Load() {
			release()
		}
	})()
	elector.Run(lease)
	if ctx.Err() == nil || lost.Load() || lease.Err() == nil {
		return errLeaseLost
	}
	if started.Load() {
		if err := letGo(context.WithoutCancel(ctx), lock); err != nil {
			logger.Error(err, "Cannot let the lease go, so the next one has to wait until it has run out")
		}
	}
	if cause := context.Cause(ctx); errors.Is(cause, errPast) {
		return cause
	}
	return nil
}

// letGo frees the lease, so that the next one need not wait until it has run out.
func letGo(ctx context.Context, lock resourcelock.Interface) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		record, _, err := lock.Get(ctx)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil || record.HolderIdentity != lock.Identity() {
			return err
		}
		now := metav1.Now()
		return lock.Update(ctx, resourcelock.LeaderElectionRecord{
			LeaderTransitions: record.LeaderTransitions, LeaseDurationSeconds: 1, RenewTime: now, AcquireTime: now,
		})
	})
}
