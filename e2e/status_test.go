package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/harness"
)

var (
	aTime   = regexp.MustCompile(`[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? UTC`)
	aUTC    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	aSpan   = regexp.MustCompile(`\d\d:\d\d:\d\d-\d\d:\d\d:\d\d`)
	aWhile  = regexp.MustCompile(`\b(in )?(\d+[dhms])+( ago)?\b`)
	someGap = regexp.MustCompile(` {3,}`)
)

// timeless is a text without what is never the same in two runs of a test: times, and how
// wide columns are.
func timeless(text string) string {
	text = aTime.ReplaceAllString(text, "TIME")
	text = aUTC.ReplaceAllString(text, "UTC")
	text = aSpan.ReplaceAllString(text, "SPAN")
	text = aWhile.ReplaceAllString(text, "WHILE")
	return someGap.ReplaceAllString(text, " | ")
}

// many makes a Deployment in each state that Curfew knows, but for a contest.
func (s *space) many() {
	s.Helper()
	night, later := harness.WindowIn(-time.Hour, 2*time.Hour), harness.WindowIn(time.Hour, time.Hour)
	s.create("broken", 3, annotations{harness.Windows: "Mon-Fri 8-20 = normal"})
	s.create("by-day", 3, annotations{harness.Windows: later.Rule("0")})
	s.create("down", 3, annotations{harness.Windows: night.Rule("0"), harness.Replicas: "3"})
	s.create("new", 3, annotations{harness.Windows: night.Rule("0"), harness.Grace: "2h"})
	s.create("out", 3, annotations{harness.Windows: "none"})
	s.create("over", 3, annotations{harness.Windows: night.Rule("0"), harness.Override: override("2", in(30*time.Minute))})
	s.create("paused", 3, annotations{harness.Windows: night.Rule("0"), harness.Paused: "true"})
	s.create("plain", 3, nil)
	for name, state := range map[string]string{
		"broken": "invalid", "by-day": "normal", "down": "window", "new": "waiting", "over": "override", "paused": "paused",
	} {
		s.awaitState(name, state)
	}
}

// TestStatus: a row for each Deployment that Curfew has to do with.
func TestStatus(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.many()

	a := s.curfew("status")
	a.stdout = timeless(a.stdout)
	a.want(t, 0, `
NAME | NOW | WHY | UNTIL | NEXT
broken | 3/3 | invalid: curfew/windows: line 1, column 9: "8-20": a time h… | <none> | <none>
by-day | 3/3 | normal | TIME (WHILE) | 0 (SPAN = 0)
down | 0/3 | SPAN = 0 | TIME (WHILE) | 3 (normal)
new | 3/3 | waiting (new) | TIME (WHILE) | 3 (normal)
out | 3/3 | opted out | <none> | <none>
over | 2/3 | override | TIME (WHILE) | 0 (SPAN = 0)
paused | 3/3 | paused | <none> | <none>
`, "")

	a = s.curfew("status", "-o", "wide", "deploy/plain", "deploy/down")
	a.stdout = timeless(a.stdout)
	a.want(t, 0, `
NAME | NOW | WHY | UNTIL | NEXT | ZONE | READY | SOURCE | MESSAGE
down | 0/3 | SPAN = 0 | TIME (WHILE) | 3 (normal) | UTC | 0 | Deployment | <none>
plain | 3/3 | none | <none> | <none> | UTC | 0 | <none> | <none>
`, "")

	s.curfew("status", "-l", "app in (out,paused)", "-o", "name").want(t, 0, "deployment.apps/out\ndeployment.apps/paused\n", "")
	s.curfew("status", "-n", "default", "-o", "name", "ns/"+s.namespace).want(t, 0, s.curfew("status", "-o", "name").stdout, "")
	s.curfew("status", "deploy", "down", "out", "-o", "name").want(t, 0, "deployment.apps/down\ndeployment.apps/out\n", "")

	if a := s.curfew("status", "-A"); a.code != 0 || !strings.HasPrefix(a.stdout, "NAMESPACE ") || !regexp.MustCompile(`(?m)^`+s.namespace+` +(deployment.apps/)?down +0/3 `).MatchString(a.stdout) { // other tests may have other kinds
		t.Errorf("everywhere: %+v", a)
	}
	if a := s.curfew("status", "--color=always", "deploy/down"); !regexp.MustCompile("(?m)^down +0/3 +\x1b\\[36m[0-9:-]+ = 0\x1b\\[0m   ").MatchString(a.stdout) {
		t.Errorf("with colours: %q", a.stdout)
	}
	s.curfew("__complete", "status", "deploy/do").want(t, 0, "deploy/down\n:4\n", "Completion ended with directive: ShellCompDirectiveNoFileComp\n")

	status := harness.StatusOf(s.get("down"))
	until, err := time.Parse(time.RFC3339, status.Until)
	s.must(err)
	want := map[string]any{"items": []any{map[string]any{
		"kind": "Deployment", "namespace": s.namespace, "name": "down", "timezone": "UTC", "state": "window", "rule": status.Rule,
		"source": "Deployment", "size": 0.0, "normal": 3.0, "replicas": 0.0, "ready": 0.0, "applied": true,
		"until": until.UTC().Format(time.RFC3339), "next": map[string]any{"size": 3.0, "state": "normal"},
	}}}
	var got map[string]any
	s.must(json.Unmarshal([]byte(s.curfew("status", "deploy/down", "-o", "json").stdout), &got))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("as JSON (- want, + got):\n%s", diff)
	}
	if a := s.curfew("status", "deploy/down", "-o", "yaml"); a.code != 0 || !strings.HasPrefix(a.stdout, "items:\n- applied: true\n  kind: Deployment\n  name: down\n") {
		t.Errorf("as YAML: %+v", a)
	}
}

