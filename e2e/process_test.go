package e2e_test

import (
	"context"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/harness"
)

// How the process ends. A supervisor restarts what ends badly, so the exit code
// matters; and a lease that is left behind keeps a successor waiting.

// TestSIGTERM: 0, in seconds, and the lease is free.
func TestSIGTERM(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	curfew := s.startLeader()
	s.create("web", 3, annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")})
	s.awaitSize("web", 0)

	asked := time.Now()
	code, err := curfew.Terminate(s.ctx)
	s.must(err)
	if code != 0 {
		t.Errorf("exit code %d, want 0\n%s", code, curfew.Log)
	}
	if took := time.Since(asked); took > 5*time.Second {
		t.Errorf("it took %v to end", took)
	}
	if lease := s.lease(); lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
		t.Errorf("the lease is still held by %s", *lease.Spec.HolderIdentity)
	}
}

// TestSIGTERMOfTheStandby: the same, and the leader keeps its lease.
func TestSIGTERMOfTheStandby(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.startLeader()
	standby := s.start()
	s.must(standby.AwaitReady(s.ctx))

	asked := time.Now()
	code, err := standby.Terminate(s.ctx)
	s.must(err)
	if code != 0 {
		t.Errorf("exit code %d, want 0\n%s", code, standby.Log)
	}
	if took := time.Since(asked); took > 5*time.Second {
		t.Errorf("it took %v to end", took)
	}
	if lease := s.lease(); lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" {
		t.Error("the standby has released the leader's lease")
	}
}

// TestLostLease: whoever no longer leads must not go on, and says that it failed.
func TestLostLease(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	curfew := s.startLeader()

	// Somebody else has it, for an hour. The thief may have to try more than
	// once, for the owner writes to it as well.
	lease := s.lease()
	thief, hour, now := "a thief", int32(3600), metav1.NewMicroTime(time.Now())
	for {
		lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds, lease.Spec.RenewTime = &thief, &hour, &now
		_, err := s.cluster.Client.CoordinationV1().Leases(s.home).Update(s.ctx, lease, metav1.UpdateOptions{})
		if err == nil {
			break
		}
		if !isConflict(err) {
			t.Fatal(err)
		}
		lease = s.lease()
	}
	ctx, cancel := context.WithTimeout(s.ctx, 30*time.Second)
	defer cancel()
	code, err := curfew.Wait(ctx)
	s.must(err)
	if code == 0 {
		t.Errorf("exit code 0 after a lost lease, want another\n%s", curfew.Log)
	}
	if holder := s.lease().Spec.HolderIdentity; holder == nil || *holder != thief {
		t.Error("on its way out it has taken the lease from its new owner")
	}
}

func (s *space) lease() *coordinationv1.Lease {
	s.Helper()
	lease, err := s.cluster.Client.CoordinationV1().Leases(s.home).Get(s.ctx, "curfew", metav1.GetOptions{})
	s.must(err)
	return lease
}
