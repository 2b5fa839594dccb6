package main

import (
	"context"
	"fmt"
	"time"

	eventsv1 "k8s.io/api/events/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// The API server's audit log is the witness: what it does not have has not
// happened, and its times are those of the story.

// await waits for the first request about the shop that passes the filters.
func (s *stage) await(ctx context.Context, what string, filters ...cluster.Filter) (cluster.Request, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("that did not happen within %v", limit))
	defer cancel()
	filters = append(filters, cluster.Writes, cluster.Succeeded, cluster.To("deployments"), cluster.In("default"), cluster.Named("shop"))
	requests, err := s.cluster.AwaitAudit(ctx, 1, filters...)
	if err != nil {
		return cluster.Request{}, fmt.Errorf("%s: %w", what, err)
	}
	return requests[0], nil
}

// awaitSize waits until Curfew has written a size, at some moment or later.
func (s *stage) awaitSize(ctx context.Context, size int32, moment time.Time) (cluster.Request, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, moment.Add(limit), fmt.Errorf("that did not happen within %v", limit))
	defer cancel()
	filters := []cluster.Filter{curfewsResizes, cluster.Since(moment), cluster.Writes, cluster.Succeeded,
		cluster.To("deployments"), cluster.In("default"), cluster.Named("shop")}
	requests, err := s.cluster.AwaitAudit(ctx, 1, filters...)
	if err != nil {
		return cluster.Request{}, fmt.Errorf("curfew scales the shop to %d: %w", size, err)
	}
	writes, err := harness.ReadWrites(requests[:1])
	if err != nil {
		return cluster.Request{}, err
	}
	if got := *writes[0].Replicas; got != size {
		return cluster.Request{}, fmt.Errorf("curfew scaled the shop to %d, not to %d", got, size)
	}
	return requests[0], nil
}

// curfewsResizes picks Curfew's writes of a size.
func curfewsResizes(request cluster.Request) bool {
	if request.User != harness.User(harness.Namespace) {
		return false
	}
	writes, err := harness.ReadWrites([]cluster.Request{request})
	return err == nil && writes[0].Replicas != nil
}

func (s *stage) awaitEvent(ctx context.Context, reason string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("that did not happen within %v", limit))
	defer cancel()
	_, err := s.cluster.AwaitEvent(ctx, "default", "the event "+reason, func(e *eventsv1.Event) bool {
		return e.Reason == reason && e.Regarding.Name == "shop"
	})
	return err
}

// countWrites checks that Curfew made the four writes of the story and not one
// more.
func (s *stage) countWrites(ctx context.Context) error {
	requests, err := s.cluster.Audit(ctx, cluster.By(harness.User(harness.Namespace)), cluster.Writes, cluster.Succeeded,
		cluster.To("deployments"), cluster.Named("shop"))
	if err != nil {
		return err
	}
	if len(requests) != 4 {
		return fmt.Errorf("curfew wrote to the shop %d times, want 4: %v", len(requests), requests)
	}
	s.say("By the API server's audit log these were Curfew's only writes to the shop: 3, 0, 0 and 3.")
	return nil
}
