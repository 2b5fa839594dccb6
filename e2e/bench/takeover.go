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
	writes, err := s.awaitWrites(ctx, s.objects, byCurfew, armed)
	if err != nil {
		return err
	}
	took := lastDone(writes).Sub(killed)
	left := 0
	for _, write := range writes {
		if write.Received.After(killed.Add(leads / 2)) {
			left++
		}
	}
	s.figure("leader killed: another one leads", leads.Seconds(), "s", "as long as the lease lasts, or a little more")
	s.figure("leader killed: everything right", took.Seconds(), "s", fmt.Sprintf("%d writes were left", left))
	s.figure("leader killed: from leading to right", (took - leads).Seconds(), "s", "")
	v, _, err := s.judge(ctx, armed, func(o object, i int) bool { return o.isDown(i, window) })
	s.report("leader killed", v)
	return err
}
