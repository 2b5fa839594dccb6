package e2e_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// inSo is how long something takes from now on, which the machine has a say in.
var inSo = regexp.MustCompile(`\(in [0-9a-z]+\)`)

// wantSo is want, but for how long something takes from now on.
func (a answer) wantSo(t testing.TB, code int, stdout, stderr string) {
	t.Helper()
	a.stdout, a.stderr = inSo.ReplaceAllString(a.stdout, "(in …)"), inSo.ReplaceAllString(a.stderr, "(in …)")
	a.want(t, code, stdout, stderr)
}

// hours is a whole minute so many hours from now, as --until takes it and as the plugin
// tells it, both in UTC.
func hours(n int) (flag, told string) {
	at := time.Now().UTC().Add(time.Duration(n) * time.Hour).Truncate(time.Minute)
	return at.Format("2006-01-02T15:04"), at.Format("Mon 2006-01-02 15:04 MST")
}

// adminWrote is how many writes to Deployments in the namespace were carried out for
// people, as against Curfew and the cluster's own controllers.
func (s *space) adminWrote() int {
	s.Helper()
	found, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.Succeeded, cluster.By(cluster.Admin), cluster.To("deployments"), cluster.In(s.namespace))
	s.must(err)
	return len(found)
}

// TestPluginWakes: wake, sleep, hold and resume scale for real, in one write each, and say
// what happens and when it ends.
func TestPluginWakes(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.awaitSize("web", 0)
	flag, told := hours(5)

	s.curfew("wake", "deploy/web", "--until", flag).wantSo(t, 0, fmt.Sprintf(
		"deployment.apps/web woken: normal (3) until %s (in …), then 0 (always = 0)\n", told), "")
	woken := s.awaitSize("web", 3)
	if got, want := woken.Annotations[harness.Override], "normal until "+flag+":00Z"; got != want {
		t.Errorf("the override is %q, want %q", got, want)
	}
	s.curfew("wake", "deploy/web", "--until", flag).wantSo(t, 0, fmt.Sprintf(
		"deployment.apps/web unchanged: normal (3) until %s (in …), then 0 (always = 0)\n", told), "")
	s.curfew("hold", "deploy", "web", "--until", flag, "--replicas", "50%").wantSo(t, 0, fmt.Sprintf(
		"deployment.apps/web held: 50%% (2) until %s (in …), then 0 (always = 0)\n", told), "")
	s.awaitSize("web", 2)
	s.curfew("hold", "deploy/web", "--until", flag).wantSo(t, 0, fmt.Sprintf(
		"deployment.apps/web held: 2 until %s (in …), then 0 (always = 0)\n", told), "")
	s.curfew("sleep", "deployments.apps/web", "--until", flag).wantSo(t, 0, fmt.Sprintf(
		"deployment.apps/web put to sleep: 0 until %s (in …), then 0 (always = 0)\n", told), "")
	s.awaitSize("web", 0)
	s.curfew("wake", "deploy/web", "--for", "1h", "--replicas", "1")
	s.awaitSize("web", 1)
	s.curfew("resume", "deploy/web").want(t, 0, "deployment.apps/web resumed: 0 (always = 0)\n", "")
	resumed := s.awaitSize("web", 0)
	if _, found := resumed.Annotations[harness.Override]; found {
		t.Error("the override is still there")
	}
	s.curfew("resume", "deploy/web").want(t, 0, "deployment.apps/web unchanged: 0 (always = 0)\n", "")
	if got := s.adminWrote(); got != 1+6 {
		t.Errorf("%d writes, want the one that made it and six", got)
	}
	if !managedBy(woken, "kubectl-curfew") {
		t.Errorf("nothing is managed by kubectl-curfew: %v", woken.ManagedFields)
	}
}

func managedBy(d *appsv1.Deployment, manager string) bool {
	for _, e := range d.ManagedFields {
		if e.Manager == manager {
			return true
		}
	}
	return false
}

