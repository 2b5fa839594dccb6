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

	"curfew/scaler"
)

// sink is the last step on an event's way to the API server.
type sink struct {
	events.EventSink
	arrived func() // is called for every event that needs no further try

	writing atomic.Int64  // how many requests are on their way
	begun   chan struct{} // has a token when one more is,
	ended   chan struct{} // and when one is no more
}

// Create writes a new event.
func (s *sink) Create(ctx context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	return s.send(event, func() (*eventsv1.Event, error) { return s.EventSink.Create(ctx, event) })
}

// Patch counts an event that happened again.
func (s *sink) Patch(ctx context.Context, event *eventsv1.Event, data []byte) (*eventsv1.Event, error) {
	return s.send(event, func() (*eventsv1.Event, error) { return s.EventSink.Patch(ctx, event, data) })
}

// send writes an event.
func (s *sink) send(event *eventsv1.Event, write func() (*eventsv1.Event, error)) (*eventsv1.Event, error) {
	s.writing.Add(1)
	tell(s.begun)
	defer func() {
		s.writing.Add(-1)
		tell(s.ended)
	}()
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

func tell(token chan<- struct{}) {
	select {
	case token <- struct{}{}:
	default:
	}
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
