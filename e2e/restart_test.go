package e2e_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/harness"
)

// The state at an instant is which windows hold then, never whether anybody was
// there to see them open.

// TestAwayWhenAWindowOpens: the first look puts it right.
func TestAwayWhenAWindowOpens(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	curfew := s.startLeader()
	night := harness.WindowIn(8*time.Second, time.Hour)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0"), harness.Replicas: "3"})
	s.awaitState("web", "normal")

	curfew.Kill()
	s.sleepUntil(night.Start.Add(time.Second))
	back := time.Now()
	s.start()
	s.awaitSize("web", 0)
	s.settle()

	writes := s.curfewDid("web", adopted, step{size: 0})
	// It comes as soon as the dead leader's lease has run out.
	if late := writes[len(writes)-1].Done.Sub(back); late > leaseDuration+10*time.Second {
		t.Errorf("the size is right %v after the start", late)
	}
}

// TestAwayWhenAWindowCloses: the memory is on the object, so it is not lost.
func TestAwayWhenAWindowCloses(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	curfew := s.startLeader()
	night := harness.WindowIn(-time.Hour, time.Hour+12*time.Second)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitSize("web", 0)

	curfew.Kill()
	s.sleepUntil(night.End.Add(time.Second))
	s.start()
	s.awaitSize("web", 3)
	s.settle()
	s.curfewDid("web", step{size: 0}, step{size: 3})
	s.awaitEvent("web", "WindowEnded")
}

// TestRestartWithNothingToDo: killed and started again, with everything as it should be, it writes nothing.
func TestRestartWithNothingToDo(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	open, shut := harness.WindowIn(-time.Hour, 3*time.Hour), harness.WindowIn(time.Hour, time.Hour)
	curfew := s.startLeader()
	s.create("asleep", 3, annotations{harness.Windows: open.Rule("0")})
	s.create("held", 3, annotations{harness.Windows: shut.Rule("0"), harness.Replicas: "3"})
	s.create("awake", 3, annotations{harness.Windows: shut.Rule("0")})
	s.create("broken", 3, annotations{harness.Windows: "Mon-Fri 8-20 = 0"})
	s.awaitSize("asleep", 0)
	s.awaitState("held", "normal")
	s.awaitState("awake", "normal")
	s.awaitState("broken", "invalid")
	names := []string{"asleep", "held", "awake", "broken"}
	before := map[string]string{}
	for _, name := range names {
		before[name] = s.get(name).Annotations[harness.Status]
	}
	curfew.Kill()

	// One worker: what comes later is handled later. So when the last one has
	// been handled, all others have been.
	s.startLeader("--workers=1")
	s.create("last", 3, annotations{harness.Windows: open.Rule("0")})
	s.awaitSize("last", 0)
	s.settle()
	for _, name := range names {
		if writes := s.writes(name); len(writes) != 1 {
			t.Errorf("%s was written to again: %v", name, writes)
		}
		if after := s.get(name).Annotations[harness.Status]; after != before[name] {
			t.Errorf("the status of %s has changed from %s to %s", name, before[name], after)
		}
	}
}

// TestAnnotatedInsideAWindow: the annotation put on in the middle of its window counts at once, and until
// that window's end.
func TestAnnotatedInsideAWindow(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	before := s.create("web", 3, nil)
	night := harness.WindowIn(-time.Hour, time.Hour+15*time.Second)
	s.update("web", func(d *appsv1.Deployment) { d.Annotations[harness.Windows] = night.Rule("0") })

	asleep := s.awaitSize("web", 0)
	status := harness.StatusOf(asleep)
	if status == nil || status.Until != night.End.Format(time.RFC3339) {
		t.Errorf("the next change is %s, want the end of the window, %v", asleep.Annotations[harness.Status], night.End)
	}
	s.awaitSize("web", 3)
	s.settle()
	s.curfewDid("web", step{size: 0}, at(night.End, 3))
	before.Annotations[harness.Windows] = night.Rule("0")
	s.untouched(before)
}