// TestPluginWakesUntilTheNextChange where nobody says how long, and an override without
// rules ends to the second.
func TestPluginWakesUntilTheNextChange(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(-time.Hour, time.Hour+15*time.Second)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.create("bare", 3, nil)
	s.awaitSize("web", 0)
	if a := s.curfew("wake", "deploy/web"); a.code != 0 || !strings.Contains(a.stdout, " until "+night.End.UTC().Format("Mon 2006-01-02 15:04:05 MST")+" (in ") {
		t.Errorf("%+v, want an end at %v", a, night.End)
	}
	s.awaitSize("web", 3)
	if a := s.curfew("sleep", "deploy/bare", "--for", "5s"); a.code != 0 || !strings.Contains(a.stdout, "then 3 (no rules)") {
		t.Errorf("%+v", a)
	}
	s.awaitSize("bare", 0)
	s.awaitSize("bare", 3)
	s.nothingLeft("bare")
	s.sleepUntil(night.End.Add(prompt))
	if got := harness.Size(s.get("web")); got != 3 {
		t.Errorf("after the window the size is %d, want 3", got)
	}
	s.curfew("wake", "deploy/bare").want(t, 1, "", "error: deployment.apps/bare: it has no rules whose next change could end this; say how long with --for 2h or --until 22:00\n")
	if a := s.curfew("wake", "deploy/web"); a.code != 0 || !strings.HasPrefix(a.stdout, "deployment.apps/web unchanged: normal (3) until ") ||
		!strings.HasSuffix(a.stdout, "; its rules say so; give --for or --until to have it so for longer\n") {
		t.Errorf("%+v", a)
	}
}

// TestPluginPauses a Deployment and a Namespace, and the nearer one wins.
func TestPluginPauses(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.create("api", 3, annotations{harness.Windows: "always = 1"})
	s.awaitSize("web", 0)
	s.awaitSize("api", 1)
	s.curfew("pause", "deploy/web").want(t, 0, "deployment.apps/web paused: stays at 0\n", "")
	s.awaitState("web", "paused")
	flag, _ := hours(5)
	s.curfew("wake", "deploy/web", "--until", flag).want(t, 0, "deployment.apps/web annotated: paused at 0\n",
		"warning: deployment.apps/web: an override does not count while Curfew is paused here; kubectl curfew unpause deploy/web -n "+s.namespace+"\n")
	s.curfew("resume", "deploy/web").want(t, 0, "deployment.apps/web resumed: paused at 0\n", "")
	s.kubectl("scale deployment/web --replicas=2")
	s.curfew("unpause", "deploy/web").want(t, 0, "deployment.apps/web unpaused: 0 (always = 0)\n", "")
	s.awaitSize("web", 0)

	s.curfew("pause", "ns/"+s.namespace, "--yes").want(t, 0, fmt.Sprintf("namespace/%s paused\n  api: stays at 1\n  web: stays at 0\n", s.namespace), "")
	s.awaitState("api", "paused")
	s.awaitState("web", "paused")
	s.curfew("unpause", "deploy/api").want(t, 0, "deployment.apps/api unpaused: 1 (always = 1); its own \"false\" beats what its Namespace says, now and later\n", "")
	s.awaitState("api", "window")
	s.curfew("unpause", "ns/"+s.namespace, "-y").want(t, 0, fmt.Sprintf("namespace/%s unpaused\n  api: 1 (always = 1)\n  web: 0 (always = 0)\n", s.namespace), "")
	s.awaitState("web", "window")
}

