package e2e_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/harness"
)

// Without curfew/replicas, Curfew remembers the size that a window found, gives
// it back when the window ends, and keeps its hands off in between.

// TestMemoryGivesBackWhatTheWindowFound: also when that has changed since the
// rules were written.
func TestMemoryGivesBackWhatTheWindowFound(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(8*time.Second, 5*time.Second)
	before := s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	status := harness.StatusOf(s.awaitState("web", "normal"))
	if status.Size != nil {
		t.Errorf("outside a window Curfew claims to hold size %d", *status.Size)
	}

	// Outside the window the size is the owner's affair.
	s.kubectl("scale deployment/web --replicas=4")
	s.awaitWrites("web", 3)
	s.kubectl("scale deployment/web --replicas=2")
	s.settle()

	writes := s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 4))
	if t.Failed() {
		return
	}
	// The memory comes and goes in the writes that scale.
	if memory := writes[1].Annotations[harness.Remembered]; memory == nil || *memory != "4" {
		t.Errorf("the window does not remember the size it found, 4: %s", writes[1])
	}
	if memory, found := writes[2].Annotations[harness.Remembered]; !found || memory != nil {
		t.Errorf("the memory does not go with what it gives back: %s", writes[2])
	}
	if got := harness.Size(s.get("web")); got != 2 {
		t.Errorf("the owner's size 2 has become %d", got)
	}
	s.untouched(before)
}

// TestMemoryLearnsFromTheOwnerInsideAWindow: an edit is the owner's word, and
// kubectl scale is not.
func TestMemoryLearnsFromTheOwnerInsideAWindow(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 3, annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")})
	s.awaitSize("web", 0)

	for _, word := range []struct {
		name, command, remembered string
	}{
		{"kubectl scale is drift, nothing is learnt", "scale deployment/web --replicas=7", "3"},
		{"an edit is the owner's newest word", `patch deployment/web --type=merge --patch={"spec":{"replicas":5}}`, "5"},
		{"and drift again", "scale deployment/web --replicas=9", "5"},
	} {
		s.kubectl(word.command)
		said := s.scaledAt("web")
		s.await("web", word.name, func(d *appsv1.Deployment) bool {
			return harness.Size(d) == 0 && d.Annotations[harness.Remembered] == word.remembered
		})
		s.settle()
		if writes := s.writes("web"); writes[len(writes)-1].Received.Before(said) {
			t.Errorf("%s: no write of Curfew's after it: %v", word.name, writes)
		}
		if got := s.get("web"); harness.Size(got) != 0 || got.Annotations[harness.Remembered] != word.remembered {
			t.Errorf("%s: size %d, remembered %q, want 0 and %q", word.name, harness.Size(got), got.Annotations[harness.Remembered], word.remembered)
		}
	}

	s.kubectl("annotate deployment/web curfew/windows-")
	s.awaitSize("web", 5)
	s.settle()
	// The window, three answers, and the size given back.
	s.curfewDid("web", step{size: 0}, step{size: 0}, step{size: 0}, step{size: 0}, step{size: 5})
	s.nothingLeft("web")
}

// TestMemoryLearnsFromAForcedApply: a server-side apply of a manifest that names replicas collides with Curfew;
// forced, it is the owner's newest word.
func TestMemoryLearnsFromAForcedApply(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 3, annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")})
	s.awaitSize("web", 0)

	s.kubectlInput(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 6}}`,
		"apply --server-side --force-conflicts --field-manager=somebody-else -f -")
	said := s.scaledAt("web")
	s.await("web", "6 learnt and put back", func(d *appsv1.Deployment) bool {
		return harness.Size(d) == 0 && d.Annotations[harness.Remembered] == "6"
	})
	s.settle()
	s.curfewDid("web", step{size: 0}, at(said, 0))
}

// TestMemoryOfNothing: what is at 0 before a window stays at 0 after it, and needs no memory.
func TestMemoryOfNothing(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(8*time.Second, 4*time.Second)
	s.create("web", 0, annotations{harness.Windows: night.Rule("0")})
	s.awaitWrites("web", 3) // as found, in the window, and after it
	s.settle()
	for _, write := range s.writes("web") {
		if write.Replicas != nil || write.Annotations[harness.Remembered] != nil {
			t.Errorf("want no write of the size and no memory, got %s", write)
		}
	}
}

// TestWindowThatScalesUp: a rule is a size, not a ceiling.
func TestWindowThatScalesUp(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	peak := harness.WindowIn(8*time.Second, 4*time.Second)
	s.create("web", 3, annotations{harness.Windows: peak.Rule("8")})
	s.awaitWrites("web", 3)
	s.settle()
	s.curfewDid("web", adopted, at(peak.Start, 8), at(peak.End, 3))
}

// TestMemoryOutlivesRestarts: a window of 2 on three replicas, Curfew restarted twice inside it and the
// object touched ten times: the memory stays 3, and there are two writes of the
// size in all.
func TestMemoryOutlivesRestarts(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	curfew := s.startLeader()
	window := harness.WindowIn(8*time.Second, 20*time.Second)
	s.create("web", 3, annotations{harness.Windows: window.Rule("2")})
	s.awaitState("web", "normal")
	s.awaitSize("web", 2)

	for range 2 {
		curfew.Kill()
		curfew = s.startLeader()
		for range 5 {
			s.update("web", func(d *appsv1.Deployment) { d.Annotations["example.com/touched"] = time.Now().Format("150405.000") })
			got := s.get("web").Annotations[harness.Remembered]
			if time.Now().After(window.End) {
				t.Skip("this machine is too slow for the test: the window closed before the restarts were done")
			}
			if got != "3" {
				t.Fatalf("the memory is %q, want 3", got)
			}
		}
	}
	s.awaitSize("web", 3)
	s.settle()
	s.curfewDid("web", adopted, at(window.Start, 2), at(window.End, 3))
}
