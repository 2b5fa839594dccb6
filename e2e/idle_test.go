package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestIdle: 200 Deployments, some in a window and some not, with nothing to do
// for any of them. In 30 s Curfew writes nothing, and asks for nothing either
// but to watch and to keep its lease, and has nothing to say.
func TestIdle(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	curfew := s.startLeader("--kube-api-qps=200", "--kube-api-burst=400")
	createIdle(s, 200)
	said := curfew.Log.String()

	const long = 30 * time.Second
	begun := time.Now()
	s.sleepUntil(begun.Add(long))
	requests, err := s.cluster.Audit(s.ctx, cluster.By(harness.User(s.home)), cluster.Since(begun))
	s.must(err)
	kinds := map[string]int{}
	for _, request := range requests {
		kinds[request.Verb+" "+request.Resource]++
		switch {
		case request.Resource == "leases" && (request.Verb == "get" || request.Verb == "update"):
		case request.Verb == "watch":
		case request.Resource == "selfsubjectaccessreviews": // whether it may see Namespaces by now, which a Role does not give
		default:
			t.Errorf("Curfew is not idle: %s", request)
		}
	}
	if now := curfew.Log.String(); now != said {
		t.Errorf("an idle Curfew says: %s", strings.TrimPrefix(now, said))
	}
	t.Logf("in %v: %v", long, kinds)
}

// createIdle makes n Deployments whose next boundary is hours away, and returns
// when Curfew has nothing more to say about them.
func createIdle(s *space, n int) {
	s.Helper()
	kinds := []annotations{
		{harness.Windows: harness.WindowIn(-3*time.Hour, 6*time.Hour).Rule("0"), harness.Replicas: "3"},
		{harness.Windows: harness.WindowIn(-3*time.Hour, 6*time.Hour).Rule("0")},
		{harness.Windows: harness.WindowIn(3*time.Hour, time.Hour).Rule("0"), harness.Replicas: "1"},
		{harness.Windows: harness.WindowIn(3*time.Hour, time.Hour).Rule("0")},
	}
	for i := range n {
		s.create(fmt.Sprintf("idle-%03d", i), 1, kinds[i%len(kinds)])
	}
	// The controllers count each Deployment's pods and write its status. Curfew
	// need not care, but until they have done it the cluster is not idle.
	for i := range n {
		s.await(fmt.Sprintf("idle-%03d", i), "settled", func(d *appsv1.Deployment) bool {
			return d.Annotations[harness.Status] != "" && d.Status.ObservedGeneration == d.Generation
		})
	}
	s.settle()
}
