package main

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
)

// recorder records events, and knows how many are still on their way.
type recorder struct {
	events.EventRecorder
	asked, done atomic.Int64
	progress    chan struct{} // has a token when done has grown
}

// newRecorder writes events through a client of its own, so that telling what was done never delays doing it.
func newRecorder(ctx context.Context, config *rest.Config) (*recorder, error) {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(rest.CopyConfig(config), "events"))
	if err != nil {
		return nil, err
	}
	return recordTo(ctx, &events.EventSinkImpl{Interface: client.EventsV1()})
}

func recordTo(ctx context.Context, target events.EventSink) (*recorder, error) {
	r := &recorder{progress: make(chan struct{}, 1)}
	broadcaster := events.NewBroadcaster(&sink{EventSink: target, arrived: r.arrived})
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, broadcaster.Shutdown)
	r.EventRecorder = broadcaster.NewRecorder(scheme.Scheme, "curfew")
	return r, nil
}

// Eventf records an event.
func (r *recorder) Eventf(regarding, related runtime.Object, kind, reason, action, note string, args ...any) {
	r.asked.Add(1)
	r.EventRecorder.Eventf(regarding, related, kind, reason, action, note, args...)
}

func (r *recorder) arrived() {
	r.done.Add(1)
	select {
	case r.progress <- struct{}{}:
	default:
	}
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
