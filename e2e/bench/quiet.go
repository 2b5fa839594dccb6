package bench

import (
	"context"
	"time"

	"curfew/e2e/cluster"
)

// upkeep picks what a Curfew without work asks for: its watches and its lease.
func upkeep(r cluster.Request) bool { return r.Verb == "watch" || r.Resource == "leases" }

// awaitQuiet waits until Curfew has asked for nothing but that for a while:
// it has written to every object, and its events are told. It gives how long
// after an instant that was.
func (s *stage) awaitQuiet(ctx context.Context, since time.Time) (time.Duration, error) {
	ctx, cancel := s.patience(ctx)
	defer cancel()
	for {
		begun := time.Now()
		if err := sleep(ctx, s.pause()/2); err != nil {
			return 0, err
		}
		recent, err := s.cluster.Audit(ctx, byCurfew, cluster.Since(begun), func(r cluster.Request) bool { return !upkeep(r) })
		if err != nil {
			return 0, err
		}
		if len(recent) == 0 {
			return begun.Sub(since), nil
		}
	}
}