// TestPluginWakesANamespace: the default for all in it, but for those that say otherwise.
func TestPluginWakesANamespace(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.annotateNamespace(s.namespace, map[string]*string{harness.Windows: value("always = 0")})
	s.create("web", 3, nil)
	s.create("own", 3, annotations{harness.Override: "2 until 2099-01-01T00:00:00Z"})
	s.create("out", 3, annotations{harness.Windows: "none"})
	s.awaitSize("web", 0)
	s.awaitSize("own", 2)
	flag, told := hours(5)
	ns := "ns/" + s.namespace
	outcomes := func(indent string) string {
		return strings.NewReplacer("TOLD", told, "  ", indent).Replace("  out: 3 (opted out)\n" +
			"  own: 2 (by its own override) until Thu 2099-01-01 00:00 UTC (in …), then 0 (always = 0)\n" +
			"  web: normal (3) until TOLD (in …), then 0 (always = 0)\n")
	}
	s.curfew("wake", ns, "--until", flag).wantSo(t, 1, "",
		fmt.Sprintf("wake would change:\n  namespace/%s: normal until %s (in …)\n%s", s.namespace, told, outcomes("    "))+
			"error: nothing was changed, for there is nobody to ask: the input is no terminal; give --yes if it is meant\n")
	s.curfewInput("y\n", "wake", ns, "--until", flag).wantSo(t, 1, "",
		fmt.Sprintf("wake would change:\n  namespace/%s: normal until %s (in …)\n%s", s.namespace, told, outcomes("    "))+
			"error: nothing was changed, for there is nobody to ask: the input is no terminal; give --yes if it is meant\n")
	s.curfew("wake", ns, "--until", flag, "--yes").wantSo(t, 0,
		fmt.Sprintf("namespace/%s woken: normal until %s (in …)\n%s", s.namespace, told, outcomes("  ")), "")
	s.awaitSize("web", 3)
	s.curfew("wake", ns, "--until", flag).wantSo(t, 0, // nothing to ask about
		fmt.Sprintf("namespace/%s unchanged: normal until %s (in …)\n%s", s.namespace, told, outcomes("  ")), "")
	s.curfew("resume", "deploy/own").wantSo(t, 0,
		fmt.Sprintf("deployment.apps/own resumed: normal (3, by the Namespace's override) until %s (in …), then 0 (always = 0)\n", told),
		fmt.Sprintf("warning: deployment.apps/own: the override of its Namespace goes on; kubectl curfew resume %s ends it, for all in it\n", ns))
	s.awaitSize("own", 3)
	s.curfew("hold", ns, "--until", flag, "--yes").want(t, 1, "",
		fmt.Sprintf("error: namespace/%s: the objects in it have sizes of their own; say with --replicas which one to hold, such as --replicas 2\n", s.namespace))
	s.curfew("resume", ns, "--yes").want(t, 0,
		fmt.Sprintf("namespace/%s resumed\n  out: 3 (opted out)\n  own: 0 (always = 0)\n  web: 0 (always = 0)\n", s.namespace), "")
	s.awaitSize("web", 0)
	s.awaitSize("own", 0)
	if got := harness.Size(s.get("out")); got != 3 {
		t.Errorf("who has opted out has %d, want 3", got)
	}
}

// TestPluginWakesManyBySelector asks about more than one, passes over who has opted out,
// and carries out what it can.
func TestPluginWakesManyBySelector(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.labels = map[string]string{"team": s.namespace}
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.create("api", 2, annotations{harness.Windows: "always = 0"})
	s.create("out", 3, annotations{harness.Windows: "none"})
	s.awaitSize("web", 0)
	s.awaitSize("api", 0)
	flag, told := hours(5)
	line := func(name, more string, size int) string {
		return fmt.Sprintf("deployment.apps/%s%s: normal (%d) until %s (in …), then 0 (always = 0)\n", name, more, size, told)
	}
	const out = "unchanged: 3 (opted out); it has opted out; name it to have it done all the same\n"
	team := "team=" + s.namespace
	s.curfew("wake", "-l", team, "--until", flag).wantSo(t, 1, "",
		"wake would change:\n  "+line("api", "", 2)+"  "+line("web", "", 3)+
			"error: nothing was changed, for there is nobody to ask: the input is no terminal; give --yes if it is meant\n")
	s.curfew("wake", "-l", team+",app=api", "--until", flag).wantSo(t, 0, line("api", " woken", 2), "")
	s.awaitSize("api", 2)
	in := " in " + s.namespace
	s.curfew("wake", "-A", "-l", team, "--until", flag).wantSo(t, 1, "",
		"wake would change:\n  "+line("web", in, 3)+
			"error: nothing was changed, for there is nobody to ask: the input is no terminal; give --yes if it is meant\n")
	s.curfew("wake", "deploy", "-A", "-l", team, "--until", flag, "--yes").wantSo(t, 0,
		line("api", in+" unchanged", 2)+"deployment.apps/out"+in+" "+out+line("web", in+" woken", 3), "")
	s.awaitSize("web", 3)
	s.curfew("resume", "-l", team, "-y").want(t, 0,
		"deployment.apps/api resumed: 0 (always = 0)\ndeployment.apps/out unchanged: 3 (opted out)\ndeployment.apps/web resumed: 0 (always = 0)\n", "")
	s.awaitSize("web", 0)
	s.awaitSize("api", 0)
	s.curfew("wake", "-l", "team=nobody", "--for", "1h").want(t, 1, "", "error: there is nothing to wake: nothing has the labels \"team=nobody\"\n")
	s.curfew("wake", "deploy/api", "deploy/nope", "--until", flag).wantSo(t, 1, line("api", " woken", 2), "error: deployments.apps \"nope\" not found\n")
	s.awaitSize("api", 2)

	// Other tests have their Deployments in this cluster, so this is only said, and only our own lines are looked at.
	a := s.curfew("sleep", "-A", "--until", flag, "--dry-run=client")
	if !strings.Contains(a.stdout, "deployment.apps/web"+in+" put to sleep (dry run): 0 until "+told) {
		t.Errorf("%+v", a)
	}
}

