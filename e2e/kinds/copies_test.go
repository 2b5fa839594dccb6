package kinds_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestCopies: a Deployment gives its ReplicaSets its annotations, Curfew's among
// them. They are left alone, and nobody is warned of what nobody has done.
func TestCopies(t *testing.T) {
	t.Parallel()
	s := newStage(t, rows[0])
	s.grant(rows[2])
	s.lead("--kinds=deployments.apps,replicasets.apps")
	s.create("web", s.open())
	s.await("web", "asleep, and its controller has been there", func(u *unstructured.Unstructured) bool {
		return s.size(u) == "0" && u.GetAnnotations()["deployment.kubernetes.io/revision"] != ""
	})
	s.settle()
	sets, err := s.cluster.Client.AppsV1().ReplicaSets(s.namespace).List(s.ctx, metav1.ListOptions{LabelSelector: "app=web"})
	s.must(err)
	if len(sets.Items) != 1 || sets.Items[0].Annotations[harness.Windows] == "" {
		t.Fatalf("there is no copy among %d ReplicaSets", len(sets.Items))
	}
	writes, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.By(harness.User(s.namespace)), cluster.To("replicasets"), cluster.In(s.namespace))
	s.must(err)
	if len(writes) > 0 {
		t.Errorf("%v", writes)
	}
}
