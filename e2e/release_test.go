package e2e_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/harness"
)

// release runs it to its end and gives its exit code.
func (s *space) release(flags ...string) (int, *harness.Log) {
	s.Helper()
	curfew := s.start(append([]string{"--release"}, flags...)...)
	code, err := curfew.Wait(s.ctx)
	s.must(err)
	return code, curfew.Log
}

// TestReleaseOfAllSorts against a Curfew that runs and holds.
func TestReleaseOfAllSorts(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	running := s.startLeader()
	night := harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")
	tonight := harness.WindowIn(time.Hour, time.Hour).Rule("0")
	var before []*appsv1.Deployment
	for name, given := range map[string]annotations{
		"remembered":  {harness.Windows: night},
		"given":       {harness.Windows: night, harness.Replicas: "3"},
		"more":        {harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("5")},
		"overridden":  {harness.Override: override("1", in(time.Hour))},
		"awake":       {harness.Windows: tonight},
		"kept-awake":  {harness.Windows: tonight, harness.Replicas: "3"},
		"paused":      {harness.Windows: night, harness.Paused: "true"},
		"mistaken":    {harness.Windows: "always 0"},
		"unconcerned": {},
	} {
		before = append(before, s.create(name, 3, given))
	}
	for _, d := range before {
		if d.Name != "unconcerned" {
			s.awaitWrites(d.Name, 1)
		}
	}
	s.awaitSize("remembered", 0)

	// A dry run says what it would do, and leaves the one that runs alone.
	code, log := s.release("--dry-run")
	if code != 0 {
		t.Errorf("a dry run ends with exit code %d\n%s", code, log)
	}
	if got := harness.Size(s.get("remembered")); got != 0 {
		t.Errorf("a dry run gives back: size %d", got)
	}
	if holder := s.lease().Spec.HolderIdentity; holder == nil || *holder == "curfew-release" {
		t.Error("a dry run takes the lease")
	}

	code, log = s.release()
	if code != 0 {
		t.Errorf("exit code %d, want 0\n%s", code, log)
	}
	code, err := running.Wait(s.ctx)
	s.must(err)
	if code == 0 {
		t.Error("the Curfew that ran ends with exit code 0 after it has lost its lease, want another")
	}
	written := map[string]int{}
	for _, was := range before {
		is := s.get(was.Name)
		if got := harness.Size(is); got != 3 {
			t.Errorf("%s has size %d, want 3", was.Name, got)
		}
		if !maps.Equal(ownersAnnotations(was), ownersAnnotations(is)) {
			t.Errorf("%s has annotations %v, had %v", was.Name, is.Annotations, was.Annotations)
		}
		s.nothingLeft(was.Name)
		s.untouched(was)
		written[was.Name] = len(s.writes(was.Name))
		// What was held comes back in the same write that cleans up.
		if was.Name == "remembered" && written[was.Name] != 2 {
			t.Errorf("%s was written to %d times, want once to hold it and once to let go", was.Name, written[was.Name])
		}
	}
	s.awaitEvent("remembered", "RulesRemoved")

	asked := time.Now()
	code, log = s.release()
	if code != 0 {
		t.Errorf("the second time: exit code %d, want 0\n%s", code, log)
	}
	s.Logf("the second time took %v", time.Since(asked))
	for _, was := range before {
		if got := len(s.writes(was.Name)); got != written[was.Name] {
			t.Errorf("the second time writes to %s", was.Name)
		}
	}

	// And nobody leads for a while, or all would be taken back.
	s.must(s.start().AwaitReady(s.ctx))
	s.sleepUntil(time.Now().Add(2 * leaseDuration))
	if got := harness.Size(s.get("remembered")); got != 3 {
		t.Errorf("the next Curfew takes it back at once: size %d", got)
	}
}

// TestReleaseFails: one that cannot be released is named, and holds up no other.
func TestReleaseFails(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	running := s.startLeader()
	before := s.create("broken", 0, annotations{harness.Windows: "always = 0", harness.Remembered: "many"})
	for i := range 3 {
		s.create(fmt.Sprint("web-", i), 3, annotations{harness.Windows: "always = 0"})
	}
	for i := range 3 {
		s.awaitSize(fmt.Sprint("web-", i), 0)
	}
	s.awaitState("broken", "invalid")
	_, err := running.Terminate(s.ctx)
	s.must(err)

	code, log := s.release()
	if code != 1 {
		t.Errorf("exit code %d, want 1\n%s", code, log)
	}
	if !log.Contains(s.namespace+"/broken") || !log.Contains(harness.Remembered) || log.Contains(s.namespace+"/web-0 was not released") {
		t.Errorf("it does not say which one, why, and no other:\n%s", log)
	}
	for i := range 3 {
		name := fmt.Sprint("web-", i)
		if got := harness.Size(s.get(name)); got != 3 {
			t.Errorf("%s has size %d, want 3", name, got)
		}
		s.nothingLeft(name)
	}
	s.untouched(before)
	if got := s.get("broken").Annotations[harness.Remembered]; got != "many" {
		t.Errorf("what the broken one remembers has become %q", got)
	}

	// Mended, it goes as well.
	s.annotate("broken", annotations{harness.Remembered: "2"})
	if code, log := s.release(); code != 0 {
		t.Errorf("exit code %d after the cure, want 0\n%s", code, log)
	}
	if got := harness.Size(s.get("broken")); got != 2 {
		t.Errorf("size %d after the cure, want 2", got)
	}
	s.nothingLeft("broken")
}

// ownersAnnotations are those that Curfew and the cluster do not write.
func ownersAnnotations(d *appsv1.Deployment) annotations {
	kept := maps.Clone(d.Annotations)
	maps.DeleteFunc(kept, func(key, _ string) bool {
		return key == harness.Status || key == harness.Remembered || strings.HasPrefix(key, "deployment.kubernetes.io/")
	})
	return kept
}
