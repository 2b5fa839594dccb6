package helm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/harness"
)

// TestReleaseLives: a release is installed, upgraded, rolled back and uninstalled in the middle of windows. Nothing is lost
// on the way, and in the end everyone is woken.
func TestReleaseLives(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	night := harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")
	end := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	workloads := map[string]struct {
		annotations map[string]string
		size        int32 // while Curfew is there
	}{
		"asleep":      {map[string]string{harness.Windows: night}, 0},
		"given":       {map[string]string{harness.Windows: night, harness.Replicas: "3"}, 0},
		"more":        {map[string]string{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("5")}, 5},
		"overridden":  {map[string]string{harness.Override: "1 until " + end}, 1},
		"awake":       {map[string]string{harness.Windows: harness.WindowIn(time.Hour, time.Hour).Rule("0")}, 3},
		"unconcerned": {nil, 3},
	}
	before := map[string]*appsv1.Deployment{}
	for name, w := range workloads {
		before[name] = p.create(name, 3, w.annotations)
	}
	held := func(after string) {
		t.Helper()
		for name, w := range workloads {
			p.awaitSize(name, w.size)
			var want []int32
			if w.size != 3 {
				want = []int32{w.size}
			}
			if got := p.resizes(name, len(want)); !slices.Equal(got, want) {
				t.Errorf("after the %s %s has been given the sizes %v, want %v", after, name, got, want)
			}
		}
		// And somebody is there to see a new one.
		name := strings.ReplaceAll("new-after-"+after, " ", "-")
		p.create(name, 2, map[string]string{harness.Windows: night})
		p.awaitSize(name, 0)
	}

	p.runPods()
	first := fast + "selector: '!" + others + "'\n"
	p.must(p.install(first))
	held("install")

	// One whose window ends while pods come and go.
	turn := harness.WindowIn(-time.Hour, time.Hour+5*time.Second)
	p.create("turning", 3, map[string]string{harness.Windows: turn.Rule("0")})
	p.awaitSize("turning", 0)
	p.must(p.upgrade(first + "replicas: 3\nlogging: {level: 2}\npodLabels: {colour: blue}\n"))
	held("upgrade")
	p.awaitSize("turning", 3)
	if got := p.resizes("turning", 2); !slices.Equal(got, []int32{0, 3}) {
		t.Errorf("the one whose window ended has been given the sizes %v, want 0 and 3", got)
	}

	p.must(p.rollback(1))
	held("rollback")
	if r := p.installed(); r == nil || r.Version != 3 {
		t.Errorf("after a rollback the release is %v, want revision 3", r)
	}

	p.must(p.uninstall(true))
	all, err := p.cluster.Client.AppsV1().Deployments(p.shop).List(p.ctx, metav1.ListOptions{})
	p.must(err)
	for _, d := range all.Items {
		want := int32(3)
		if strings.HasPrefix(d.Name, "new-") {
			want = 2
		}
		if got := harness.Size(&d); got != want {
			t.Errorf("%s has size %d after the uninstall, want %d", d.Name, got, want)
		}
		for _, key := range []string{harness.Status, harness.Remembered} {
			if text, ok := d.Annotations[key]; ok {
				t.Errorf("%s still says %s: %s", d.Name, key, text)
			}
		}
		if was := before[d.Name]; was != nil {
			if changes := harness.ForeignChanges(was, &d); changes != "" {
				t.Errorf("%s has changed:\n%s", d.Name, changes)
			}
		}
	}
	p.nothingLeft()
	if left := p.kubectl("", "get clusterroles,clusterrolebindings -o name -l app.kubernetes.io/managed-by=Helm,app.kubernetes.io/instance=curfew --field-selector metadata.name=curfew"); left != "" {
		t.Errorf("what is left of the release:\n%s", left)
	}

	// Without Helm, now that its cluster-wide objects are gone.
	p.runFromPage("sed ")
	image := p.kubectl("", "get deployment/curfew --namespace curfew -o jsonpath={.spec.template.spec.containers[0].image}")
	if image != "registry.example.com/curfew:v1" {
		t.Errorf("applied as docs/install.md says, install.yaml has the image %s", image)
	}
	p.kubectl("", "delete --wait=false --namespace curfew -f "+source+"/deploy/install.yaml")
}

