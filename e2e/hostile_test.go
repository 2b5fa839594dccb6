package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"curfew/e2e/admission"
	"curfew/e2e/cluster"
	"curfew/e2e/harness"
	"curfew/scaler/kind"
)

// mostAnnotations is what the API server takes on one object.
const mostAnnotations = 256 << 10

// brokenTexts are annotations that make no sense, in every way that Curfew's tests and fuzzers know of, in an order that
// is the same each time. The API server takes them all.
func brokenTexts(t testing.TB, n int) []annotations {
	t.Helper()
	rules, zones, err := admission.Refusals()
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{harness.Windows, harness.Timezone, harness.Replicas, harness.Override, harness.Paused, harness.Grace}
	random := rand.New(rand.NewPCG(1, 2))
	room := mostAnnotations - 1<<10
	all := []annotations{
		{harness.Windows: strings.Repeat("#", room)},
		{harness.Windows: strings.Repeat("Sat = 0\n", 5000)},
		{harness.Windows: strings.Repeat("x = 0\n", 10_000)},
		{harness.Windows: strings.Repeat("\u202e;", 500)},
		{harness.Windows: "always = 0", harness.Replicas: strings.Repeat("9", room)},
		{harness.Windows: "always = 0", harness.Timezone: strings.Repeat("Europe/", room/7)},
		{harness.Windows: "always = 0", "curfew/" + strings.Repeat("x", 60): strings.Repeat("y", room)},
		manyKeys(),
	}
	for _, text := range rules {
		all = append(all, annotations{harness.Windows: text})
	}
	for _, zone := range zones {
		all = append(all, annotations{harness.Windows: "always = 0", harness.Timezone: zone})
	}
	for len(all) < 4*n {
		key := keys[random.IntN(len(keys))]
		set := annotations{harness.Windows: "always = 0"}
		set[key] = admission.Mutate(random, admission.Random(random, key))
		all = append(all, set)
	}
	all = slices.DeleteFunc(all, func(set annotations) bool {
		for key, text := range set {
			if !admission.Understood(kind.Deployment, annotations{key: text}) && !strings.Contains(text, "\x00") {
				return key == harness.Override // a mistake there does not stop the schedule
			}
		}
		return true
	})
	if len(all) < n {
		t.Fatalf("%d texts, want %d", len(all), n)
	}
	return all[:n]
}

// manyKeys are as many unknown keys as there is room for.
func manyKeys() annotations {
	set := annotations{}
	for i := range 3000 {
		set[fmt.Sprintf("curfew/x%04d-%s", i, strings.Repeat("y", 50))] = "1"
	}
	return set
}

