package e2e_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestConflict: somebody changes the Deployment after Curfew has decided and
// before its write arrives. The write is refused, decided anew, and made again
// in the same breath; nobody's change is lost.
func TestConflict(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()

	// Curfew talks to the API server through a proxy, and whenever its write
	// comes by, somebody is quicker. So the race is always lost, not now and then.
	var (
		once    sync.Once
		started = make(chan struct{}) // closed when the window may be met
		lost    = make(chan error, 1)
	)
	proxy, err := harness.NewProxy(s.cluster, func(r *http.Request) {
		if r.Method != http.MethodPatch || !strings.HasSuffix(r.URL.Path, "/deployments/web") {
			return
		}
		select {
		case <-started:
		default:
			return
		}
		once.Do(func() {
			lost <- s.tryUpdate("web", func(d *appsv1.Deployment) {
				d.Labels["example.com/team"] = "blue"
				d.Annotations["example.com/owner"] = "somebody new"
				d.Spec.Template.Annotations["example.com/build"] = "18"
				d.Spec.Template.Spec.Containers[0].Image = "registry.k8s.io/pause:3.9"
			})
		})
	})
	s.must(err)
	defer proxy.Close()
	kubeconfig := t.TempDir() + "/kubeconfig"
	s.must(proxy.WriteKubeconfig(s.ctx, s.cluster, s.home, kubeconfig))
	curfew := s.startWith(kubeconfig)
	defer curfew.Kill() // before the proxy goes
	s.must(curfew.AwaitLeader(s.ctx))

	night := harness.WindowIn(8*time.Second, 5*time.Second)
	before := s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitState("web", "normal")
	close(started)
	s.must(<-lost)
	s.awaitWrites("web", 3)
	s.settle()

	s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
	before.Labels["example.com/team"] = "blue"
	before.Annotations["example.com/owner"] = "somebody new"
	before.Spec.Template.Annotations["example.com/build"] = "18"
	before.Spec.Template.Spec.Containers[0].Image = "registry.k8s.io/pause:3.9"
	s.untouched(before)

	attempts, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.By(harness.User(s.home)), cluster.To("deployments"), cluster.Named("web"),
		cluster.In(s.namespace), cluster.Since(night.Start), cluster.Until(night.End))
	s.must(err)
	if len(attempts) < 2 || attempts[0].Code != http.StatusConflict {
		t.Fatalf("want a conflict and then a success, got %v", attempts)
	}
	again := attempts[len(attempts)-1].Received.Sub(attempts[0].Done)
	t.Logf("decided anew and sent again after %v", again.Round(time.Millisecond))
	if again > time.Second {
		t.Errorf("sent again only after %v", again)
	}
	// A conflict is not an error, and nobody needs to hear of it.
	if strings.Contains(curfew.Log.String(), "\nE") {
		t.Errorf("Curfew logs an error:\n%s", curfew.Log)
	}
}

// TestBusyNeighbour: somebody writes to the Deployment all the time, across two
// boundaries. Curfew gets its word in, and every one of theirs stays.
func TestBusyNeighbour(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(8*time.Second, 4*time.Second)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0"), harness.Replicas: "3"})
	s.awaitState("web", "normal")

	var last string
	for time.Now().Before(night.End.Add(2 * time.Second)) {
		s.update("web", func(d *appsv1.Deployment) {
			if d.Annotations["example.com/tick"] != last {
				t.Errorf("the tick is %q, want %q: a write of ours was lost", d.Annotations["example.com/tick"], last)
			}
			d.Annotations["example.com/tick"] = time.Now().Format(time.RFC3339Nano)
		})
		last = s.get("web").Annotations["example.com/tick"]
	}
	s.awaitSize("web", 3)
	s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
}