// TestReleaseFails: where one Deployment cannot be given back, the uninstall stops, says so, and leaves Curfew there.
// Mended, it goes through. All of it with a Role in one namespace.
func TestReleaseFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.labels = map[string]string{others: ""}
	p.runPods()
	p.must(p.install(fast + "watchNamespace: " + p.shop + "\n"))
	p.create("broken", 0, map[string]string{harness.Windows: "always = 0", harness.Remembered: "many"})
	p.create("web", 3, map[string]string{harness.Windows: "always = 0"})
	p.awaitSize("web", 0)
	if sleepers := p.runFromPage("kubectl get deployments "); !strings.Contains(sleepers, p.shop+"\tweb\t3\n") {
		t.Errorf("the command in docs/install.md finds\n%swant %s, web and 3", sleepers, p.shop)
	}

	err := p.uninstall(true)
	if err == nil || !strings.Contains(err.Error(), "Job/"+p.home+"/curfew-release not ready. status: Failed") {
		t.Fatalf("the uninstall says %v, want which Job failed", err)
	}
	t.Logf("helm says: %v", err)
	if p.installed() == nil {
		t.Error("the release is gone")
	}
	if left := p.kubectl("", "get deployment/curfew job/curfew-release serviceaccount/curfew -o name"); strings.Count(left, "\n") != 3 {
		t.Errorf("what is left is not all: %s", left)
	}
	if got := harness.Size(p.get("web")); got != 3 {
		t.Errorf("web has size %d, want 3: one that cannot be released holds up no other", got)
	}

	p.kubectl("", fmt.Sprintf("annotate deployment/broken --namespace %s --overwrite %s=2", p.shop, harness.Remembered))
	p.must(p.rollback(1)) // a change of mind
	if r := p.installed(); r == nil || r.Info.Status != "deployed" {
		t.Errorf("after an uninstall that failed and a rollback the release is %v, want it deployed", r)
	}
	p.must(p.uninstall(true))
	if got := harness.Size(p.get("broken")); got != 2 {
		t.Errorf("broken has size %d after the cure, want 2", got)
	}
	p.nothingLeft()
}

// runFromPage runs the command of docs/install.md that begins so, as the admin, in Curfew's source tree.
func (p *place) runFromPage(begins string) string {
	p.Helper()
	page, err := os.ReadFile(source + "/docs/install.md")
	p.must(err)
	line := regexp.MustCompile("(?m)^" + regexp.QuoteMeta(begins) + ".*$").FindString(string(page))
	if line == "" {
		p.Fatalf("docs/install.md has no command that begins with %q", begins)
	}
	command := exec.CommandContext(p.ctx, "sh", "-c", line)
	command.Dir = source
	command.Env = append(os.Environ(), "KUBECONFIG="+p.cluster.Kubeconfig, "PATH="+filepath.Dir(p.cluster.Kubectl)+":"+os.Getenv("PATH"))
	output, err := command.CombinedOutput()
	if err != nil {
		p.Fatalf("%s: %v\n%s", line, err, output)
	}
	return string(output)
}

// monitoring is as much of the Prometheus operator as the API server needs to know.
const monitoring = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]ss.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: {kind: %[2]s, plural: %[1]ss, singular: %[1]s}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
`

// TestEverything: the API server takes every object that the chart can make, and without the kinds that it lacks the
// install says which value asks for them.
func TestEverything(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	everything := sets["everything"].values
	err := p.install(everything)
	if err == nil || !strings.Contains(err.Error(), "install the Prometheus operator first") {
		t.Fatalf("without the operator's kinds: %v", err)
	}
	p.kubectl(fmt.Sprintf(monitoring, "servicemonitor", "ServiceMonitor")+fmt.Sprintf(monitoring, "prometheusrule", "PrometheusRule"), "apply -f -")
	p.kubectl("", "wait --for=condition=established --timeout=60s crd/servicemonitors.monitoring.coreos.com crd/prometheusrules.monitoring.coreos.com")
	p.must(p.install(everything))
	p.kubectl("", "get servicemonitor/night service/night-metrics networkpolicy/night poddisruptionbudget/night clusterrole/night-metrics-review")
	p.must(p.uninstall(false))
	p.nothingLeft()
}
