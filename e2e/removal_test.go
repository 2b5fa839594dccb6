package e2e_test

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestRulesRemoved: the rules go in the middle of a window. The size is given
// back, and everything that Curfew had put on the object goes in the same write.
func TestRulesRemoved(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		annotations annotations
		remove      string
	}{
		"the annotation deleted, size remembered": {annotations{}, "annotate deployment/web curfew/windows-"},
		"all annotations deleted":                 {annotations{harness.Replicas: "3"}, "annotate deployment/web curfew/windows- curfew/replicas-"},
		"opted out":                               {annotations{}, "annotate --overwrite deployment/web curfew/windows=none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			before := s.create("web", 3, test.annotations)
			s.kubectlInput(`{"metadata": {"annotations": {"curfew/windows": "always = 0"}}}`, "patch deployment/web --type=merge --patch-file=/dev/stdin")
			s.awaitSize("web", 0)

			s.kubectl(test.remove)
			s.awaitSize("web", 3)
			s.awaitEvent("web", "RulesRemoved")
			s.settle()
			writes := s.writes("web")
			if last := writes[len(writes)-1]; last.Replicas == nil || *last.Replicas != 3 {
				t.Errorf("the size and Curfew's annotations do not go together: %v", writes)
			}
			s.nothingLeft("web")
			s.untouched(before)
		})
	}
}

// TestDeleted: the Deployment is deleted in the middle of a window, with a
// boundary still to come. Curfew lets go of it.
func TestDeleted(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	curfew := s.startLeader()
	night := harness.WindowIn(-time.Hour, time.Hour+12*time.Second)
	s.create("gone", 3, annotations{harness.Windows: night.Rule("0")})
	s.create("stays", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitSize("gone", 0)
	s.awaitSize("stays", 0)

	s.must(s.deployments().Delete(s.ctx, "gone", metav1.DeleteOptions{}))
	if _, err := s.deployments().Get(s.ctx, "gone", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Fatalf("it is still there: %v", err)
	}
	deleted := time.Now()
	// The other one has the same boundary, so it tells when this one has passed.
	s.awaitSize("stays", 3)
	s.settle()

	requests, err := s.cluster.Audit(s.ctx, cluster.By(harness.User(s.home)), cluster.Named("gone"), cluster.In(s.namespace), cluster.Since(deleted))
	s.must(err)
	if len(requests) > 0 {
		t.Errorf("Curfew still asks for it: %v", requests)
	}
	for line := range strings.Lines(curfew.Log.String()) {
		if strings.HasPrefix(line, "E") {
			t.Errorf("Curfew logs an error: %s", line)
		}
	}
}
