package main

import (
	"context"
	"sync/atomic"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
)

// recorder records events, and knows how many are still on their way.
type recorder struct {
	events.EventRecorder
	asked, sent atomic.Int64
	progress    chan struct{} // has a token when sent has grown
}

// newRecorder writes events through a client of its own, so that telling what was done never delays doing it.
func newRecorder(ctx context.Context, config *rest.Config) (*recorder, error) {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(rest.CopyConfig(config), "events"))
	if err != nil {
		return nil, err
	}
	r := &recorder{progress: make(chan struct{}, 1)}
	broadcaster := events.NewBroadcaster(&sink{&events.EventSinkImpl{Interface: client.EventsV1()}, r})
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return nil, err
	}
	r.EventRecorder = broadcaster.NewRecorder(scheme.Scheme, "curfew")
	return r, nil
}

// Eventf records an event.
func (r *recorder) Eventf(regarding, related runtime.Object, kind, reason, action, note string, args ...any) {
	r.asked.Add(1)
	r.EventRecorder.Eventf(regarding, related, kind, reason, action, note, args...)
}

// longestFlush bounds the wait for events: they are news, not the work itself.
const longestFlush = 5 * time.Second

// flush waits until every event is written, for a process that is about to end.
func (r *recorder) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, longestFlush)
	defer cancel()
	for r.sent.Load() < r.asked.Load() {
		select {
		case <-ctx.Done():
			return
		case <-r.progress:
		}
	}
}

// sink counts what arrives at the API server.
type sink struct {
	events.EventSink
	recorder *recorder
}

// Create writes a new event.
func (s *sink) Create(ctx context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	created, err := s.EventSink.Create(ctx, event)
	return created, s.arrived(err)
}

// Patch counts an event that happened again.
func (s *sink) Patch(ctx context.Context, event *eventsv1.Event, data []byte) (*eventsv1.Event, error) {
	patched, err := s.EventSink.Patch(ctx, event, data)
	return patched, s.arrived(err)
}

func (s *sink) arrived(err error) error {
	if err == nil {
		s.recorder.sent.Add(1)
		select {
		case s.recorder.progress <- struct{}{}:
		default:
		}
	}
	return err
}
