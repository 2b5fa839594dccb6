package e2e_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/cert"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// scrape is what /metrics says, by series: `curfew_workloads{state="window"}`.
type scrape struct {
	text   string
	series map[string]float64
}

func (s *space) scrape(curfew *harness.Curfew) scrape {
	s.Helper()
	text, err := curfew.Metrics(s.ctx)
	s.must(err)
	series, err := harness.Series(text)
	s.must(err)
	return scrape{text, series}
}

// absent is for series that must not be there.
const absent = -1

// differs is what a scrape says otherwise than wanted.
func (got scrape) differs(want map[string]float64) []string {
	var wrong []string
	for series, value := range want {
		if is, ok := got.series[series]; !ok && value != absent {
			wrong = append(wrong, fmt.Sprintf("%s is missing, want %v", series, value))
		} else if ok && is != value {
			wrong = append(wrong, fmt.Sprintf("%s is %v, want %v", series, is, value))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// awaitMetrics waits until /metrics says so. There is nothing that would tell when to ask.
func (s *space) awaitMetrics(curfew *harness.Curfew, want map[string]float64) scrape {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, time.Minute)
	defer cancel()
	for {
		got := s.scrape(curfew)
		wrong := got.differs(want)
		if len(wrong) == 0 {
			return got
		}
		select {
		case <-ctx.Done():
			s.Fatalf("%s\n%s", strings.Join(wrong, "\n"), grep(got.text, "curfew_"))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// desired and down are the series of one workload.
func (s *space) desired(name string) string {
	return fmt.Sprintf(`curfew_workload_desired_replicas{kind="Deployment",name=%q,namespace=%q}`, name, s.namespace)
}

func (s *space) down(name string) string {
	return fmt.Sprintf(`curfew_workload_expected_down{kind="Deployment",name=%q,namespace=%q}`, name, s.namespace)
}

// TestMetrics: what a Prometheus sees of a namespace with something of everything, when it goes, and on a standby.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	curfew := s.startLeader()
	held, saved := fmt.Sprintf(`curfew_held_replicas{namespace=%q}`, s.namespace), fmt.Sprintf(`curfew_replica_hours_saved_total{namespace=%q}`, s.namespace)
	s.awaitMetrics(curfew, map[string]float64{held: absent, saved: absent, `curfew_workloads{state="window"}`: 0, `leader_election_master_status{name="curfew"}`: 1})

	s.many() // two in a window or an override: down from 3 to 0, over to 2
	dusk := harness.WindowIn(5*time.Second, time.Hour)
	s.create("dusk", 3, annotations{harness.Windows: dusk.Rule("1")})
	s.awaitState("dusk", "normal")
	before := s.awaitMetrics(curfew, map[string]float64{
		s.desired("dusk"): absent, s.down("dusk"): 0,
		`curfew_boundary_delay_seconds_count`: 0, `curfew_reconcile_total{result="boundary"}`: 0,
	})
	s.awaitSize("dusk", 1)
	s.kubectl("scale deployment/down --replicas=2")
	at := map[string]float64{
		`curfew_workloads{state="window"}`: 2, `curfew_workloads{state="normal"}`: 1, `curfew_workloads{state="override"}`: 1, `curfew_workloads{state="paused"}`: 1,
		`curfew_workloads{state="waiting"}`: 1, `curfew_workloads{state="invalid"}`: 1, `curfew_workloads{state="contested"}`: 0,
		`curfew_scale_writes_total{reason="window"}`: 2, `curfew_scale_writes_total{reason="override"}`: 1, `curfew_scale_writes_total{reason="drift"}`: 1,
		`curfew_scale_writes_total{reason="normal"}`: 0, `curfew_scale_writes_total{reason="release"}`: 0,
		`curfew_reconcile_total{result="boundary"}`: 1, `curfew_reconcile_total{result="error"}`: 0, `curfew_reconcile_total{result="contested"}`: 0,
		`curfew_boundary_delay_seconds_count`: 1, `curfew_boundary_delay_seconds_bucket{le="5"}`: 1,
		held:              3 + 1 + 2,
		s.desired("down"): 0, s.down("down"): 1,
		s.desired("over"): 2, s.down("over"): 0,
		s.desired("dusk"): 1, s.down("dusk"): 0,
		s.desired("by-day"): absent, s.down("by-day"): 0,
		s.desired("paused"): absent, s.down("paused"): 0,
		s.desired("broken"): absent, s.down("broken"): 0,
		s.desired("new"): absent, s.down("new"): 0,
		s.desired("out"): absent, s.down("out"): absent,
		s.desired("plain"): absent, s.down("plain"): absent,
	}
	all := s.awaitMetrics(curfew, at)
	if hours := all.series[saved]; hours <= before.series[saved] || hours > 1 {
		t.Errorf("%v replica hours after %v", hours, before.series[saved])
	}
	if invalid := all.series[`curfew_reconcile_total{result="invalid"}`]; invalid < 1 {
		t.Error("a mistake is not counted as one")
	}
	if adds := all.series[`workqueue_adds_total{name="curfew"}`]; adds < 8 {
		t.Errorf("%v keys in the queue", adds)
	}
	t.Run("page", func(t *testing.T) { compareWithPage(t, s.metricsPage(), all.text) })

	standby := s.start()
	s.must(standby.AwaitReady(s.ctx))
	s.awaitMetrics(standby, map[string]float64{
		`leader_election_master_status{name="curfew"}`: 0, `curfew_workloads{state="window"}`: 0, `curfew_reconcile_total{result="unchanged"}`: 0,
		held: absent, saved: absent, s.down("down"): absent,
	})

	s.must(s.deployments().Delete(s.ctx, "down", metav1.DeleteOptions{}))
	s.update("over", func(d *appsv1.Deployment) {
		delete(d.Annotations, harness.Windows)
		delete(d.Annotations, harness.Override)
	})
	s.awaitMetrics(curfew, map[string]float64{
		s.desired("down"): absent, s.down("down"): absent, s.desired("over"): absent, s.down("over"): absent,
		held: 2, `curfew_scale_writes_total{reason="normal"}`: 1, `curfew_workloads{state="window"}`: 1, `curfew_workloads{state="override"}`: 0,
	})

	curfew.Kill()
	s.awaitMetrics(standby, map[string]float64{
		`leader_election_master_status{name="curfew"}`: 1, held: 2, s.desired("dusk"): 1, s.down("dusk"): 0, `curfew_workloads{state="window"}`: 1,
	})
	s.update("dusk", func(d *appsv1.Deployment) { delete(d.Annotations, harness.Windows) })
	s.awaitMetrics(standby, map[string]float64{held: 0, s.down("dusk"): absent, `curfew_scale_writes_total{reason="release"}`: 1})
	for _, name := range []string{"broken", "by-day", "new", "paused"} {
		s.must(s.deployments().Delete(s.ctx, name, metav1.DeleteOptions{}))
	}
	s.awaitMetrics(standby, map[string]float64{held: absent, saved: absent, s.desired("dusk"): absent, s.down("new"): absent, `curfew_workloads{state="invalid"}`: 0})
}

// TestMetricsAreSecured: on loopback they are open, elsewhere only to those who may, by the rights that the page gives.
func TestMetricsAreSecured(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	ports, err := cluster.FreePorts(3)
	s.must(err)
	secured := s.startLeader(fmt.Sprintf("--metrics-bind-address=0.0.0.0:%d", ports[0]))
	anybody := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	address := fmt.Sprintf("https://127.0.0.1:%d/metrics", ports[0])
	prometheus, nobody := s.token("prometheus"), s.token("nobody")

	// Without the right to ask it says so, answers no one, and goes on working.
	s.must(secured.Log.Await(s.ctx, "there is no right to create"))
	s.status(anybody, address, prometheus, http.StatusServiceUnavailable)
	s.status(anybody, address, "", http.StatusUnauthorized)
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.awaitSize("web", 0)

	s.applyMetricsRights()
	s.status(anybody, address, prometheus, http.StatusOK)
	s.status(anybody, address, nobody, http.StatusForbidden)
	s.status(anybody, address, "", http.StatusUnauthorized)
	s.status(anybody, address, "nonsense", http.StatusUnauthorized)
	if answer, err := anybody.Get(strings.Replace(address, "https:", "http:", 1)); err == nil { // or the connection is reset
		answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("without TLS: %s", answer.Status)
		}
	}
	s.status(anybody, strings.Replace(address, "/metrics", "/debug/pprof/", 1), prometheus, http.StatusNotFound)

	open := s.start(fmt.Sprintf("--metrics-bind-address=0.0.0.0:%d", ports[1]), "--metrics-secure=false", "--metrics-per-workload=false")
	s.must(open.AwaitReady(s.ctx))
	s.status(anybody, fmt.Sprintf("http://127.0.0.1:%d/metrics", ports[1]), "", http.StatusOK)

	s.status(anybody, fmt.Sprintf("http://127.0.0.1:%d/debug/pprof/", ports[1]), "", http.StatusNotFound)

	loopback := s.start("--profiling")
	s.must(loopback.AwaitReady(s.ctx))
	s.scrape(loopback)
	_, err = loopback.Profile(s.ctx, "heap")
	s.must(err)

	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	s.must(err)
	dir := t.TempDir()
	s.must(os.WriteFile(dir+"/tls.crt", certificate, 0o600))
	s.must(os.WriteFile(dir+"/tls.key", key, 0o600))
	named := s.start(fmt.Sprintf("--metrics-bind-address=127.0.0.1:%d", ports[2]), "--metrics-tls-cert-file="+dir+"/tls.crt", "--metrics-tls-key-file="+dir+"/tls.key")
	s.must(named.AwaitReady(s.ctx))
	authority := x509.NewCertPool()
	authority.AppendCertsFromPEM(certificate)
	careful := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authority}}}
	address = fmt.Sprintf("https://127.0.0.1:%d/metrics", ports[2])
	s.status(careful, address, "", http.StatusUnauthorized)
	s.status(careful, address, prometheus, http.StatusOK)
}