// TestAThirdBroken: of a thousand Deployments a third are broken, each otherwise. The others are on time, at both ends of
// their window, and the broken ones stay as they are and say so.
func TestAThirdBroken(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	many := 300
	if testing.Short() {
		many = 60
	}
	if longAsked() {
		many = 1000
	}
	broken := brokenTexts(t, many/3)
	curfew := s.startLeader()
	create := func(name string, set annotations) error {
		deployment := harness.NewDeployment(name, 3, set)
		deployment.Labels[ownLabel] = ""
		deployment.Spec.Paused = true // spares the Deployment controller its ReplicaSets
		_, err := s.deployments().Create(s.ctx, deployment, metav1.CreateOptions{})
		return err
	}
	s.each(len(broken), func(i int) error {
		if err := create(fmt.Sprintf("broken-%04d", i), broken[i]); err != nil {
			return fmt.Errorf("%.200q: %w", fmt.Sprint(broken[i]), err)
		}
		return nil
	})
	night := harness.WindowIn(time.Duration(8+many/30)*time.Second, time.Duration(6+many/100)*time.Second)
	good := many - len(broken)
	s.each(good, func(i int) error {
		return create(fmt.Sprintf("good-%04d", i), annotations{harness.Windows: night.Rule("0")})
	})
	if time.Now().After(night.Start) {
		t.Skip("this machine is too slow for the test: the window opened before all was there")
	}
	s.sleepUntil(night.End)
	_, err := s.cluster.AwaitAudit(s.ctx, 2*good, cluster.Writes, cluster.Succeeded, cluster.By(harness.User(s.home)), cluster.To("deployments"), cluster.In(s.namespace),
		func(r cluster.Request) bool {
			return strings.HasPrefix(r.Name, "good-") && strings.Contains(string(r.Body), `"spec":{"replicas":`)
		})
	s.must(err)

	requests, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.Succeeded, cluster.By(harness.User(s.home)), cluster.To("deployments"), cluster.In(s.namespace))
	s.must(err)
	writes, err := harness.ReadWrites(requests)
	s.must(err)
	var late []time.Duration
	for _, write := range harness.Resizes(writes) {
		if !strings.HasPrefix(write.Name, "good-") {
			t.Errorf("a broken one is scaled: %.500s", write)
			continue
		}
		since := write.Done.Sub(night.Start)
		if *write.Replicas == 3 {
			since = write.Done.Sub(night.End)
		}
		late = append(late, since)
	}
	slices.Sort(late)
	if len(late) != 2*good {
		t.Errorf("%d sizes are written, want %d", len(late), 2*good)
	}
	t.Logf("%d on time beside %d broken: the last after %v", good, len(broken), late[len(late)-1].Round(time.Millisecond))
	// As fast as this machine takes so many writes, and no slower.
	if most := prompt + time.Duration(good)*10*time.Millisecond; late[0] < 0 || late[len(late)-1] > most {
		t.Errorf("they are written %v to %v after their boundary, want less than %v", late[0], late[len(late)-1], most)
	}
	list, err := s.deployments().List(s.ctx, metav1.ListOptions{})
	s.must(err)
	for i := range list.Items {
		d := &list.Items[i]
		if !strings.HasPrefix(d.Name, "broken-") {
			continue
		}
		status := harness.StatusOf(d)
		if harness.Size(d) != 3 || (status == nil || status.State != "invalid") && len(d.Annotations[harness.Windows]) < mostAnnotations/2 && !full(d) {
			t.Errorf("%s has size %d, status %.300q, of %.300q", d.Name, harness.Size(d), d.Annotations[harness.Status], fmt.Sprint(d.Annotations))
		}
	}
	harmless(t, curfew.Log.String())
	for _, event := range s.events(s.namespace) {
		printable(t, "an event", event.Note)
	}
}

// full tells whether there is no room on a Deployment for a status.
func full(d *appsv1.Deployment) bool {
	size := 0
	for key, value := range d.Annotations {
		size += len(key) + len(value)
	}
	return size > mostAnnotations-2<<10
}

// TestNoRoomForAStatus: annotations that take all the room that there is. Curfew cannot note anything, so it leaves the
// size as it is, says why, and goes on when there is room.
func TestNoRoomForAStatus(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	d := harness.NewDeployment("web", 3, annotations{harness.Windows: "always = 0"})
	used := 0
	for key, value := range d.Annotations {
		used += len(key) + len(value)
	}
	const padding = "example.com/padding"
	d.Annotations[padding] = strings.Repeat("x", mostAnnotations-used-len(padding)-64) // 64: for the Deployment controller's
	_, err := s.deployments().Create(s.ctx, d, metav1.CreateOptions{})
	s.must(err)
	if note := s.awaitEvent("web", "WriteRefused").Note; !strings.Contains(note, "annotations: Too long") {
		t.Errorf("the event says %q", note)
	}
	if got := harness.Size(s.get("web")); got != 3 {
		t.Errorf("size %d", got)
	}
	s.update("web", func(d *appsv1.Deployment) { delete(d.Annotations, padding) })
	s.awaitSize("web", 0)
}

