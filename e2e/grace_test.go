package e2e_test

import (
	"strings"
	"testing"
	"time"

	"curfew/e2e/harness"
)

// A new Deployment may be left as it is for a while, so that a deploy at night can be seen to start.

// TestGraceEnds: it waits, and then the window has it.
func TestGraceEnds(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	web := s.create("web", 3, annotations{harness.Windows: "always = 0", harness.Grace: "8s"})
	end := web.CreationTimestamp.Add(8 * time.Second)
	status := harness.StatusOf(s.awaitState("web", "waiting"))
	if until, err := time.Parse(time.RFC3339, status.Until); err != nil || !until.Equal(end) {
		t.Errorf("it waits until %q, want %v", status.Until, end)
	}
	s.awaitWrites("web", 2)
	s.settle()
	s.curfewDid("web", adopted, at(end, 0))
	if got := s.get("web").Annotations[harness.Remembered]; got != "3" {
		t.Errorf("remembered %q, want 3", got)
	}
	s.untouched(web)
}

// TestGraceIsOver: what is older than that is not new, whenever its rules come.
func TestGraceIsOver(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 3, annotations{harness.Grace: "2s"})
	s.settle()
	s.settle()
	s.annotate("web", annotations{harness.Windows: "always = 0"})
	s.awaitSize("web", 0)
	s.settle()
	s.curfewDid("web", step{size: 0})
}

// TestGraceMistake: a grace that cannot be read is reported, and nothing is touched.
func TestGraceMistake(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 3, annotations{harness.Windows: "always = 0", harness.Grace: "soon"})
	status := harness.StatusOf(s.awaitState("web", "invalid"))
	if !strings.Contains(status.Message, harness.Grace) {
		t.Errorf("the status does not name the annotation: %s", status.Message)
	}
	s.awaitEvent("web", "InvalidAnnotation")
	s.settle()
	s.curfewDid("web", adopted)
}

// TestGracePeriod is for all, but for those that say otherwise.
func TestGracePeriod(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	s.startLeader("--grace-period=8s")
	web := s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.create("at-once", 3, annotations{harness.Windows: "always = 0", harness.Grace: "0s"})
	s.awaitSize("at-once", 0)
	s.awaitWrites("web", 2)
	s.settle()
	s.curfewDid("at-once", step{size: 0})
	s.curfewDid("web", adopted, at(web.CreationTimestamp.Add(8*time.Second), 0))
}