// TestStatusInherited: rules and a zone of the Namespace's.
func TestStatusInherited(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.annotateNamespace(s.namespace, map[string]*string{harness.Windows: value("always = 50%")})
	s.create("web", 4, nil)
	s.awaitState("web", "window")
	s.curfew("status", "-o", "wide").want(t, 0, `
NAME   NOW   WHY            UNTIL    NEXT     ZONE   READY   SOURCE      MESSAGE
web    2/4   always = 50%   <none>   <none>   UTC    0       Namespace   <none>
`, "")

	a := s.curfew("status", "-n", "default", "ns/"+s.namespace)
	a.stdout = someGap.ReplaceAllString(a.stdout, " | ")
	a.want(t, 0, fmt.Sprintf("NAMESPACE | NAME | NOW | WHY | UNTIL | NEXT\n%s | web | 2/4 | always = 50%% | <none> | <none>\n", s.namespace), "")

	// Somebody who may not read the Namespace is told what Curfew said.
	s.allow("developer", rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get", "list"}})
	a = s.curfew("status", "--as", "developer")
	a.want(t, 0, `
NAME   NOW   WHY                                                                 UNTIL    NEXT
web    2/4   always = 50% (as Curfew last said: the Namespace may not be read)   <none>   <none>
`, fmt.Sprintf(`
warning: the right to get namespaces in the namespace %[1]s is missing; whoever manages the cluster can give it to "developer" (kubectl auth can-i get namespaces -n %[1]s tells when it is there); what Namespaces say counts as absent
warning: the right to list horizontalpodautoscalers.autoscaling in the namespace %[1]s is missing; whoever manages the cluster can give it to "developer" (kubectl auth can-i list horizontalpodautoscalers.autoscaling -n %[1]s tells when it is there); HorizontalPodAutoscalers count as absent
`, s.namespace))
}

// TestStatusContested: somebody else keeps changing the size.
func TestStatusContested(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	rules := annotations{harness.Windows: "always = 0"}
	s.create("web", 3, rules)
	s.awaitSize("web", 0)
	for range 6 {
		s.applyAs("argocd-controller", "web", 3, rules)
		s.sleepUntil(time.Now().Add(time.Second))
	}
	s.awaitState("web", "contested")
	a := s.curfew("status")
	if a.code != 0 || !regexp.MustCompile(`(?m)^web +0/3 +contested by "argocd-controller"( \(not put back yet\))? +<none> +<none>$`).MatchString(a.stdout) {
		t.Errorf("%+v", a)
	}
}

// TestStatusErrors: what is wrong, and what to do.
func TestStatusErrors(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.create("web", 3, nil)
	row := "NAME   NOW   WHY    UNTIL    NEXT\nweb    3/3   none   <none>   <none>\n"

	s.curfew("status").want(t, 0, "", fmt.Sprintf(`
Nothing with rules of Curfew's found in %s namespace.
Give one rules with
  kubectl annotate deploy/NAME curfew/timezone=Europe/Berlin curfew/windows='Mon-Fri 20:00-07:00 = 0'
see first what they would do with 'kubectl curfew plan', or look everywhere with -A.
`, s.namespace))
	s.curfew("status", "-o", "json").want(t, 0, "{\n    \"items\": []\n}\n", "")
	s.curfew("status", "-o", "name").want(t, 0, "", s.curfew("status").stderr)
	s.curfew("status", "-n", "nowhere").want(t, 1, "", "error: namespaces \"nowhere\" not found\n")
	s.curfew("status", "deploy/web", "deploy/nobody", "deploy/nil").want(t, 1, row,
		"error: deployments.apps \"nobody\" not found\nerror: deployments.apps \"nil\" not found\n")
	s.curfew("status", "web").want(t, 1, "", "error: the server doesn't have a resource type \"web\"; for the Deployment of that name write deploy/web\n")
	s.curfew("status", "-o", "jsno").want(t, 1, "", "error: --output: \"jsno\" is not a format; it is one of wide, json, yaml, name\n")
	s.curfew("status", "--timezone", "CEST").want(t, 1, "", "error: --timezone: \"CEST\": an abbreviation does not name one zone; write Europe/Berlin\n")
	s.curfew("status", "-n", "default", "ns/"+s.namespace).want(t, 0, "", fmt.Sprintf(`
Nothing with rules of Curfew's found in ns/%s.
Give one rules with
  kubectl annotate deploy/NAME curfew/timezone=Europe/Berlin curfew/windows='Mon-Fri 20:00-07:00 = 0'
see first what they would do with 'kubectl curfew plan', or look everywhere with -A.
`, s.namespace))
	if a := s.curfew("status", "--color", "red"); a.code != 1 || !strings.Contains(a.stderr, `"red" is none of auto, always and never`) {
		t.Errorf("%+v", a)
	}
	missing := func(verb string) string {
		return fmt.Sprintf("error: the right to %[1]s deployments.apps in the namespace %[2]s is missing; whoever manages the cluster can give it to \"nobody\" "+
			"(kubectl auth can-i %[1]s deployments.apps -n %[2]s tells when it is there)\n", verb, s.namespace)
	}
	s.curfew("status", "--as", "nobody").want(t, 1, "", missing("list"))
	s.curfew("status", "--as", "nobody", "--watch").want(t, 1, "", missing("list"))
	s.curfew("status", "--as", "nobody", "deploy/web").want(t, 1, "", missing("get"))
	s.kubectlInput(`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db"},"spec":{"serviceName":"db","selector":{"matchLabels":{"a":"b"}},
		"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`, "create -f -")
	s.curfew("status", "sts/db", "deploy/web").want(t, 0, `
NAME                  NOW   WHY    UNTIL    NEXT
statefulset.apps/db   1/1   none   <none>   <none>
deployment.apps/web   3/3   none   <none>   <none>
`, "")
}

// follow is a command that stays.
type follow struct {
	*exec.Cmd
	said *harness.Log
}

func (s *space) follow(args ...string) *follow {
	s.Helper()
	f := &follow{s.pluginCommand(args...), harness.NewLog()}
	f.Stdout, f.Stderr = f.said, f.said
	s.must(f.Start())
	s.Cleanup(func() { _ = f.Process.Kill() })
	return f
}

// built sees to it that the plugin is there, which may take longer than a test has time
// for a boundary.
func (s *space) built() {
	s.Helper()
	_, err := plugin()
	s.must(err)
}

// interrupt is what Ctrl-C does. The command must end well, and at once.
func (s *space) interrupt(f *follow) {
	s.Helper()
	s.must(f.Process.Signal(os.Interrupt))
	if err := f.Wait(); err != nil {
		s.Errorf("interrupted: %v", err)
	}
}

// TestStatusWatch: what people change, and what a boundary does.
func TestStatusWatch(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.built()
	night := harness.WindowIn(15*time.Second, time.Hour)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0"), harness.Replicas: "3"})
	s.create("other", 3, nil)
	s.awaitState("web", "normal")
	table, documents := s.follow("status", "--watch"), s.follow("status", "-w", "-o", "json", "deploy/web")
	elsewhere := s.follow("status", "-w", "-n", "default", "ns/"+s.namespace)
	s.must(table.said.Await(s.ctx, "normal"))
	s.must(documents.said.Await(s.ctx, `"state": "normal"`))
	s.must(elsewhere.said.Await(s.ctx, "normal"))
	s.annotate("web", annotations{harness.Paused: "true"})
	s.must(table.said.Await(s.ctx, "paused"))
	s.annotate("web", annotations{harness.Paused: "false"})
	s.awaitState("web", "normal")
	s.awaitSize("web", 0)
	s.must(table.said.Await(s.ctx, night.Rule("0")+"   "))
	s.must(documents.said.Await(s.ctx, `"state": "window"`))
	s.must(s.deployments().Delete(s.ctx, "web", metav1.DeleteOptions{}))
	s.must(table.said.Await(s.ctx, "gone"))
	s.must(elsewhere.said.Await(s.ctx, "gone"))
	s.interrupt(elsewhere)
	s.interrupt(table)
	s.interrupt(documents)
	if strings.Contains(elsewhere.said.String(), "other") {
		t.Errorf("what has no rules is shown:\n%s", elsewhere.said)
	}

	// One change may be seen at once or in two steps; nothing else may be said.
	var why []string
	for line := range strings.Lines(timeless(table.said.String())) {
		fields := strings.Split(strings.TrimSpace(line), " | ")
		why = append(why, strings.Join(fields[1:3], " "))
	}
	got := strings.Join(why, "\n")
	if !regexp.MustCompile(`^NOW WHY\n3/3 normal\n(3/3 paused.*\n)+(3/3 normal.*\n)+0/3 SPAN = 0\n(0/3 being deleted\n)?<none> gone$`).MatchString(got) {
		t.Errorf("the table says\n%s", table.said)
	}
	states := []string{}
	for decoder := json.NewDecoder(strings.NewReader(documents.said.String())); decoder.More(); {
		var item struct{ State string }
		s.must(decoder.Decode(&item))
		states = append(states, item.State)
	}
	if got := strings.Join(states, " "); !regexp.MustCompile(`^normal (paused )+(normal )+window (deleting )?gone$`).MatchString(got) {
		t.Errorf("the documents say %s", got)
	}
}

// TestStatusWithoutCurfew: what should be is known all the same, and that it is not so.
func TestStatusWithoutCurfew(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.built()
	night := harness.WindowIn(15*time.Second, time.Hour)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0"), harness.Replicas: "3"})
	f := s.follow("status", "--watch", "-o", "wide")
	s.must(f.said.Await(s.ctx, "web"))
	s.must(f.said.Await(s.ctx, "it asks for 3 replicas instead of 0"))
	if at := time.Now(); at.Before(night.Start) {
		t.Errorf("said at %v, before the window starts at %v", at, night.Start)
	}
	s.interrupt(f)
	const is = "; is Curfew running, and does it look after this namespace? Is its --timezone UTC?\n"
	if diff := cmp.Diff("NAME | NOW | WHY | UNTIL | NEXT | ZONE | READY | SOURCE | MESSAGE\n"+
		"web | 3/3 | normal (not applied yet: is Curfew running?) | TIME (WHILE) | 0 (SPAN = 0) | UTC | 0 | Deployment | not applied yet: Curfew has said nothing about it"+is+
		"web | 0/3 | SPAN = 0 (not applied yet: is Curfew running?) | TIME (WHILE) | 3 (normal) | UTC | 0 | Deployment | not applied yet: it asks for 3 replicas instead of 0"+is,
		timeless(f.said.String())); diff != "" {
		t.Errorf("- want, + got\n%s", diff)
	}

	s.startLeader()
	s.await("web", "its status", func(d *appsv1.Deployment) bool { return harness.Size(d) == 0 })
	a := s.curfew("status")
	a.stdout = timeless(a.stdout)
	a.want(t, 0, "NAME | NOW | WHY | UNTIL | NEXT\nweb | 0/3 | SPAN = 0 | TIME (WHILE) | 3 (normal)\n", "")
}
