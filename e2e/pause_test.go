package e2e_test

import (
	"strings"
	"testing"
	"time"

	"curfew/e2e/harness"
)

// TestPaused touches nothing over a boundary and a kubectl scale, keeps what it
// remembers, and goes to what is right when it is over.
func TestPaused(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(-time.Minute, time.Minute+6*time.Second)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitSize("web", 0)
	s.annotate("web", annotations{harness.Paused: "true"})
	s.awaitState("web", "paused")
	s.kubectl("scale deployment/web --replicas=1")
	s.sleepUntil(night.End.Add(time.Second))
	s.settle()
	paused := s.get("web")
	if got, memory := harness.Size(paused), paused.Annotations[harness.Remembered]; got != 1 || memory != "3" {
		t.Errorf("paused, the size is %d and the memory %q, want 1 and 3", got, memory)
	}
	s.curfewDid("web", did(0), adopted)
	s.annotate("web", annotations{harness.Paused: "false"})
	s.awaitSize("web", 3)
}

// TestPausedIsStrict: what is neither true nor false is a mistake.
func TestPausedIsStrict(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.create("web", 3, annotations{harness.Windows: "always = 0", harness.Paused: "yes"})
	if event := s.awaitEvent("web", "InvalidAnnotation"); !strings.Contains(event.Note, harness.Paused) || !strings.Contains(event.Note, "yes") {
		t.Errorf("the event says %q", event.Note)
	}
	s.awaitState("web", "invalid")
	if got := harness.Size(s.get("web")); got != 3 {
		t.Errorf("size %d, want it left at 3", got)
	}
	s.annotate("web", annotations{harness.Paused: "false"})
	s.awaitSize("web", 0)
}

// TestGrace leaves a new Deployment as it is for a while.
func TestGrace(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	created := s.create("web", 3, annotations{harness.Windows: "always = 0", harness.Grace: "6s"})
	s.awaitState("web", "waiting")
	if got := harness.Size(s.get("web")); got != 3 {
		t.Errorf("size %d while it is new, want 3", got)
	}
	s.awaitSize("web", 0)
	if age := time.Since(created.CreationTimestamp.Time); age < 6*time.Second {
		t.Errorf("it was scaled at the age of %v", age)
	}
}
