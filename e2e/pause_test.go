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

// TestPausedBeforeAWindow: unpaused in the middle of it, the window counts at once.
func TestPausedBeforeAWindow(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(6*time.Second, time.Hour)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0"), harness.Replicas: "3", harness.Paused: "true"})
	s.awaitState("web", "paused")
	s.kubectl("scale deployment/web --replicas=4")
	s.sleepUntil(night.Start.Add(prompt))
	s.curfewDid("web", step{size: statusOnly})
	s.annotate("web", annotations{harness.Paused: "false"})
	unpaused := s.scaledAt("web")
	s.awaitSize("web", 0)
	s.settle()
	s.curfewDid("web", step{size: statusOnly}, at(unpaused, 0))
}

// TestPausedBeatsOverride: the nearest override does not count either.
func TestPausedBeatsOverride(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 3, annotations{harness.Override: override("0", in(time.Hour)), harness.Paused: "true"})
	s.awaitState("web", "paused")
	s.settle()
	s.curfewDid("web", step{size: statusOnly})
}

// TestPausedByTheNamespace: all in it are, but for one that says otherwise.
func TestPausedByTheNamespace(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.saysNow(annotations{harness.Windows: "always = 0", harness.Paused: "true"})
	s.create("web", 3, nil)
	s.create("own-rules", 3, annotations{harness.Windows: "always = 1"})
	s.create("not-me", 3, annotations{harness.Paused: "false"})
	s.awaitState("web", "paused")
	s.awaitState("own-rules", "paused")
	s.awaitSize("not-me", 0)
	s.settle()
	s.curfewDid("web", step{size: statusOnly})
	s.curfewDid("own-rules", step{size: statusOnly})
	s.curfewDid("not-me", step{size: 0})

	s.saysNow(annotations{harness.Paused: ""}) // removed
	s.awaitSize("web", 0)
	s.awaitSize("own-rules", 1)
	s.settle()
	s.curfewDid("web", step{size: statusOnly}, step{size: 0})
	s.curfewDid("own-rules", step{size: statusOnly}, step{size: 1})
	s.curfewDid("not-me", step{size: 0})
}

// TestPausedStrictly: only "true" and "false" mean anything.
func TestPausedStrictly(t *testing.T) {
	t.Parallel()
	for text, state := range map[string]string{"false": "window", "True": "invalid", "1": "invalid"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			s.create("web", 3, annotations{harness.Windows: "always = 0", harness.Paused: text})
			status := harness.StatusOf(s.awaitState("web", state))
			if state == "window" {
				s.curfewDid("web", step{size: 0})
				return
			}
			event := s.awaitEvent("web", "InvalidAnnotation")
			for place, got := range map[string]string{"the event": event.Note, "the status": status.Message} {
				if !strings.Contains(got, harness.Paused) || !strings.Contains(got, text) {
					t.Errorf("%s does not name the annotation and what it says: %s", place, got)
				}
			}
			s.settle()
			s.curfewDid("web", step{size: statusOnly})
		})
	}
}