// TestPluginOverrideDryRun writes nothing, and prints what it would.
func TestPluginOverrideDryRun(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	before := s.awaitSize("web", 0)
	ns, err := s.cluster.Client.CoreV1().Namespaces().Get(s.ctx, s.namespace, metav1.GetOptions{})
	s.must(err)
	flag, told := hours(5)
	said := fmt.Sprintf(": normal (3) until %s (in …), then 0 (always = 0)\n", told)
	s.curfew("wake", "deploy/web", "--until", flag, "--dry-run=client").wantSo(t, 0, "deployment.apps/web woken (dry run)"+said, "")
	if got := s.adminWrote(); got != 1 {
		t.Errorf("%d requests to write, want none but the one that made it", got)
	}
	s.curfew("wake", "deploy/web", "--until", flag, "--dry-run", "server").wantSo(t, 0, "deployment.apps/web woken (server dry run)"+said, "")
	s.curfew("wake", "deploy/web", "--until", flag, "--dry-run", "server", "-o", "name").want(t, 0, "deployment.apps/web\n", "")
	for _, kind := range []string{"client", "server"} {
		a := s.curfew("wake", "deploy/web", "--until", flag, "--dry-run="+kind, "-o", "json")
		var d appsv1.Deployment
		if err := json.Unmarshal([]byte(a.stdout), &d); err != nil || a.code != 0 || a.stderr != "" {
			t.Errorf("%v: %+v", err, a)
		}
		if d.Kind != "Deployment" || d.APIVersion != "apps/v1" || d.Annotations[harness.Override] != "normal until "+flag+":00Z" {
			t.Errorf("%s: %s", kind, a.stdout)
		}
		if a = s.curfew("sleep", "ns/"+s.namespace, "--until", flag, "--dry-run="+kind, "-o", "yaml"); a.code != 0 ||
			!strings.Contains(a.stdout, "\nkind: Namespace\n") || !strings.Contains(a.stdout, "\n    curfew/override: 0 until "+flag+":00Z\n") {
			t.Errorf("%+v", a)
		}
	}
	s.settle()
	after := s.get("web")
	if got := after.Annotations[harness.Override]; got != "" || harness.Size(after) != 0 {
		t.Errorf("it was done for real: %q, size %d", got, harness.Size(after))
	}
	if changes := harness.ForeignChanges(before, after); changes != "" {
		t.Error(changes)
	}
	nsAfter, err := s.cluster.Client.CoreV1().Namespaces().Get(s.ctx, s.namespace, metav1.GetOptions{})
	s.must(err)
	if ns.ResourceVersion != nsAfter.ResourceVersion {
		t.Errorf("the Namespace was written to: %v", nsAfter.Annotations)
	}
	// The formats without a dry run.
	s.curfew("wake", "deploy/web", "--until", flag, "-o", "name").want(t, 0, "deployment.apps/web\n", "")
	s.awaitSize("web", 3)
	s.curfew("pause", "deploy/web", "-o", "jsonpath={.metadata.annotations['curfew/paused']}").want(t, 0, "true", "")
}

