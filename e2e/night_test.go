package e2e_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"curfew/e2e/harness"
)

// TestNight is the classic: three by day, none by night. Each boundary costs
// exactly one write, and between them there is none.
func TestNight(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(8*time.Second, 5*time.Second)
	before := s.create("web", 3, annotations{harness.Windows: night.Rule("0"), harness.Replicas: "3"})

	s.awaitWrites("web", 3)
	s.awaitEvent("web", "WindowStarted")
	s.awaitEvent("web", "WindowEnded")
	s.settle()

	writes := s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
	s.untouched(before)
	if t.Failed() {
		return
	}
	for i, want := range []harness.WorkloadStatus{
		{State: "normal", Size: new(int32(3)), Until: night.Start.Format(time.RFC3339)},
		{State: "window", Size: new(int32(0)), Normal: new(int32(3)), Rule: night.Rule("0"), Until: night.End.Format(time.RFC3339)},
		{State: "normal", Size: new(int32(3)), Until: night.Start.AddDate(0, 0, 1).Format(time.RFC3339)},
	} {
		if diff := cmp.Diff(&want, writes[i].Status()); diff != "" {
			t.Errorf("the status in write %d (- want, + got):\n%s", i+1, diff)
		}
	}
}

// TestNeverEarly lets many Deployments reach boundaries of different size, at
// the same moment and at different ones: never early, and never late by much.
func TestNeverEarly(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	const deployments = 20
	size := []int32{0, 1, 5, 2}
	rule := []string{"0", "1", "5", "50%"} // of 3, rounded up
	windows := make([]harness.Window, deployments)
	name := func(i int) string { return fmt.Sprint("web-", i) }
	for i := range windows {
		windows[i] = harness.WindowIn(time.Duration(10+i/5)*time.Second, 4*time.Second)
		s.create(name(i), 3, annotations{harness.Windows: windows[i].Rule(rule[i%4]), harness.Replicas: "3"})
	}
	for i := range windows {
		s.awaitWrites(name(i), 3)
	}
	for i, window := range windows {
		s.curfewDid(name(i), adopted, at(window.Start, size[i%4]), at(window.End, 3))
	}
}

// TestNeighboursOfEqualSize are one window: no write where they meet.
func TestNeighboursOfEqualSize(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	first := harness.WindowIn(8*time.Second, 3*time.Second)
	second := harness.Window{Start: first.End, End: first.End.Add(3 * time.Second)}
	s.create("web", 3, annotations{
		harness.Windows:  first.Rule("0") + "\n" + second.Rule("0"),
		harness.Replicas: "3",
	})
	s.awaitWrites("web", 3)
	s.settle()
	s.curfewDid("web", adopted, at(first.Start, 0), at(second.End, 3))
}