// echoes are texts that must not get anywhere as they are: they would end a line and begin another one, move a cursor,
// turn text around, or look like something else.
var echoes = map[string]string{
	"a log line in klog's form": "x\nI0101 00:00:00.000000       1 reconcile.go:1] \"Scaled\" deployment=\"kube-system/coredns\" from=2 to=0",
	"a log line in JSON":        "x\r\n" + `{"ts":1,"msg":"Scaled","deployment":"kube-system/coredns"}`,
	"an end of a quote":         `x" to=0 reason="Forged`,
	"a terminal's title":        "\x1b]0;owned\x07",
	"a screen that is cleared":  "\x1b[2J\x1b[H",
	"the same in one byte":      "\u009b2J",
	"backspaces":                "0\b\b\b\b1",
	"turned round":              "\u202e0 = syawla\u202c",
	"isolated":                  "\u2066always\u2069",
	"zero width":                "al\u200bways",
	"lines of Unicode":          "x\u2028y\u2029z\u0085",
	"a byte order mark":         "\ufeffalways",
	"a delete":                  "x\x7f",
	"private":                   "\ue000\U000f0000",
}

// lookAlikes are rules with a character that looks like a plain one, and the place and name of it that Curfew gives.
var lookAlikes = map[string][2]string{
	"a Cyrillic letter":     {"\u0430lways = 0", `'\u0430' is not a plain character`},
	"a Greek letter":        {"\u039con-Fri 20:00-06:00 = 0", `'\u039c' is not a plain character`},
	"a full-width digit":    {"always = \uff10", `not a plain character`},
	"full-width digits":     {"2\uff10:00-06:00 = 0", `'\uff10' is not a plain character`},
	"an Arabic digit":       {"always = \u0660", `not a plain character`},
	"a dash":                {"20:00\u201306:00 = 0", `'\u2013' is not a plain character`},
	"a no-break space":      {"always\u00a0= 0", `'\u00a0' is not a plain character`},
	"a full-width colon":    {"20\uff1a00-06:00 = 0", `'\uff1a' is not a plain character`},
	"a full-width equals":   {"always \uff1d 0", `'\uff1d' is not a plain character`},
	"a Cyrillic zone":       {"always Europ\u0435/Berlin = 0", `'\u0435' is not a plain character`},
	"a percent of another":  {"always = 50\uff05", `not a plain character`},
	"a semicolon of Greece": {"always = 0\u037e", `not a plain character`},
}

