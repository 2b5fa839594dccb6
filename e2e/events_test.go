package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestAThousandMistakes: each is told once, also when Curfew is ended in the
// middle of it and started again, and when its objects are touched.
func TestAThousandMistakes(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	const many = 1000
	s.each(many, func(i int) error {
		deployment := harness.NewDeployment(name(i), 0, annotations{harness.Windows: "Mon-Fri 8-20 = 0"})
		deployment.Labels[ownLabel] = ""
		deployment.Spec.Paused = true // spares the Deployment controller its ReplicaSets
		_, err := s.deployments().Create(s.ctx, deployment, metav1.CreateOptions{})
		return err
	})
	told := []cluster.Filter{cluster.Writes, cluster.To("events"), cluster.In(s.namespace), cluster.By(harness.User(s.home))}

	// A third of them, at a pace that leaves events on their way when
	// the signal comes.
	curfew := s.startLeader("--kube-api-qps=50", "--kube-api-burst=100")
	_, err := s.cluster.AwaitAudit(s.ctx, many/3, told...)
	s.must(err)
	if code, err := curfew.Terminate(s.ctx); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v", code, err)
	}
	requests, err := s.cluster.Audit(s.ctx, told...)
	s.must(err)
	if len(requests) >= many {
		t.Fatal("all events are there before the restart, which then shows nothing")
	}

	// The rest, with one worker: what comes later is handled later.
	quick := []string{"--workers=1", "--kube-api-qps=500", "--kube-api-burst=1000"}
	curfew = s.startLeader(quick...)
	_, err = s.cluster.AwaitAudit(s.ctx, many, told...)
	s.must(err)

	// A change of what Curfew reads, that mends nothing.
	s.each(many, func(i int) error {
		_, err := s.deployments().Patch(s.ctx, name(i), types.MergePatchType,
			fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"1s"}}}`, harness.Grace), metav1.PatchOptions{})
		return err
	})
	s.create("touched", 0, annotations{harness.Windows: "Mon-Fri 8-20 = 0"})
	s.awaitEvent("touched", "InvalidAnnotation")

	// And a restart that finds everything told.
	curfew.Kill()
	s.startLeader(quick...)
	s.create("restarted", 0, annotations{harness.Windows: "Mon-Fri 8-20 = 0"})
	s.awaitEvent("restarted", "InvalidAnnotation")
	s.settle()

	requests, err = s.cluster.Audit(s.ctx, told...)
	s.must(err)
	if len(requests) != many+2 {
		t.Errorf("%d requests about events for %d mistakes", len(requests), many+2)
	}
	about := sets.New[string]()
	for _, event := range s.events(s.namespace) {
		if event.Reason != "InvalidAnnotation" || event.Series != nil || about.Has(event.Regarding.Name) {
			t.Errorf("one event too many: %s on %s, %v", event.Reason, event.Regarding.Name, event.Series)
		}
		about.Insert(event.Regarding.Name)
	}
	if len(about) != many+2 {
		t.Errorf("%d Deployments have an event, of %d", len(about), many+2)
	}
}

// TestAMistakeOnANamespace: a Namespace has no status in which a mistake could be
// noted, and yet its event comes once, over restarts and other changes.
func TestAMistakeOnANamespace(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	annotate := func(key, value string) {
		s.kubectl(fmt.Sprintf("annotate namespace %s --overwrite %s=%s", s.namespace, key, value))
	}
	annotate(harness.Windows, "8-20=0")
	for _, zone := range []string{"UTC", "Europe/Berlin", "Asia/Tokyo"} {
		annotate(harness.Timezone, zone)
		curfew := s.startWith(s.cluster.Kubeconfig) // a Role gives no right to Namespaces
		s.must(curfew.Log.Await(s.ctx, "Started"))
		if code, err := curfew.Terminate(s.ctx); err != nil || code != 0 {
			t.Fatalf("exit code %d, %v", code, err)
		}
	}
	var notes []string
	for _, event := range s.events(metav1.NamespaceDefault) {
		if event.Regarding.Kind == "Namespace" && event.Regarding.Name == s.namespace {
			notes = append(notes, event.Note)
		}
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "8-20") {
		t.Errorf("told %d times: %q", len(notes), notes)
	}
}

func name(i int) string { return fmt.Sprintf("web-%04d", i) }

// events are all that a Curfew has told in a namespace.
func (s *space) events(namespace string) []eventsv1.Event {
	s.Helper()
	list, err := s.cluster.Client.EventsV1().Events(namespace).List(s.ctx, metav1.ListOptions{})
	s.must(err)
	return slices.DeleteFunc(list.Items, func(e eventsv1.Event) bool { return e.ReportingController != "curfew" })
}