// TestPluginOverrideForbidden says which right is missing, and does what it may.
func TestPluginOverrideForbidden(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.create("api", 3, annotations{harness.Windows: "always = 0"})
	s.awaitSize("web", 0)
	reader := s.namespace + "-reader"
	s.allow(reader,
		rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get", "list"}},
		rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"patch"}, ResourceNames: []string{"api"}},
		rbacv1.PolicyRule{APIGroups: []string{"autoscaling"}, Resources: []string{"horizontalpodautoscalers"}, Verbs: []string{"list"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get"}})
	flag, told := hours(5)
	missing := func(resource string) string {
		return fmt.Sprintf("the right to patch %[1]s in the namespace %[2]s is missing; whoever manages the cluster can give it to %[3]q (kubectl auth can-i patch %[1]s -n %[2]s tells when it is there)\n",
			resource, s.namespace, reader)
	}
	s.curfew("wake", "deploy/web", "deploy/api", "--until", flag, "--as", reader).wantSo(t, 1,
		fmt.Sprintf("deployment.apps/api woken: normal (3) until %s (in …), then 0 (always = 0)\n", told),
		"error: deployment.apps/web: "+missing("deployments.apps"))
	s.awaitSize("api", 3)
	s.curfew("pause", "ns/"+s.namespace, "--yes", "--as", reader).want(t, 1, "", "error: namespace/"+s.namespace+": "+missing("namespaces"))
	a := s.curfew("pause", "deploy/web", "--as", "nobody-at-all")
	if a.code != 1 || a.stdout != "" || !strings.Contains(a.stderr, "the right to get deployments.apps in the namespace "+s.namespace+" is missing") {
		t.Errorf("%+v", a)
	}
}

// TestPluginOverrideRefuses what a person may type and cannot mean, where it takes a cluster to know.
func TestPluginOverrideRefuses(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.awaitSize("web", 0)
	s.kubectl("create configmap other")
	for line, want := range map[string]string{
		"wake web --for 2h":                             "error: the server doesn't have a resource type \"web\"; for the Deployment of that name write deploy/web\n",
		"wake web api --for 2h":                         "error: the server doesn't have a resource type \"web\"; for the Deployment of that name write deploy/web\n",
		"wake deploy/nope --for 2h":                     "error: deployments.apps \"nope\" not found\n",
		"wake ns/nope --for 2h":                         "error: namespaces \"nope\" not found\n",
		"wake deploy/web -A --for 2h":                   "error: a resource cannot be retrieved by name across all namespaces\n",
		"wake deploy/web -l a=b --for 2h":               "error: selectors and the all flag cannot be used when passing resource/name arguments\n",
		"wake configmap/other --for 2h":                 "error: configmap/other: it has no scale subresource, so it has no size that Curfew knows of\n",
		"wake deploy/web":                               "error: deployment.apps/web: its rules never change, so nothing would end this; say how long with --for 2h or --until 22:00\n",
		"wake deploy/web --until 2020-01-01T00:00":      "error: --until: \"2020-01-01T00:00\" has passed: it was Wed 2020-01-01 00:00 UTC; choose a later time\n",
		"sleep deploy/web --until 2020-01-01T00:00:00Z": "error: --until: \"2020-01-01T00:00:00Z\" has passed: it was Wed 2020-01-01 00:00 UTC; choose a later time\n",
		"hold deploy/web --until 2199-01-01":            "error: --until: \"2199-01-01\" is too far ahead, Tue 2199-01-01 00:00 UTC: an override lasts a year at most; for what lasts longer write a rule in curfew/windows\n",
	} {
		t.Run(line, func(t *testing.T) {
			s.curfew(strings.Fields(line)...).want(t, 1, "", want)
		})
	}
	if override, found := s.get("web").Annotations[harness.Override]; found {
		t.Errorf("an override was written: %s", override)
	}
}