// TestEchoes: whatever stands in an annotation, what Curfew says of it in events, statuses, both forms of its log and at
// a terminal is text that prints, and no line of its own.
func TestEchoes(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	logs := map[string]*harness.Curfew{"text": s.startLeader(), "json": s.start("--logging-format=json", "--dry-run")}
	keys := []string{harness.Windows, harness.Timezone, harness.Replicas, harness.Override, harness.Paused, harness.Grace, "curfew/wave", "curfew/lead", "curfew/spread", harness.Remembered, harness.Status}
	i, looks := 0, map[string]string{}
	for _, text := range echoes {
		for _, key := range keys {
			s.create(fmt.Sprintf("echo-%03d", i), 1, annotations{harness.Windows: "always = 1 # " + text, key: text})
			i++
		}
	}
	for name, look := range lookAlikes {
		object := strings.ReplaceAll(strings.ToLower(name), " ", "-")
		looks[object] = look[1]
		s.create(object, 1, annotations{harness.Windows: look[0]})
	}
	s.create("last", 1, annotations{harness.Windows: "x"})
	s.awaitState("last", "invalid")
	for object, says := range looks {
		if message := harness.StatusOf(s.awaitState(object, "invalid")).Message; !strings.Contains(message, says) {
			t.Errorf("%s: the status says %q, want %q", object, message, says)
		}
	}
	for n := range i {
		s.await(fmt.Sprintf("echo-%03d", n), "a status of Curfew's", func(d *appsv1.Deployment) bool {
			status := d.Annotations[harness.Status]
			return json.Valid([]byte(status)) && strings.HasPrefix(status, `{"state":`)
		})
	}
	// The dry run has nothing to say of what the other one has noted before it looked,
	// but has looked at everything all the same.
	const invalid = `curfew_workloads{state="invalid"}`
	s.awaitMetrics(logs["json"], map[string]float64{invalid: s.scrape(logs["text"]).series[invalid]})

	list, err := s.deployments().List(s.ctx, metav1.ListOptions{})
	s.must(err)
	for _, d := range list.Items {
		printable(t, "the status of "+d.Name, d.Annotations[harness.Status])
	}
	for _, event := range s.events(s.namespace) {
		printable(t, "an event", event.Note)
	}
	harmless(t, logs["text"].Log.String())
	for line := range strings.Lines(logs["json"].Log.String()) {
		var entry struct{ Deployment, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil && !strings.Contains(line, "withrace.go") || strings.HasPrefix(entry.Deployment, "kube-system") {
			t.Errorf("%v: a line of the log is %q", err, line)
		}
		printable(t, "the log as JSON", strings.TrimSuffix(line, "\n"))
	}
	for _, args := range [][]string{
		{"status"}, {"status", "-o", "wide"}, {"status", "-o", "json"}, {"plan", "-l", ownLabel}, {"lint", "-n", s.namespace, "--live"}, {"explain", "deploy/echo-000", "--color=never"},
		{"explain", "deploy/echo-004"}, {"explain", "deploy/a-cyrillic-letter"}, {"wake", "deploy/echo-001", "--for", "1h", "--dry-run=client"}, {"resume", "deploy/echo-002", "--dry-run=client"},
	} {
		a := s.curfew(args...)
		if a.stdout+a.stderr == "" {
			t.Errorf("%v says nothing", args)
		}
		for line := range strings.Lines(a.stdout + a.stderr) {
			printable(t, fmt.Sprint("kubectl curfew ", args), strings.TrimSuffix(line, "\n"))
		}
	}
}

// klogLine is how each line of the log begins, and where in the source it may be from.
var klogLine = regexp.MustCompile(`^[IWEF][0-9]{4} [0-9:.]+ +[0-9]+ [a-z_0-9]+\.go:[0-9]+\] "`)

// harmless checks that each line of a log is one that Curfew has written, about a Deployment of the tests.
func harmless(t testing.TB, log string) {
	t.Helper()
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		if !klogLine.MatchString(line) || strings.Contains(line, `deployment="kube-system/`) {
			t.Errorf("a line of the log is %.300q", line)
		}
		printable(t, "the log", line)
	}
}

// printable checks that there is nothing in a text that a terminal would act on, or that nobody would see.
func printable(t testing.TB, where, text string) {
	t.Helper()
	for _, char := range text {
		if !strconv.IsPrint(char) && char != '\t' {
			t.Errorf("%s has %U in it: %.300q", where, char, text)
			return
		}
	}
}

// hostileRules take as much to read, and to look ahead in, as rules may; and they change at each full second.
func hostileRules(i int) string {
	var rules strings.Builder
	for second := range 60 {
		fmt.Fprintf(&rules, "cron(* * * * *) for %ds = %d\n", 1+second, second%2)
	}
	for n := range 440 {
		fmt.Fprintf(&rules, "cron(%d %d 29 2 *) to cron(%d %d 29 2 *) Africa/Casablanca = 50%% # %d\n", n%60, n/60, (n+1)%60, n/60, i)
	}
	return rules.String()
}

