package e2e_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"curfew/e2e/harness"
)

// TestExplain: a Deployment with rules of its own, a Namespace with an override.
func TestExplain(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	night := harness.WindowIn(-time.Hour, 2*time.Hour)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0") + "\nalways = 50%"})
	s.awaitSize("web", 0)
	s.awaitEvent("web", "WindowStarted")

	a := s.curfew("explain", "deploy/web")
	head, rest, _ := strings.Cut(timeless(a.stdout), "\nChanges:\n")
	changes, events, _ := strings.Cut(rest, "\nEvents:\n")
	a.stdout = head
	a.want(t, 0, fmt.Sprintf(`
Name: | web
Namespace: | %s
Time: | TIME, UTC
Decision: | 0 replicas, because rule 1 holds: SPAN = 0
Until: | TIME (WHILE)
Then: | 2 (always = 50%%)
Size: | asks for 0, 0 ready
Inputs:
  WHAT | VALUE | FROM
  Rules | 2 | curfew/windows of the Deployment
  Time zone | UTC | nobody names one; give the controller's own with --timezone
  Normal size | 3 | what Curfew remembers
  Size it asks for | 0 | spec.replicas, set by Curfew
  Remembered size | 3 | curfew/remembered-replicas, which Curfew wrote
  Paused | no
  Left alone when new | no | curfew/grace is not there; it was created WHILE
  Autoscaler | none
  Namespace's defaults | none
Overrides: | <none>
Rules:
  > 1. | SPAN = 0 | holds now, until TIME (WHILE)
 | 2. | always = 50%% | would hold too, but rule 1 comes first
Curfew said:  window, 0 replicas, normal is 3, SPAN = 0, until TIME, and so it is`, s.namespace), "")
	if want := "  LOCAL | UTC | IN | SIZE | WHY" + strings.Repeat("\n  TIME | UTC | WHILE | 2 | always = 50%\n  TIME | UTC | WHILE | 0 | SPAN = 0", 5); changes != want {
		t.Errorf("the changes are\n%s\nwant\n%s", changes, want)
	}
	if want := "  TIME | WHILE | WindowStarted | Scaled from 3 to 0: the rule SPAN = 0, until UTC\n"; events != want {
		t.Errorf("the events are\n%swant\n%s", events, want)
	}

	// An override of the Namespace's, for somebody who may not read events.
	s.annotateNamespace(s.namespace, map[string]*string{harness.Override: value(override("1", in(time.Hour)))})
	s.awaitState("web", "override")
	s.allow("developer",
		rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get"}},
		rbacv1.PolicyRule{APIGroups: []string{"autoscaling"}, Resources: []string{"horizontalpodautoscalers"}, Verbs: []string{"list"}})
	a = s.curfew("explain", "deploy/web", "--as", "developer")
	if a.code != 0 || !strings.HasPrefix(a.stderr, "warning: the right to list events.events.k8s.io in the namespace "+s.namespace+" is missing; ") ||
		!strings.HasSuffix(a.stderr, "; events are not shown\n") || !strings.HasSuffix(a.stdout, "\nEvents:       unknown, for they may not be read\n") {
		t.Errorf("without events: %+v", a)
	}
	for _, want := range []string{
		"\nDecision: | 1 replica, because the Namespace's override says so\n",
		"\nOverrides:\n  > Namespace: | 1 until ", " | holds now, until TIME (WHILE)\nRules:\n",
		"\n | 1. | SPAN = 0 | would hold, but an override comes first\n",
		"\nCurfew said:  override, 1 replica, normal is 3, until TIME, and so it is\n",
	} {
		if got := timeless(a.stdout); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}

	var e struct {
		State, Decision, Source string
		Applied                 bool
		Overrides, Rules        []struct{ Holds bool }
		Said                    struct{ State string }
		Changes                 []struct {
			At   time.Time
			Size int
		}
		Events []struct{ Reason string }
	}
	s.awaitEvent("web", "Overridden")
	s.must(json.Unmarshal([]byte(s.curfew("explain", "deployment", "web", "-o", "json").stdout), &e))
	if e.State != "override" || e.Source != "Namespace" || !e.Applied || !e.Overrides[0].Holds || e.Rules[0].Holds || e.Said.State != "override" ||
		len(e.Changes) != 10 || e.Changes[0].Size != 2 && e.Changes[0].Size != 0 || len(e.Events) != 2 || e.Events[1].Reason != "Overridden" {
		t.Errorf("as JSON %+v", e)
	}
	if a := s.curfew("explain", "deploy/web", "-o", "yaml"); a.code != 0 || !strings.Contains(a.stdout, "\ndecision: 1 replica, because the Namespace's override says so\n") {
		t.Errorf("as YAML %+v", a)
	}
}

