package bench

import (
	"context"
	"fmt"
	"time"

	"curfew/e2e/harness"
)

// measureTakeover kills the leader in the middle of a boundary of all objects. A
// standby carries on.
func (s *stage) measureTakeover(ctx context.Context, leader *harness.Curfew) error {
	s.say("a leader that is killed at the boundary")
	standby, err := s.startCurfew()
	if err != nil {
		return err
	}
	defer standby.Kill()
	patience, cancel := s.patience(ctx)
	defer cancel()
	if err := standby.AwaitReady(patience); err != nil {
		return err
	}
	window, armed, _, err := s.arm(ctx)
	if err != nil {
		return err
	}
	if _, err := s.awaitWrites(ctx, max(1, s.objects/10), byCurfew, armed); err != nil {
		return err
	}
	leader.Kill()
	killed := time.Now()
	if standby.Leads() {
		return fmt.Errorf("both lead:\n%s", tail(standby.Log))
	}
	if err := standby.AwaitLeader(patience); err != nil {
		return err
	}
	leads := time.Since(killed)
	// Not until there were so many writes: what the killed one had asked for last
	// may have been carried out for nobody, which is no success to the audit log.
	right := func(o object, i int) bool { return o.isDown(i, window) }
	if err := s.awaitRight(patience, right); err != nil {
		return err
	}
	writes, err := s.attempts(ctx, byCurfew, killed.Add(leads/2))
	if err != nil {
		return err
	}
	took := leads
	if len(writes) > 0 {
		took = lastDone(writes).Sub(killed)
	}
	s.figure("leader killed: another one leads", leads.Seconds(), "s", "as long as the lease lasts, or a little more")
	s.figure("leader killed: everything right", took.Seconds(), "s", fmt.Sprintf("%d writes were left", len(writes)))
	s.figure("leader killed: from leading to right", (took - leads).Seconds(), "s", "")
	v, _, err := s.judge(ctx, armed, right)
	if err != nil {
		return err
	}
	s.figure("leader killed: writes without an answer, or refused", float64(v.failures+v.conflicts), "", "")
	s.figure("leader killed: extra writes", float64(v.extra), "", "").mustBe(0)
	s.figure("leader killed: objects wrong at the end", float64(v.wrong), "", "").mustBe(0)
	return nil
}
