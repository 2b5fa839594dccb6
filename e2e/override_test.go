package e2e_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

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

// override is the annotation's value for a size until some moment.
func override(size string, until time.Time) string {
	return size + " until " + until.Format(time.RFC3339)
}

// in is a moment that far ahead, rounded up to a whole second.
func in(lead time.Duration) time.Time { return harness.WindowIn(lead, 0).Start }

// TestOverrideAndTheSchedule: put on in the middle of a window. One write, one at its end, and the schedule goes on as if nothing
// had been.
func TestOverrideAndTheSchedule(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		given annotations
		size  string
		want  int32
	}{
		"normal, remembered": {nil, "normal", 3},
		"normal, given":      {annotations{harness.Replicas: "3"}, "normal", 3},
		"a size, remembered": {nil, "2", 2},
		"a size, given":      {annotations{harness.Replicas: "3"}, "2", 2},
		"more than normal":   {nil, "5", 5},
		"a share of normal":  {nil, "50%", 2},
		"in another zone":    {nil, "normal", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			night := harness.WindowIn(-time.Hour, time.Hour+20*time.Second)
			before := s.create("web", 3, test.given)
			s.annotate("web", annotations{harness.Windows: night.Rule("0")})
			s.awaitSize("web", 0)

			end := in(8 * time.Second)
			if name == "in another zone" {
				end = end.In(time.FixedZone("", -(5*60+30)*60))
			}
			s.annotate("web", annotations{harness.Override: override(test.size, end)})
			said := time.Now()
			held := s.awaitState("web", "override")
			if took := time.Since(said); took > prompt {
				t.Errorf("it counts after %v only", took)
			}
			if got := harness.Size(held); got != test.want {
				t.Errorf("size %d comes with the status, want %d", got, test.want)
			}
			status := harness.StatusOf(held)
			if until, err := time.Parse(time.RFC3339, status.Until); err != nil || !until.Equal(end) {
				t.Errorf("the status says until %q, want %v", status.Until, end)
			}
			s.awaitEvent("web", "Overridden")
			s.awaitWrites("web", 4)
			s.settle()
			s.curfewDid("web", step{size: 0}, step{size: test.want}, at(end, 0), at(night.End, 3))
			s.untouched(before)
		})
	}
}

// TestOverrideWithdrawn: taken off before its end, or moved, it counts at once.
func TestOverrideWithdrawn(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 3, annotations{harness.Windows: "always = 0", harness.Override: override("2", in(time.Hour))})
	s.awaitSize("web", 2)
	end := in(6 * time.Second)
	s.annotate("web", annotations{harness.Override: override("4", end)})
	s.awaitWrites("web", 3) // 2, 4, and 0 at the new end
	s.annotate("web", annotations{harness.Override: override("5", in(time.Hour))})
	s.awaitSize("web", 5)
	s.update("web", func(d *appsv1.Deployment) { delete(d.Annotations, harness.Override) })
	s.awaitSize("web", 0)
	s.settle()
	s.curfewDid("web", step{size: 2}, step{size: 4}, at(end, 0), step{size: 5}, step{size: 0})
	if got := s.get("web").Annotations[harness.Remembered]; got != "3" {
		t.Errorf("remembered %q, want 3", got)
	}
}

// TestOverrideRunOut: one that has run out counts as absent, and is no mistake.
func TestOverrideRunOut(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	gone := override("5", in(-time.Hour))
	s.create("ruled", 3, annotations{harness.Windows: "always = 0", harness.Override: gone})
	s.create("bare", 3, annotations{harness.Override: gone})
	s.awaitSize("ruled", 0)
	if status := harness.StatusOf(s.awaitState("ruled", "window")); status.Message != "" {
		t.Errorf("the status complains: %s", status.Message)
	}
	s.settle()
	s.curfewDid("ruled", step{size: 0})
	s.curfewDid("bare")
}

// TestOverrideNearest: a Deployment's beats its Namespace's as long as it runs, and no longer.
func TestOverrideNearest(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	near, far := in(12*time.Second), in(20*time.Second)
	s.saysNow(annotations{harness.Override: override("5", far)})
	s.create("both", 3, annotations{harness.Windows: "always = 0", harness.Override: override("2", near)})
	s.create("ran-out", 3, annotations{harness.Windows: "always = 0", harness.Override: override("2", in(-time.Minute))})
	s.create("bare", 3, nil)
	s.create("opted-out", 3, annotations{harness.Windows: "none"})
	s.create("opted-out-but-for-now", 3, annotations{harness.Windows: "none", harness.Override: override("1", near)})
	s.awaitWrites("both", 3)
	s.awaitWrites("ran-out", 2)
	s.awaitWrites("bare", 2)
	s.settle()
	s.curfewDid("both", step{size: 2}, at(near, 5), at(far, 0))
	s.curfewDid("ran-out", step{size: 5}, at(far, 0))
	s.curfewDid("bare", step{size: 5}, at(far, 3))
	s.nothingLeft("bare")
	s.curfewDid("opted-out")
	s.curfewDid("opted-out-but-for-now", step{size: 1}, at(near, 3))
}

// TestOverrideWithoutRules: it needs none, and gives back at its end.
func TestOverrideWithoutRules(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]annotations{"remembered": {}, "given": {harness.Replicas: "3"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			end := in(8 * time.Second)
			given[harness.Override] = override("0", end)
			before := s.create("web", 3, given)
			s.awaitSize("web", 0)
			s.awaitWrites("web", 2)
			s.settle()
			s.curfewDid("web", step{size: 0}, at(end, 3))
			s.nothingLeft("web")
			s.untouched(before)
		})
	}
}

// TestOverrideOutlivesACrash: it is on the object, so whoever comes next keeps its end to the instant.
func TestOverrideOutlivesACrash(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	curfew := s.startLeader()
	s.create("web", 3, annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")})
	s.awaitSize("web", 0)
	end := in(20 * time.Second)
	s.annotate("web", annotations{harness.Override: override("normal", end)})
	s.awaitSize("web", 3)
	curfew.Kill()
	s.startLeader()
	if time.Now().After(end) {
		t.Skip("this machine is too slow for the test: the override ran out before the restart was done")
	}
	s.awaitSize("web", 0)
	s.settle()
	s.curfewDid("web", step{size: 0}, step{size: 3}, at(end, 0))
	if got := s.get("web").Annotations[harness.Remembered]; got != "3" {
		t.Errorf("remembered %q, want 3", got)
	}
}
