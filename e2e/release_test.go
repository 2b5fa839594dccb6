package e2e_test

import (
	"strings"
	"testing"
	"time"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestRelease: a Curfew that leads is stopped, everybody gets back what was
// taken, and nothing of Curfew's own stays. A second time changes nothing.
func TestRelease(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	running := s.startLeader()
	s.create("held", 3, annotations{harness.Windows: "always = 0"})
	s.create("given", 3, annotations{harness.Windows: "always = 0", harness.Replicas: "4"})
	s.create("awake", 3, annotations{harness.Windows: harness.WindowIn(3*time.Hour, time.Hour).Rule("0")})
	s.awaitSize("held", 0)
	s.awaitSize("given", 0)
	s.awaitState("awake", "normal")

	release := s.start("--release")
	code, err := release.Wait(s.ctx)
	s.must(err)
	if code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if code, err := running.Wait(s.ctx); err != nil || code == 0 {
		t.Errorf("the one that led ended with %d, %v", code, err)
	}
	for name, size := range map[string]int32{"held": 3, "given": 4, "awake": 3} {
		after := s.get(name)
		if got := harness.Size(after); got != size {
			t.Errorf("%s has %d, want %d", name, got, size)
		}
		s.nothingLeft(name)
		if after.Annotations[harness.Windows] == "" {
			t.Errorf("the rules of %s are gone", name)
		}
	}

	since := time.Now()
	code, err = s.start("--release").Wait(s.ctx)
	s.must(err)
	writes, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.To("deployments"), cluster.In(s.namespace), cluster.Since(since))
	s.must(err)
	if code != 0 || len(writes) > 0 {
		t.Errorf("a second time: exit code %d, writes %v", code, writes)
	}
}

// TestReleaseNamesWhatItCouldNotDo, does the rest, and fails.
func TestReleaseNamesWhatItCouldNotDo(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	running := s.startLeader()
	s.create("held", 3, annotations{harness.Windows: "always = 0"})
	s.awaitSize("held", 0)
	s.create("bad", 1, annotations{harness.Windows: "always = 0", harness.Remembered: "many"})
	s.awaitState("bad", "invalid")
	if code, err := running.Terminate(s.ctx); err != nil || code != 0 {
		t.Fatal(code, err)
	}
	release := s.start("--release")
	code, err := release.Wait(s.ctx)
	s.must(err)
	if code != 1 || !strings.Contains(release.Log.String(), s.namespace+"/bad was not released") || !strings.Contains(release.Log.String(), "many") {
		t.Errorf("exit code %d", code)
	}
	if got := harness.Size(s.get("held")); got != 3 {
		t.Errorf("the other has %d, want 3", got)
	}
}
