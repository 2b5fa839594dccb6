package kinds_test

import (
	"testing"

	"curfew/e2e/harness"
)

// TestTakenOut: a kind is given back alone, before it goes from --kinds, as docs/kinds.md says.
func TestTakenOut(t *testing.T) {
	t.Parallel()
	s := newStage(t, rowOf("Deployment"))
	out := s.of(rowOf("StatefulSet"))
	s.grant(out.row)
	s.lead("--kinds=" + out.flag())
	s.create("web", s.open())
	before := out.create("search", out.open())
	s.awaitSize("web", s.asleep)
	out.awaitSize("search", out.asleep)

	code, err := out.run("--release").Wait(s.ctx)
	s.must(err)
	if code != 0 {
		t.Errorf("the release ends with %d", code)
	}
	out.awaitSize("search", out.awake)
	out.awaitClean("search")
	out.unchanged(before)
	if web := s.get("web"); s.size(web) != s.asleep || web.GetAnnotations()[harness.Status] == "" {
		t.Errorf("a Deployment has size %s and the status %q", s.size(web), web.GetAnnotations()[harness.Status])
	}
	blind := s.of(rowOf("CronJob")).run("--release")
	if code, err := blind.Wait(s.ctx); err != nil || code != 1 || !blind.Log.Contains("cronjobs.batch were not released: there is no right to list and watch them") {
		t.Errorf("a release of what it may not see ends with %d, %v:\n%s", code, err, blind.Log)
	}
	out.wrote("search", 2)
	s.wrote("web", 1)
}
