package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/transport"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"curfew/cmd/internal/kinds"
	"curfew/cmd/internal/version"
	"curfew/scaler"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// run wires the controller and runs it until the context ends, or until it must not go on.
func run(ctx context.Context, o *options) error {
	logger := klog.FromContext(ctx)
	if err := noticeDeadConnections(); err != nil {
		return err
	}
	config, err := o.restConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	elect := o.leaderElection.LeaderElect && !o.dryRun
	tenure := newTenure(clock.RealClock{}, o.leaderElection.RenewDeadline.Duration)
	writing := rest.CopyConfig(config)
	if elect && !o.release {
		writing.Wrap(tenure.guard)
	}
	writer, err := metadata.NewForConfig(writing)
	if err != nil {
		return err
	}
	logger.Info("Curfew", "version", version.String(), "server", config.Host, "timezone", o.timezone, "namespace", o.namespace, "selector", o.selector, "dryRun", o.dryRun)

	// What serves and what records outlives the signal: the last probes are answered and the last events sent.
	outlives, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	recorder, err := newRecorder(outlives, config)
	if err != nil {
		return err
	}
	// The probes are answered while the API server is still waited for.
	leading := leaderelection.NewLeaderHealthzAdaptor(20 * time.Second)
	var controller atomic.Pointer[scaler.Controller]
	if !o.release {
		synced := func() bool { c := controller.Load(); return c != nil && c.Synced() }
		if err := serveProbes(outlives, o.health, probes(leading, synced)); err != nil {
			return err
		}
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	registry := newRegistry()
	w, err := newWatch(ctx, client, kinds.Finder{Discovery: discovery.ToDiscoveryInterfaceWithContext(client.Discovery()), Objects: objects}, o)
	if err != nil {
		if ctx.Err() != nil && !o.release {
			return nil // asked to end while it waited
		}
		return err
	}
	versions, err := newVersions(config, o, w.objects.Kinds)
	if err != nil {
		return err
	}
	reconciler := &scaler.Reconciler{
		Objects:     w.objects,
		Defaults:    w.defaults,
		Autoscalers: w.autoscalers,
		Patcher:     scaler.NewPatcher(sender(writer)),
		Recorder:    recorder,
		Metrics:     scaler.NewMetrics(registry, clock.RealClock{}, o.metricsPerWorkload),
		Clock:       clock.RealClock{},
		Settings: observe.Settings{
			Zone: o.zone, Grace: o.grace, Schedules: annotation.NewSchedules(),
			Floors: slices.Contains(o.resources, kind.Autoscaler.Resource.GroupResource()),
		},
		Self:     o.self,
		DryRun:   o.dryRun,
		Limits:   o.waking,
		Versions: versions,
	}
	if o.release {
		defer recorder.flush(outlives)
		return release(ctx, client, o, w, reconciler)
	}
	made, err := scaler.NewController(ctx, w.sources, reconciler, clock.RealClock{})
	if err != nil {
		return err
	}
	controller.Store(made)
	busy := made.Busy
	recorder.busy.Store(&busy)
	if err := serveMetrics(outlives, o, config, metrics(registry)); err != nil {
		return err
	}
	w.start(ctx) // a standby keeps its cache warm
	go w.await(ctx, made)
	work := func(ctx context.Context) { made.Run(ctx, o.workers) }
	if !elect {
		work(ctx)
	} else if err := lead(ctx, config, &o.leaderElection, leading, tenure, work); err != nil {
		return err // at once, for another one may be at work
	}
	recorder.flush(outlives)
	return nil
}

func (o *options) restConfig() (*rest.Config, error) {
	var config *rest.Config
	var err error
	if o.kubeconfig != "" {
		config, err = clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	} else {
		config, err = rest.InClusterConfig()
		if errors.Is(err, rest.ErrNotInCluster) {
			err = errors.New("this does not run in a cluster: say how to reach one with --kubeconfig")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("no way to the API server: %w", err)
	}
	if file := config.BearerTokenFile; file != "" {
		// As by itself, but that a token which is refused is not used for up to a minute more: the file may have a new one.
		config.BearerToken, config.BearerTokenFile = "", ""
		config.Wrap(transport.ResettableTokenSourceWrapTransport(transport.NewCachedFileTokenSource(file)))
	}
	config.QPS, config.Burst = o.qps, o.burst
	if o.qps == 0 {
		config.QPS = -1 // to client-go 0 is five
	}
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	config.WarningHandlerWithContext = rest.NoWarnings{} // what they warn of is not Curfew's, but the workload's author's
	return rest.AddUserAgent(config, "curfew"), nil
}
