package bench

import (
	"context"
	"time"

	"curfew/e2e/cluster"
)

// upkeep picks what a Curfew without work asks for: its watches and its lease.
func upkeep(r cluster.Request) bool { return r.Verb == "watch" || r.Resource == "leases" }

// awaitQuiet waits until Curfew has asked for nothing but that for a second: it
// has written to every object, and its events are told. It gives how long after
// an instant that was.
func (s *stage) awaitQuiet(ctx context.Context, since time.Time) (time.Duration, error) {
	ctx, cancel := s.patience(ctx)
	defer cancel()
	for {
		if err := sleep(ctx, time.Second); err != nil {
			return 0, err
		}
		begun := time.Now().Add(-time.Second)
		recent, err := s.cluster.Audit(ctx, byCurfew, cluster.Since(begun), func(r cluster.Request) bool { return !upkeep(r) })
		if err != nil {
			return 0, err
		}
		if len(recent) == 0 {
			return begun.Sub(since), nil
		}
	}
}
