package e2e_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/harness"
)

// TestTimelineOutOfReach: a page does not call itself live while its program cannot reach the cluster, and catches up
// with what it has missed.
func TestTimelineOutOfReach(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	b := s.browse()
	s.create("web", 1, annotations{harness.Windows: "always = 0", harness.Replicas: "1"})
	var cut atomic.Bool
	proxy, err := harness.NewProxy(s.cluster, func(*http.Request) {
		if cut.Load() {
			panic(http.ErrAbortHandler) // which ends the connection
		}
	})
	s.must(err)
	t.Cleanup(proxy.Close)
	kubeconfig := t.TempDir() + "/kubeconfig"
	s.must(proxy.WriteKubeconfig(s.ctx, s.cluster, s.home, kubeconfig))
	address, end := s.timeline("--kubeconfig", kubeconfig, "--from", today())
	defer end()
	b.open(address)
	b.await(bars("web", ".bar") + `.length > 0 && document.querySelector("#state").textContent === "live"`)

	cut.Store(true)
	proxy.Disconnect()
	b.await(`document.querySelector("#state").textContent.startsWith("Cluster out of reach since ")`)
	s.update("web", func(d *appsv1.Deployment) { d.Annotations[harness.Paused] = "true" })
	cut.Store(false)
	b.await(`document.querySelector("#state").textContent === "live"`)
	b.await(bars("web", ".bar.paused") + `.length === 1`)
}