// TestExplainMistakes: the mistake in full.
func TestExplainMistakes(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.create("web", 3, annotations{harness.Windows: "Sat = 0\nMon-Fri 8-20 = normal"})
	s.awaitState("web", "invalid")
	s.awaitEvent("web", "InvalidAnnotation")
	a := s.curfew("explain", "deploy/web")
	const want = `
Problems:
  annotation curfew/windows of the Deployment:
    line 2, column 9: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00
        Mon-Fri 8-20 = normal
                ^
Curfew said:  invalid, and so it is
`
	if a.code != 0 || a.stderr != "" || !strings.Contains(a.stdout, want) || !strings.Contains(a.stdout, "\nChanges:      none until the mistake is mended\n") ||
		!strings.Contains(a.stdout, "InvalidAnnotation   annotation curfew/windows: line 2, column 9") {
		t.Errorf("%s%s", a.stdout, a.stderr)
	}
}

// TestExplainErrors: what is wrong, and what to do.
func TestExplainErrors(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.create("web-2", 3, nil)
	s.curfew("explain").want(t, 1, "", "error: which object? Write kubectl curfew explain deploy/NAME, or another kind; 'kubectl curfew status' lists them\n")
	s.curfew("explain", "deploy").want(t, 1, "", "error: which one? Write deploy/NAME\n")
	s.curfew("explain", "deploy/web", "deploy/web-2").want(t, 1, "", "error: one object is explained at a time, and this names 2; write deploy/NAME, or another kind\n")
	s.curfew("explain", "web").want(t, 1, "", "error: the server doesn't have a resource type \"web\"; for the Deployment of that name write deploy/web\n")
	s.curfew("explain", "deploy/nobody").want(t, 1, "", "error: deployments.apps \"nobody\" not found\n")
	s.curfew("explain", "deploy/web", "-o", "wide").want(t, 1, "", "error: --output: \"wide\" is not a format; it is json or yaml\n")
	s.curfew("explain", "deploy/web", "--as", "nobody").want(t, 1, "", fmt.Sprintf(
		"error: the right to get deployments.apps in the namespace %[1]s is missing; whoever manages the cluster can give it to \"nobody\" "+
			"(kubectl auth can-i get deployments.apps -n %[1]s tells when it is there)\n", s.namespace))
	s.curfew("__complete", "explain", "").want(t, 0, "deploy/curfew\ndeploy/web\ndeploy/web-2\n:4\n", "Completion ended with directive: ShellCompDirectiveNoFileComp\n")
	s.curfew("__complete", "explain", "deploy/web", "").want(t, 0, ":4\n", "Completion ended with directive: ShellCompDirectiveNoFileComp\n")
	a := s.curfew("explain", "deploy/web")
	if !strings.Contains(a.stdout, "\nCurfew said:  nothing\n              not applied yet: it asks for 3 replicas instead of 0; is Curfew running, ") || !strings.HasSuffix(a.stdout, "\nEvents:       <none>\n") {
		t.Errorf("without a Curfew: %s", a.stdout)
	}
}