// token is one for a new ServiceAccount of this namespace.
func (s *space) token(name string) string {
	s.Helper()
	accounts := s.cluster.Client.CoreV1().ServiceAccounts(s.namespace)
	_, err := accounts.Create(s.ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	s.must(err)
	answer, err := accounts.CreateToken(s.ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	s.must(err)
	return answer.Status.Token
}

// status waits until a request is answered with a status. It may take a while for the API server to know of a right.
func (s *space) status(client *http.Client, url, token string, want int) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, 30*time.Second)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		s.must(err)
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := client.Do(request)
		s.must(err)
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		s.must(err)
		if served := strings.Contains(string(body), "curfew_info{"); served != (answer.StatusCode == http.StatusOK) {
			s.Fatalf("%s: %s with the body\n%s", url, answer.Status, body)
		}
		if answer.StatusCode == want {
			return
		}
		select {
		case <-ctx.Done():
			s.Fatalf("%s: %s, want %d\n%s", url, answer.Status, want, body)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// applyMetricsRights applies the rights that docs/metrics.md gives, to the accounts of this namespace.
func (s *space) applyMetricsRights() {
	s.Helper()
	var objects []*unstructured.Unstructured
	for _, block := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(s.metricsPage(), -1) {
		text := regexp.MustCompile(`(?m)^(\s+namespace): .*$`).ReplaceAllString(block[1], "$1: "+s.namespace)
		text = strings.ReplaceAll(text, "name: curfew-metrics", "name: "+s.namespace)
		for _, object := range documents(s.TB, text) {
			if object.GetKind() != "" {
				objects = append(objects, object)
			}
		}
	}
	if len(objects) == 0 {
		s.Fatal("the page gives no rights")
	}
	s.Cleanup(func() { // they would outlive the namespace
		ctx, rbac := context.WithoutCancel(s.ctx), s.cluster.Client.RbacV1()
		for _, object := range objects {
			_ = rbac.ClusterRoleBindings().Delete(ctx, object.GetName(), metav1.DeleteOptions{})
			_ = rbac.ClusterRoles().Delete(ctx, object.GetName(), metav1.DeleteOptions{})
		}
	})
	s.must(harness.Apply(s.ctx, s.cluster, objects))
}
