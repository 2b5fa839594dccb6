package e2e_test

import (
	"testing"
	"time"

	"curfew/e2e/harness"
)

// TestTakeover: of two Curfews the one that leads is killed. The other takes
// over and keeps the next boundary.
func TestTakeover(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	leader := s.startLeader()
	standby := s.start()
	s.must(standby.AwaitReady(s.ctx))

	night := harness.WindowIn(8*time.Second, leaseDuration+14*time.Second)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitState("web", "normal")
	s.awaitSize("web", 0)
	if standby.Leads() {
		t.Fatal("both lead")
	}
	leader.Kill()
	killed := time.Now()
	s.must(standby.AwaitLeader(s.ctx))
	t.Logf("the other leads after %v", time.Since(killed).Round(time.Millisecond))
	s.awaitSize("web", 3)
	s.settle()
	s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
}

// TestHandover: a leader that is asked to go leaves the lease behind, so the
// other need not wait for it to run out.
func TestHandover(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	// With this lease a successor that had to wait would come too late.
	const long = 60 * time.Second
	flags := []string{"--leader-elect-lease-duration=" + long.String(), "--leader-elect-renew-deadline=40s", "--leader-elect-retry-period=1s"}
	leader := s.startLeader(flags...)
	standby := s.start(flags...)
	s.must(standby.AwaitReady(s.ctx))
	s.create("web", 3, annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")})
	s.awaitSize("web", 0)

	asked := time.Now()
	code, err := leader.Terminate(s.ctx)
	s.must(err)
	if code != 0 {
		t.Errorf("exit code %d, want 0\n%s", code, leader.Log)
	}
	s.must(standby.AwaitLeader(s.ctx))
	if took := time.Since(asked); took > long/2 {
		t.Errorf("the other leads only after %v", took)
	}
	s.kubectl("scale deployment/web --replicas=2")
	s.awaitSize("web", 0)
}
