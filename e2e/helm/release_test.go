package helm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/cli"
	"helm.sh/helm/v4/pkg/kube"
	release "helm.sh/helm/v4/pkg/release/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// patience is how long a test may take.
const patience = 3 * time.Minute

// others marks the Deployments that the Curfew of the whole cluster leaves to another one.
const others = "e2e.curfew/others"

// place is where a test installs Curfew, and a namespace with what it looks after.
type place struct {
	testing.TB
	ctx     context.Context
	cluster *cluster.Cluster
	home    string // where the release is
	shop    string // where the workloads are
	labels  map[string]string
}

var places atomic.Int64

func newPlace(t testing.TB) *place {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := program(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, fmt.Errorf("nothing more after %v", patience))
	t.Cleanup(cancel)
	n := places.Add(1)
	p := &place{TB: t, ctx: ctx, cluster: c, home: fmt.Sprint("home-", n), shop: fmt.Sprint("shop-", n)}
	for _, name := range []string{p.home, p.shop} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if name == p.home { // what the chart makes fits in there
			namespace.Labels = map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}
		}
		_, err := c.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		p.must(err)
	}
	return p
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// helm is Helm as somebody who works on the home namespace has it.
func (p *place) helm() *action.Configuration {
	p.Helper()
	settings := cli.New()
	settings.KubeConfig = p.cluster.Kubeconfig
	settings.QPS, settings.BurstLimit = 500, 1000
	settings.SetNamespace(p.home)
	configuration := action.NewConfiguration()
	p.must(configuration.Init(settings.RESTClientGetter(), p.home, "secret"))
	return configuration
}

// fast makes a dead leader be noticed sooner than a cluster larger than a test needs.
const fast = `
extraArgs: [--leader-elect-lease-duration=4s, --leader-elect-renew-deadline=3s, --leader-elect-retry-period=500ms]
`

func (p *place) install(text string) error {
	install := action.NewInstall(p.helm())
	install.ReleaseName, install.Namespace = "curfew", p.home
	install.WaitStrategy, install.Timeout = kube.StatusWatcherStrategy, patience
	_, err := install.RunWithContext(p.ctx, load(p), parse(p, text))
	return err
}

func (p *place) upgrade(text string) error {
	upgrade := action.NewUpgrade(p.helm())
	upgrade.Namespace = p.home
	upgrade.WaitStrategy, upgrade.Timeout = kube.StatusWatcherStrategy, patience
	_, err := upgrade.RunWithContext(p.ctx, "curfew", load(p), parse(p, text))
	return err
}

func (p *place) rollback(revision int) error {
	rollback := action.NewRollback(p.helm())
	rollback.Version, rollback.WaitStrategy, rollback.Timeout = revision, kube.StatusWatcherStrategy, patience
	return rollback.Run("curfew")
}

func (p *place) uninstall(hooks bool) error {
	uninstall := action.NewUninstall(p.helm())
	uninstall.DisableHooks, uninstall.WaitStrategy, uninstall.Timeout = !hooks, kube.StatusWatcherStrategy, patience
	_, err := uninstall.Run("curfew")
	return err
}

// installed is the release as it stands, nil if there is none.
func (p *place) installed() *release.Release {
	p.Helper()
	made, err := action.NewGet(p.helm()).Run("curfew")
	if err != nil {
		return nil
	}
	return made.(*release.Release)
}

func (p *place) create(name string, size int32, annotations map[string]string) *appsv1.Deployment {
	p.Helper()
	deployment := harness.NewDeployment(name, size, annotations)
	for key, text := range p.labels {
		deployment.Labels[key] = text
	}
	created, err := p.cluster.Client.AppsV1().Deployments(p.shop).Create(p.ctx, deployment, metav1.CreateOptions{})
	p.must(err)
	return created
}

func (p *place) get(name string) *appsv1.Deployment {
	p.Helper()
	deployment, err := p.cluster.Client.AppsV1().Deployments(p.shop).Get(p.ctx, name, metav1.GetOptions{})
	p.must(err)
	return deployment
}

func (p *place) awaitSize(name string, size int32) {
	p.Helper()
	_, err := p.cluster.AwaitDeployment(p.ctx, p.shop, name, fmt.Sprintf("size %d of %s", size, name), func(d *appsv1.Deployment) bool {
		return harness.Size(d) == size
	})
	p.must(err)
}

// resizes are the sizes that Curfew has given a Deployment, since ever, when there are n of them or more.
func (p *place) resizes(name string, n int) []int32 {
	p.Helper()
	var failed error
	read := func(r cluster.Request) []harness.Write {
		writes, err := harness.ReadWrites([]cluster.Request{r})
		failed = errors.Join(failed, err)
		return harness.Resizes(writes)
	}
	filters := []cluster.Filter{
		cluster.Writes, cluster.By(harness.User(p.home)), cluster.To("deployments"), cluster.In(p.shop), cluster.Named(name),
		func(r cluster.Request) bool { return len(read(r)) > 0 },
	}
	_, err := p.cluster.AwaitAudit(p.ctx, n, filters...)
	p.must(err)
	requests, err := p.cluster.Audit(p.ctx, filters...)
	p.must(err)
	var sizes []int32
	for _, r := range requests {
		sizes = append(sizes, *read(r)[0].Replicas)
	}
	p.must(failed)
	return sizes
}

// kubectl is the real one, as the admin, in the home namespace.
func (p *place) kubectl(input, words string) string {
	p.Helper()
	command := exec.CommandContext(p.ctx, p.cluster.Kubectl, append([]string{"--kubeconfig", p.cluster.Kubeconfig, "--namespace", p.home}, strings.Fields(words)...)...)
	command.Stdin = strings.NewReader(input)
	output, err := command.CombinedOutput()
	if err != nil {
		p.Fatalf("kubectl %s: %v\n%s", words, err, output)
	}
	return string(output)
}

// nothingLeft checks that nothing of the release is in the cluster any more.
func (p *place) nothingLeft() {
	p.Helper()
	if r := p.installed(); r != nil {
		p.Errorf("the release is still there: %s", r.Info.Status)
	}
	const mine = "app.kubernetes.io/name=curfew"
	left := p.kubectl("", "get deployments,jobs,serviceaccounts,roles,rolebindings,poddisruptionbudgets,networkpolicies,services,configmaps -o name -l "+mine)
	left += p.kubectl("", "get roles,rolebindings -o name -n "+p.shop+" -l "+mine)
	if left != "" {
		p.Errorf("what is left of the release:\n%s", left)
	}
}
