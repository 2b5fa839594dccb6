package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"

	"curfew/scaler"
)

// mostWaiting bounds how many events wait to be written, and with them the memory: the broadcaster holds a goroutine
// and two copies of the event for each, some 10 KB. Events come no faster than the writes that they tell of, and may go
// out at the same pace, so only an API server that takes writes and is slow to take events ever lets so many wait.
const mostWaiting = 2000

// sink is the last step on an event's way to the API server.
type sink struct {
	events.EventSink
	arrived func() // is called for every event that needs no further try

	waiting, dropped atomic.Int64
}

// Create writes a new event.
func (s *sink) Create(ctx context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	return s.send(ctx, event, func() (*eventsv1.Event, error) { return s.EventSink.Create(ctx, event) })
}

// Patch counts an event that happened again.
func (s *sink) Patch(ctx context.Context, event *eventsv1.Event, data []byte) (*eventsv1.Event, error) {
	return s.send(ctx, event, func() (*eventsv1.Event, error) { return s.EventSink.Patch(ctx, event, data) })
}

// send writes an event unless too many wait already; then it is dropped, which is said once until there is room again.
func (s *sink) send(ctx context.Context, event *eventsv1.Event, write func() (*eventsv1.Event, error)) (*eventsv1.Event, error) {
	waiting := s.waiting.Add(1)
	defer s.waiting.Add(-1)
	if waiting > mostWaiting {
		if s.dropped.Add(1) == 1 {
			klog.FromContext(ctx).Error(nil, "Events are taken too slowly: some are dropped", "waiting", mostWaiting)
		}
		s.arrived()
		return event, nil
	}
	if lost := s.dropped.Load(); lost > 0 && waiting < mostWaiting/2 && s.dropped.CompareAndSwap(lost, 0) {
		klog.FromContext(ctx).Info("Events are taken again", "dropped", lost)
	}
	rename(event)
	written, err := write()
	var refused *apierrors.StatusError
	if err == nil || errors.As(err, &refused) { // what the API server has refused, the broadcaster does not try again
		s.arrived()
	}
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return event, nil // there is nobody left to tell
	}
	return written, err
}

// rename gives an event that tells of a state, and that no status remembers, a name made of what it says. Then the API
// server has it once, however often Curfew starts anew and finds the same again, for as long as it keeps events.
func rename(event *eventsv1.Event) {
	if event.Reason != scaler.EventWriteRefused && event.Reason != scaler.EventWakeTimedOut && event.Regarding.Kind != "Namespace" {
		return
	}
	sum := fnv.New64a()
	fmt.Fprintln(sum, event.Regarding.UID, event.Reason, event.Note)
	if name := fmt.Sprintf("%s.%016x", event.Regarding.Name, sum.Sum64()); len(name) <= validation.DNS1123SubdomainMaxLength {
		event.Name = name
	}
}
