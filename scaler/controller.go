package scaler

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"curfew/scaler/kind"
)

// Controller moves keys: from the informers' events, from failures and from the clock into the queue, and from the
// queue to the [Reconciler].
type Controller struct {
	reconciler *Reconciler
	clock      clock.WithTicker
	queue      queue
	caches     caches
	working    atomic.Bool // it runs: this one leads
}

// Sources are the informers that a controller watches through. Those of Namespaces and autoscalers should have
// [observe.Trim] as their transform.
type Sources struct {
	Workloads   []Workloads
	Namespaces  coreinformers.TypedNamespaceInformer                      // nil: no defaults, for now
	Autoscalers autoscalinginformers.TypedHorizontalPodAutoscalerInformer // nil: none are known, for now
}

// Workloads is the informer of a kind of what is scaled. It has the Trim of the kind as its transform, and an index by
// namespace, as those of a factory have.
type Workloads struct {
	Kind     *kind.Kind
	Informer cache.SharedIndexInformer
	Foreign  bool // of somebody else's API, which may be out of order alone: nobody waits for it for long
}

// NewController makes a controller. Events fill the queue as soon as the informers run, so that a standby has only to
// start working.
func NewController(ctx context.Context, from Sources, reconciler *Reconciler, clk clock.WithTicker) (*Controller, error) {
	c := &Controller{reconciler: reconciler, clock: clk, queue: newQueue(clk)}
	reconciler.charge = c.queue.keys.costs.add
	// Whoever is called has waited since a boundary, and comes before what is only looked at again.
	reconciler.turns.start(reconciler.Limits, reconciler.Metrics, func(key kind.Key, since time.Time) {
		if since.IsZero() {
			c.queue.Add(key)
		} else {
			c.queue.AddAt(key, since, 0)
		}
	})
	caches, err := c.watch(ctx, from)
	if err != nil {
		return nil, err
	}
	c.caches = caches
	return c, nil
}

// Synced reports whether the cache holds everything that the API server has, but for what is foreign.
func (c *Controller) Synced() bool { return c.caches.synced() }

// Busy reports whether boundaries are due that have not been looked at yet, and will be.
func (c *Controller) Busy() bool { return c.working.Load() && c.queue.keys.due.Load() > 0 }

// Run works off the queue until the context ends, and then returns when every write in hand is finished. It waits for
// the cache first.
func (c *Controller) Run(ctx context.Context, workers int) {
	logger := klog.FromContext(ctx)
	if !c.caches.await(ctx) {
		c.queue.ShutDown()
		return
	}
	logger.Info("Started", "workers", workers)
	c.working.Store(true)
	c.tellNamespaces(ctx)
	c.reconciler.catchUp(ctx)
	c.reconciler.survey()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for c.next(ctx) {
			}
		})
	}
	wg.Go(func() { c.queue.agenda.run(ctx, c.queue.Add) })
	wg.Go(func() { watchSteps(ctx, c.clock, func(by time.Duration) { c.again(ctx, by) }) })
	wg.Go(func() { c.reconciler.turns.run(ctx, c.clock) })
	<-ctx.Done()
	c.working.Store(false)
	c.queue.ShutDown()
	wg.Wait()
	logger.Info("Stopped")
}

// next works on one key. It reports false when the queue has been shut down.
func (c *Controller) next(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if ctx.Err() != nil { // a queue that was shut down still hands out what is in it
		return true
	}
	logger := klog.LoggerWithValues(klog.FromContext(ctx), key.Kind.Logged(), key.ObjectName)
	// The write in hand when the context ends is finished, and may take a moment for it.
	work, cancel := context.WithTimeout(context.WithoutCancel(klog.NewContext(ctx, logger)), longestReconcile)
	defer cancel()
	again, err := c.reconcile(work, key)
	switch {
	case errors.Is(err, errConflict):
		c.queue.AddRateLimited(key)
		logger.V(4).Info("Changed meanwhile, looking again")
	case err != nil:
		c.queue.AddRateLimited(key)
		if !again.At.IsZero() { // a boundary never waits for a back-off; and this one's turn, if it had come, is not over
			c.queue.AddAfter(key, again.At.Sub(c.clock.Now()))
		}
		logger.Error(err, "Failed, will try again", "tries", c.queue.NumRequeues(key))
	default:
		c.queue.Forget(key)
		c.queue.AddAt(key, again.At, again.Rank)
	}
	return true
}

// longestReconcile bounds one look at one workload, so that a silent API server does not hold a worker for ever, nor
// the end of the process for longer than a cluster waits for it.
const longestReconcile = 20 * time.Second

// reconcile keeps a panic over one workload from ending the work on all others.
func (c *Controller) reconcile(ctx context.Context, key kind.Key) (again Again, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			c.reconciler.Metrics.count(resultError)
			c.reconciler.turns.failed(key, c.clock.Now())
		}
	}()
	return c.reconciler.Reconcile(ctx, key)
}

// again queues every workload that there is anything to do for: the clock has stepped, and timers do not see that.
func (c *Controller) again(ctx context.Context, by time.Duration) {
	klog.FromContext(ctx).Info("The clock has stepped, looking at everything again", "by", by.Round(time.Second).String())
	c.queue.agenda.alarm.ring() // timers do not see it
	c.addAll("", c.concerns)
}
