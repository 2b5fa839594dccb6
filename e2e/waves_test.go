package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// sleeper makes a Deployment that is asleep, wakes to one replica when the rules
// say, and whose pod is ready after so long. The wave is in its name.
func (s *space) sleeper(name, rules, ready string) error {
	deployment := harness.NewDeployment(name, 0, annotations{harness.Windows: rules, harness.Replicas: "1"})
	if wave := (frame{name: name}).wave(); wave > 0 {
		deployment.Annotations[harness.Wave] = fmt.Sprint(wave)
	}
	for key, value := range s.labels {
		deployment.Labels[key] = value
	}
	deployment.Spec.Template.Annotations[harness.ReadyAfter] = ready
	// What the namespace that deploy/namespaced makes asks of a pod.
	pod := &deployment.Spec.Template.Spec
	pod.SecurityContext = &corev1.PodSecurityContext{
		RunAsNonRoot: ptr.To(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	pod.Containers[0].SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
	_, err := s.deployments().Create(s.ctx, deployment, metav1.CreateOptions{})
	return err
}

// asleep makes sleepers and waits until Curfew knows of all of them.
func (s *space) asleep(rules, ready string, names ...string) {
	s.Helper()
	s.each(len(names), func(i int) error { return s.sleeper(names[i], rules, ready) })
	_, err := s.cluster.AwaitAudit(s.ctx, len(names), cluster.Writes, cluster.Succeeded, cluster.By(harness.User(s.home)), cluster.To("deployments"), cluster.In(s.namespace))
	s.must(err)
}

// ups waits until all are up.
func (s *space) ups(names ...string) {
	s.Helper()
	for _, name := range names {
		s.await(name, "up", func(d *appsv1.Deployment) bool { return harness.Size(d) == 1 && d.Status.AvailableReplicas == 1 })
	}
}

// resizes are the writes of a size by Curfew, of all Deployments, in order.
func (s *space) resizes() []harness.Write {
	s.Helper()
	requests, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.By(harness.User(s.home)), cluster.To("deployments"), cluster.In(s.namespace))
	s.must(err)
	writes, err := harness.ReadWrites(requests)
	s.must(err)
	return harness.Resizes(writes)
}

// TestWaves: three waves whose pods take a while come one after the other, and
// go down in the reverse order; who is in none waits for nobody.
func TestWaves(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	s.startLeader("--workers=1")
	night := harness.WindowIn(-time.Hour, time.Hour+10*time.Second)
	day := harness.Window{Start: night.End, End: night.End.Add(20 * time.Second)}
	names := []string{"w2-a", "w1-a", "w3-a", "none", "w1-b", "w3-b", "w2-b"}
	film := s.startFilm()
	s.asleep(day.Rule("normal")+"\nalways = 0", "1500ms", names...)
	s.ups(names...)
	film.checkWaves(s, names)
	for _, name := range names {
		s.awaitSize(name, 0)
	}

	// The first ones at once, by one write. The second wave has waited for less
	// than is worth a note, or for more; the third has said so.
	for name, notes := range map[string][2]int{"w1-a": {0, 0}, "w1-b": {0, 0}, "none": {0, 0}, "w2-a": {0, 1}, "w2-b": {0, 1}, "w3-a": {1, 1}, "w3-b": {1, 1}} {
		writes := s.writes(name)
		if n := len(writes) - 3; n < notes[0] || n > notes[1] || len(harness.Resizes(writes)) != 2 {
			t.Errorf("%s was written to %d times: %v", name, len(writes), writes)
			continue
		}
		if late := harness.Resizes(writes)[0].Received.Sub(day.Start); late < 0 || notes[1] == 0 && late > prompt {
			t.Errorf("%s woke after %v", name, late)
		}
		if notes[0] == 1 {
			if status := writes[1].Status(); status == nil || status.State != "waiting" || !strings.Contains(status.Message, "wave 3") {
				t.Errorf("%s says while it waits: %+v", name, status)
			}
		}
	}
	last := 4
	for _, write := range s.resizes() {
		if *write.Replicas > 0 {
			continue
		}
		wave := frame{name: write.Name}.wave()
		if wave > last {
			t.Errorf("%s goes down after one of wave %d", write.Name, last)
		}
		last = wave
	}
}

// TestWakeLimits: many, in waves and within a limit, of which the leader is
// killed in the middle and the next one restarted. CURFEW_LONG=1 makes it 600.
func TestWakeLimits(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	many, limit := 60, 6
	if os.Getenv("CURFEW_LONG") != "" {
		many, limit = 600, 40
	}
	flags := []string{fmt.Sprint("--wake-concurrency=", limit), "--kube-api-qps=200", "--kube-api-burst=400"}
	leader := s.startLeader(flags...)
	second := s.start(flags...)
	s.must(second.AwaitReady(s.ctx))
	var names []string
	for i := range many {
		names = append(names, fmt.Sprintf("w%d-%03d", 1+3*i/many, i))
	}
	film := s.startFilm()
	night := harness.WindowIn(-time.Hour, time.Hour+12*time.Second+time.Duration(many)*40*time.Millisecond)
	s.asleep(night.Rule("0"), "300ms", names...)
	if time.Now().After(night.End) {
		t.Fatal("the night was too short to put all to bed")
	}

	awake := func(n int) {
		_, err := s.cluster.AwaitAudit(s.ctx, n, cluster.Writes, cluster.Succeeded, cluster.By(harness.User(s.home)), cluster.To("deployments"), cluster.In(s.namespace),
			func(r cluster.Request) bool { return strings.Contains(string(r.Body), `"replicas":1`) })
		s.must(err)
	}
	awake(many / 6)
	leader.Kill()
	// One of the last wave is wanted now.
	wanted := names[many-1]
	s.must(second.AwaitLeader(s.ctx))
	asked := time.Now()
	s.update(wanted, func(d *appsv1.Deployment) {
		d.Annotations[harness.Override] = "1 until " + time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	})
	s.awaitSize(wanted, 1)
	if took := time.Since(asked); took > prompt {
		t.Errorf("an override takes %v", took)
	}
	awake(many / 2)
	if code, err := second.Terminate(s.ctx); err != nil || code != 0 {
		t.Errorf("exit code %d, %v", code, err)
	}
	s.start(flags...)
	s.ups(names...)
	t.Logf("%d are up %v after the night", many, time.Since(night.End).Round(time.Millisecond))

	film.checkWaves(s, names, wanted)
	if most := film.most(wanted); len(most) > limit || len(most) < limit/2 {
		t.Errorf("%d were on their way at once, want up to %d: %v", len(most), limit, most)
	}
	size := map[string]int{}
	for _, write := range s.resizes() {
		size[write.Name]++
	}
	for _, name := range names {
		if size[name] == 0 {
			// What the leader had in hand when it was killed may have been carried out
			// with nobody left to answer.
			lost, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.By(harness.User(s.home)), cluster.Named(name), cluster.In(s.namespace),
				func(r cluster.Request) bool { return r.Code == http.StatusGatewayTimeout })
			s.must(err)
			size[name] = len(lost)
		}
		if size[name] != 1 {
			t.Errorf("%s was woken by %d writes", name, size[name])
		}
	}
}

