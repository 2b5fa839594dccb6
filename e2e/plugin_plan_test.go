package e2e_test

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

// TestPlanLive plans what is in the cluster: own rules, a Namespace's, an override, and what makes no sense.
func TestPlanLive(t *testing.T) {
	t.Parallel()
	s := newNamespace(t) // nobody acts here
	s.kubectl("annotate namespace " + s.namespace + " curfew/windows=20:00-06:00=0 curfew/timezone=Europe/Rome")
	s.create("web", 3, nil)
	s.create("own", 2, annotations{"curfew/windows": "Sat,Sun Asia/Tokyo = 50%", "curfew/replicas": "4", "curfew/override": "7 until 2036-06-05T12:00:00Z"})
	s.create("bad", 2, annotations{"curfew/windows": "Mon 8-20 = 0"})
	days := []string{"--from", "2036-06-05", "--to", "2036-06-07"}
	ask := func(args ...string) answer { return s.curfew(append(append([]string{"plan"}, args...), days...)...) }

	ask("deploy/web").want(t, 0, `
Deployment `+s.namespace+`/web (Europe/Rome, normal is 3)
LOCAL                       UTC                    SIZE     RULE
Thu 2036-06-05 00:00 CEST   2036-06-04T22:00:00Z   0        20:00-06:00=0
Thu 2036-06-05 06:00 CEST   2036-06-05T04:00:00Z   normal   <none>
Thu 2036-06-05 20:00 CEST   2036-06-05T18:00:00Z   0        20:00-06:00=0
Fri 2036-06-06 06:00 CEST   2036-06-06T04:00:00Z   normal   <none>
Fri 2036-06-06 20:00 CEST   2036-06-06T18:00:00Z   0        20:00-06:00=0
`, "")
	all := ask("--all-namespaces=false", "-l", "!nobody") // as many as there are, and what is wrong with one
	if all.code != 1 || !strings.Contains(all.stdout, "/own (Europe/Rome, normal is 4)") || !strings.Contains(all.stdout, "7        override") {
		t.Errorf("%+v", all)
	}
	if want := "error: Deployment " + s.namespace + "/bad: annotation curfew/windows:\nline 1, column 5: \"8-20\": "; !strings.Contains(all.stderr, want) {
		t.Errorf("%q is not in\n%s", want, all.stderr)
	}
	ask("deploy", "web", "--savings").want(t, 0, `
From Thu 2036-06-05 00:00 CEST to Sat 2036-06-07 00:00 CEST, in replica-hours:
NAMESPACE`+strings.Repeat(" ", len(s.namespace)-9)+`   NAME   NORMAL   ALWAYS-ON   PLANNED   SAVED   SAVED%   CPU-HOURS   GIB-HOURS
`+s.namespace+`   web    3        144         84        60      42%      0           0
`, "")

	manifest := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, annotations: {curfew/windows: 22:00-06:00 = 0}}\n"
	s.curfewInput(manifest, append([]string{"plan", "--diff", "-f", "-"}, days...)...).want(t, 1, `
Deployment web (Europe/Rome, normal is 3)
FROM                        TO                          OLD                 NEW
Thu 2036-06-05 20:00 CEST   Thu 2036-06-05 22:00 CEST   0 (20:00-06:00=0)   3
Fri 2036-06-06 20:00 CEST   Fri 2036-06-06 22:00 CEST   0 (20:00-06:00=0)   3
`, "")
	s.curfewInput(strings.Replace(manifest, "22:00", "20:00", 1), append([]string{"plan", "--diff", "-f", "-"}, days...)...).want(t, 0, `
Deployment web (Europe/Rome, normal is 3)
No difference before Sat 2036-06-07 00:00 CEST.
`, "")

	ask("deploy/none").want(t, 1, "", "error: deployments.apps \"none\" not found\n")
	ask("web").want(t, 1, "", "error: the server doesn't have a resource type \"web\"; for the Deployment of that name write deploy/web\n")
	s.kubectl("create configmap other")
	ask("configmap/other").want(t, 1, "", "error: configmap/other: it has no scale subresource, so it has no size that Curfew knows of\n")
}

// TestPlanRights: somebody who may read Deployments and nothing else sees their own rules, and is told what is missing.
func TestPlanRights(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.create("web", 3, annotations{"curfew/windows": "2036-06-05 = 0"})
	s.allow("ann", rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get"}})
	missing := func(verb, resource string) string {
		return "the right to " + verb + " " + resource + " in the namespace " + s.namespace + ` is missing; whoever manages the cluster can give it to "ann" (kubectl auth can-i ` + verb + " " + resource + " -n " + s.namespace + " tells when it is there)"
	}
	s.curfew("plan", "deploy/web", "--as", "ann", "--from", "2036-06-05", "--to", "2036-06-06").want(t, 0, `
Deployment `+s.namespace+`/web (UTC, normal is 3)
LOCAL                      UTC                    SIZE   RULE
Thu 2036-06-05 00:00 UTC   2036-06-05T00:00:00Z   0      2036-06-05 = 0
No change before Fri 2036-06-06 00:00 UTC.
`, "warning: "+missing("get", "namespaces")+"; what Namespaces say counts as absent\n"+
		"warning: "+missing("list", "horizontalpodautoscalers.autoscaling")+"; HorizontalPodAutoscalers count as absent\n")
	s.curfew("plan", "-l", "a!=b", "--as", "ann").want(t, 1, "", "error: "+missing("list", "deployments.apps")+"\n")
}

// TestNoCluster: what a person sees whose kubeconfig leads nowhere.
func TestNoCluster(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.curfew("plan", "deploy/web", "--server", "https://127.0.0.1:1").want(t, 1, "",
		"error: cannot reach the API server: Get \"https://127.0.0.1:1/api?timeout=32s\": dial tcp 127.0.0.1:1: connect: connection refused; is it the right --context?\n")
	s.curfew("plan", "deploy/web", "--context", "none").want(t, 1, "", "error: there is no context \"none\"; kubectl config get-contexts lists those that there are\n")
}