// TestHostileTenant: somebody has 200 Deployments with the costliest rules there are, each other than the next, that ask
// for another size each second. The boundary of somebody else is on time all the same.
func TestHostileTenant(t *testing.T) {
	t.Parallel()
	long(t)     // it keeps the whole machine busy
	newSpace(t) // for the ClusterRole
	s, other := newOwnSpace(t), newNamespace(t)
	s.needAudit()
	s.everywhere()
	other.home, s.labels = s.home, map[string]string{ownLabel: s.namespace}
	other.labels = s.labels
	const hostile = 200
	s.each(hostile, func(i int) error {
		deployment := harness.NewDeployment(fmt.Sprintf("hostile-%03d", i), 1, annotations{harness.Windows: hostileRules(i)})
		deployment.Labels[ownLabel] = s.namespace
		deployment.Spec.Paused = true // spares the Deployment controller its ReplicaSets
		_, err := s.deployments().Create(s.ctx, deployment, metav1.CreateOptions{})
		return err
	})
	curfew := s.startLeader("--namespace=", "--selector="+ownLabel+"="+s.namespace)
	_, err := s.cluster.AwaitAudit(s.ctx, hostile, cluster.Writes, cluster.By(harness.User(s.home)), cluster.To("deployments"), cluster.In(s.namespace))
	s.must(err)
	night := harness.WindowIn(8*time.Second, 5*time.Second)
	other.create("neighbour", 3, annotations{harness.Windows: night.Rule("0")})
	other.awaitWrites("neighbour", 3)
	other.curfewDid("neighbour", adopted, at(night.Start, 0), at(night.End, 3))
	metrics := s.scrape(curfew).series
	t.Logf("%.0f MiB, %.0f s of CPU, %v boundaries of the hostile ones", metrics["process_resident_memory_bytes"]/(1<<20), metrics["process_cpu_seconds_total"], metrics[`curfew_reconcile_total{result="boundary"}`])
	if resident := metrics["process_resident_memory_bytes"]; resident > 128<<20 {
		t.Errorf("it takes %v bytes, and the manifest gives it 128 MiB", resident)
	}
}

// TestUnusualStates: a Deployment in a state that is not Curfew's business is scaled like any other.
func TestUnusualStates(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(12*time.Second, 4*time.Second)
	one := int32(1)
	for name, change := range map[string]func(*appsv1.Deployment){
		"paused": func(d *appsv1.Deployment) { d.Spec.Paused = true },
		"stuck": func(d *appsv1.Deployment) { // there is no node, so it never gets anywhere
			d.Spec.ProgressDeadlineSeconds = &one
		},
		"recreates":      func(d *appsv1.Deployment) { d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType },
		"finalizer":      func(d *appsv1.Deployment) { d.Finalizers = []string{"example.com/keep"} },
		"without-a-size": func(d *appsv1.Deployment) { d.Spec.Replicas = nil },
		strings.Repeat("long-name", 28): func(d *appsv1.Deployment) {
			d.Labels["app"], d.Spec.Selector.MatchLabels["app"], d.Spec.Template.Labels["app"] = "x", "x", "x"
		},
	} {
		d := harness.NewDeployment(name, 3, annotations{harness.Windows: night.Rule("0")})
		change(d)
		_, err := s.deployments().Create(s.ctx, d, metav1.CreateOptions{})
		s.must(err)
		t.Run(name[:min(len(name), 20)], func(t *testing.T) {
			t.Parallel()
			s := &space{TB: t, ctx: s.ctx, cluster: s.cluster, namespace: s.namespace, home: s.home}
			size := harness.Size(d)
			if name == "stuck" {
				s.await(name, "stuck", func(d *appsv1.Deployment) bool {
					return slices.ContainsFunc(d.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
						return c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse && c.Reason == "ProgressDeadlineExceeded"
					})
				})
			}
			s.awaitWrites(name, 3)
			s.settle()
			s.curfewDid(name, adopted, at(night.Start, 0), at(night.End, size))
		})
	}
}

// TestFinalizer: a Deployment that is being deleted, and that somebody holds back, is left as it is.
func TestFinalizer(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(6*time.Second, time.Hour)
	d := harness.NewDeployment("held", 3, annotations{harness.Windows: night.Rule("0")})
	d.Finalizers = []string{"example.com/keep"}
	_, err := s.deployments().Create(s.ctx, d, metav1.CreateOptions{})
	s.must(err)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitWrites("held", 1)
	s.must(s.deployments().Delete(s.ctx, "held", metav1.DeleteOptions{}))
	s.awaitSize("web", 0)
	s.settle()
	s.curfewDid("held", adopted)

	// And the next of that name begins anew.
	_, err = s.deployments().Patch(s.ctx, "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	s.must(err)
	s.create("held", 5, annotations{harness.Windows: night.Rule("0")})
	s.awaitSize("held", 0)
	if got := s.get("held").Annotations[harness.Remembered]; got != "5" {
		t.Errorf("remembered %q, want 5", got)
	}
}