// TestWakeRate: an even pace, by the clock of the API server.
func TestWakeRate(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	const interval = 500 * time.Millisecond
	s.startLeader("--wake-rate=120")
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf("web-%d", i))
	}
	night := harness.WindowIn(-time.Hour, time.Hour+8*time.Second)
	s.asleep(night.Rule("0"), "10ms", names...)
	s.ups(names...)
	writes := s.resizes()
	if len(writes) != len(names) {
		t.Fatalf("%d writes for %d", len(writes), len(names))
	}
	for i, write := range writes[1:] {
		if after := write.Received.Sub(writes[i].Received); after < interval {
			t.Errorf("%s wakes %v after %s", write.Name, after, writes[i].Name)
		}
	}
	if took := writes[len(writes)-1].Received.Sub(night.End); took > time.Duration(len(names))*interval+prompt {
		t.Errorf("they took %v", took)
	}
}

// TestStuckWave: it is said, once, and the next wave comes when the time is over.
func TestStuckWave(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	if _, err := plugin(); err != nil { // here, for nobody waits for a compiler
		t.Fatal(err)
	}
	const timeout = 20 * time.Second
	curfew := s.startLeader("--wave-timeout=" + timeout.String())
	night := harness.WindowIn(-time.Hour, time.Hour+8*time.Second)
	s.must(s.sleeper("w1-stuck", night.Rule("0"), "never"))
	s.must(s.sleeper("w1-well", night.Rule("0"), "10ms"))
	s.must(s.sleeper("w2-next", night.Rule("0"), "10ms"))
	s.awaitState("w2-next", "waiting")
	if a := s.curfew("status"); a.code != 0 || !strings.Contains(a.stdout, "waiting for its turn to wake") || strings.Contains(a.stdout, "not applied") {
		t.Errorf("status: %+v", a)
	}
	if a := s.curfew("explain", "deploy/w2-next"); a.code != 0 || !strings.Contains(a.stdout, "in wave 2, for all of lower waves") || strings.Contains(a.stdout, "not applied") {
		t.Errorf("explain: %+v", a)
	}
	s.awaitMetrics(curfew, map[string]float64{"curfew_wakes_on_their_way": 1, `curfew_workloads{state="waiting"}`: 1, "curfew_wake_timeouts_total": 0})
	s.awaitSize("w2-next", 1)
	woken := harness.Resizes(s.writes("w1-stuck"))[0].Received
	if late := harness.Resizes(s.writes("w2-next"))[0].Received.Sub(woken); late < timeout-time.Second || late > timeout+prompt {
		t.Errorf("the next wave comes after %v", late)
	}
	event := s.awaitEvent("w1-stuck", "WakeTimedOut")
	if event.Type != "Warning" || !strings.Contains(event.Note, "Woken to 1 at") {
		t.Errorf("%+v", event)
	}
	s.awaitMetrics(curfew, map[string]float64{"curfew_wake_timeouts_total": 1, "curfew_wakes_on_their_way": 0})
	if n := len(s.writes("w1-stuck")); n != 2 {
		t.Errorf("%d writes to the stuck one", n)
	}

	// Whoever starts anew finds the same, and the API server has the event already.
	curfew.Kill()
	again := s.start("--wave-timeout=" + timeout.String())
	s.must(again.Log.Await(s.ctx, "not up in time"))
	s.settle()
	events, err := s.cluster.Client.EventsV1().Events(s.namespace).List(s.ctx, metav1.ListOptions{FieldSelector: "reason=WakeTimedOut"})
	s.must(err)
	if len(events.Items) != 1 {
		t.Errorf("%d events", len(events.Items))
	}
}
