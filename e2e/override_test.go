package e2e_test

import (
	"strings"
	"testing"
	"time"

	"curfew/e2e/harness"
)

// until is an override of a size that ends after lead, at a whole second.
func until(size string, lead time.Duration) (override string, end time.Time) {
	end = time.Now().UTC().Add(lead).Truncate(time.Second)
	return size + " until " + end.Format(time.RFC3339), end
}

// TestOverride beats the rule, ends to the instant, and leaves the schedule and
// the memory as they were.
func TestOverride(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(-time.Hour, 3*time.Hour)
	before := s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitSize("web", 0)
	override, end := until("2", 6*time.Second)
	s.annotate("web", annotations{harness.Override: override})
	woken := s.awaitSize("web", 2)
	if got := woken.Annotations[harness.Remembered]; got != "3" {
		t.Errorf("the memory is %q, want 3", got)
	}
	if status := harness.StatusOf(woken); status.State != "override" || !strings.HasPrefix(status.Until, end.Format("2006-01-02T15:04:05")) {
		t.Errorf("status %+v, want an override until %v", status, end)
	}
	s.awaitEvent("web", "Overridden")
	s.awaitSize("web", 0)
	s.settle()
	s.curfewDid("web", did(0), did(2), at(end, 0))
	s.untouched(before)
}

// TestOverrideOfNormal gives back what is remembered, and takes it again.
func TestOverrideOfNormal(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.create("web", 3, annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")})
	s.awaitSize("web", 0)
	override, _ := until("normal", 5*time.Second)
	s.annotate("web", annotations{harness.Override: override})
	s.awaitSize("web", 3)
	s.awaitSize("web", 0)
}

// TestOverrideAlone needs no rules, and leaves nothing behind.
func TestOverrideAlone(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	override, _ := until("0", 5*time.Second)
	s.create("web", 3, annotations{harness.Override: override})
	s.awaitSize("web", 0)
	s.awaitSize("web", 3)
	s.nothingLeft("web")
}

// TestOverrideThatCannotBeRead is reported, and the schedule goes on, on time.
func TestOverrideThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a word": "tomorrow", "no offset": "3 until 2026-06-05T20:00:00", "no end": "force", "no size": "until 2099-01-01T00:00:00Z",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			night := harness.WindowIn(4*time.Second, time.Hour)
			s.create("web", 3, annotations{harness.Windows: night.Rule("0"), harness.Override: text})
			if event := s.awaitEvent("web", "InvalidAnnotation"); !strings.Contains(event.Note, harness.Override) || event.Type != "Warning" {
				t.Errorf("a %s event says %q", event.Type, event.Note)
			}
			status := harness.StatusOf(s.awaitState("web", "normal"))
			if !strings.Contains(status.Message, harness.Override) {
				t.Errorf("the status says %q", status.Message)
			}
			s.awaitSize("web", 0)
			s.curfewDid("web", adopted, at(night.Start, 0))
		})
	}
}

// TestOverrideOutlivesARestart: Curfew is killed, and the end is kept.
func TestOverrideOutlivesARestart(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	first := s.startLeader()
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.awaitSize("web", 0)
	override, end := until("2", leaseDuration+8*time.Second)
	s.annotate("web", annotations{harness.Override: override})
	s.awaitSize("web", 2)
	first.Kill()
	s.startLeader()
	s.awaitSize("web", 0)
	if now := time.Now(); now.Before(end) || now.Sub(end) > 5*time.Second {
		t.Errorf("the override ended at %v, not at %v", now, end)
	}
}
