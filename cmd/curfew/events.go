package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/reference"
	"k8s.io/klog/v2"
)

// recorder records events, a few at a time: ten thousand workloads that are scaled at once are as many events, and the
// API server should do the scaling first. It knows how many are still on their way.
type recorder struct {
	logger    klog.Logger
	broadcast events.EventRecorder
	sink      *sink
	backlog   chan *record
	dropped   atomic.Int64 // since there was no more room

	busy atomic.Pointer[func() bool] // whether there is something more urgent than events

	asked, done atomic.Int64
	progress    chan struct{} // has a token when done has grown
}

// record is an event that waits for its turn. It holds no more of the object than what the event says of it.
type record struct {
	regarding                  *corev1.ObjectReference
	kind, reason, action, note string
}

// mostWaiting bounds how many events wait, and with them the memory: it takes some 500 bytes each.
const mostWaiting = 20_000

// newRecorder writes events through a client of its own, so that telling what was done never delays doing it.
func newRecorder(ctx context.Context, config *rest.Config) (*recorder, error) {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(rest.CopyConfig(config), "events"))
	if err != nil {
		return nil, err
	}
	return recordTo(ctx, &events.EventSinkImpl{Interface: client.EventsV1()})
}

func recordTo(ctx context.Context, target events.EventSink) (*recorder, error) {
	r := &recorder{
		logger:   klog.FromContext(ctx),
		backlog:  make(chan *record, mostWaiting),
		progress: make(chan struct{}, 1),
	}
	r.sink = &sink{EventSink: target, arrived: r.arrived, begun: make(chan struct{}, 1), ended: make(chan struct{}, 1)}
	broadcaster := events.NewBroadcaster(r.sink)
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, broadcaster.Shutdown)
	r.broadcast = broadcaster.NewRecorder(scheme.Scheme, "curfew")
	go r.feed(ctx)
	return r, nil
}

// Eventf records an event. It never waits: when too many do already, the event is dropped, which is said once until
// there is room again.
func (r *recorder) Eventf(regarding, _ runtime.Object, kind, reason, action, note string, args ...any) {
	about, err := reference.GetReference(scheme.Scheme, regarding)
	if err != nil {
		r.logger.Error(err, "No event can be about this", "reason", reason)
		return
	}
	r.asked.Add(1)
	select {
	case r.backlog <- &record{about, kind, reason, action, fmt.Sprintf(note, args...)}:
	default:
		r.asked.Add(-1)
		if r.dropped.Add(1) == 1 {
			r.logger.Error(nil, "Events are taken too slowly: some are dropped", "waiting", mostWaiting)
		}
	}
}

// longestYield is how long an event waits for what is more urgent. Where that has no end, a few get through all the same.
const longestYield = 250 * time.Millisecond

// yield waits while there is something more urgent.
func (r *recorder) yield(ctx context.Context) {
	for waited := time.Duration(0); waited < longestYield; waited += longestMerge {
		if busy := r.busy.Load(); busy == nil || !(*busy)() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(longestMerge):
		}
	}
}

// atOnce is how many events are written at the same time.
const atOnce = 4

// feed hands the events on, each when there is room for it.
func (r *recorder) feed(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case next := <-r.backlog:
			r.yield(ctx)
			drain(r.sink.begun)
			r.broadcast.Eventf(next.regarding, nil, next.kind, next.reason, next.action, "%s", next.note)
			r.await(ctx)
		}
		if lost := r.dropped.Load(); lost > 0 && len(r.backlog) < mostWaiting/2 && r.dropped.CompareAndSwap(lost, 0) {
			r.logger.Info("Events are taken again", "dropped", lost)
		}
	}
}

// How long the next event waits for those that are being written, and how long for one that nothing is heard of: the
// broadcaster has merely raised the count of another in memory.
const (
	longestWrite = time.Second
	longestMerge = 20 * time.Millisecond
)

// mostWriting bounds how many events an API server that does not answer holds; each holds some 10 KB here.
const mostWriting = 100

// await waits until the event that was handed on is being written, and until there is room for the next one.
func (r *recorder) await(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-r.sink.begun:
	case <-time.After(longestMerge):
	}
	for waited := time.Duration(0); waited < longestWrite || r.sink.writing.Load() >= mostWriting; waited += longestMerge {
		if r.sink.writing.Load() < atOnce {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-r.sink.ended:
		case <-time.After(longestMerge):
		}
	}
}

func drain(tokens <-chan struct{}) {
	select {
	case <-tokens:
	default:
	}
}

// arrived notes that an event needs no further try.
func (r *recorder) arrived() {
	r.done.Add(1)
	tell(r.progress)
}

// How long a process that ends waits for its events, which are news and not the work itself: in all, and without any
// of them arriving. (One that merely raises the count of another in memory never does.)
const (
	longestFlush = 5 * time.Second
	longestQuiet = time.Second
)

// flush waits until the events are written, for a process that is about to end.
func (r *recorder) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, longestFlush)
	defer cancel()
	for r.done.Load() < r.asked.Load() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(longestQuiet):
			return
		case <-r.progress:
		}
	}
}
