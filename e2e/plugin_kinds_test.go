package e2e_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/e2e/harness"
)

// other is an object of a kind that is no Deployment, as the plugin's tests have it.
type other struct {
	kind, arg, full string // as manifests have it, as people type it, and as kubectl prints it
	version         string
	resource        schema.GroupVersionResource
	spec            string
	path            []string // where its size is
	awake, asleep   any
}

const (
	// aPod is one that the strictest of policies has nothing to say about.
	aPod = `"restartPolicy":"Always","securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},
		"containers":[{"name":"c","image":"i","securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}]`
	threeReplicas = `{"replicas":3,"serviceName":"x","selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{` + aPod + `}}}`
)

var (
	aStatefulSet = other{"StatefulSet", "sts", "statefulset.apps", "apps/v1", schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"},
		threeReplicas, []string{"spec", "replicas"}, int64(3), int64(0)}
	aRollout = other{"Rollout", "rollouts.argoproj.io", "rollout.argoproj.io", "argoproj.io/v1alpha1", schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"},
		threeReplicas, []string{"spec", "replicas"}, int64(3), int64(0)}
	aCronJob = other{"CronJob", "cj", "cronjob.batch", "batch/v1", schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"},
		`{"schedule":"0 0 30 2 *","jobTemplate":{"spec":{"template":{"spec":{` + strings.Replace(aPod, "Always", "Never", 1) + `}}}}}`,
		[]string{"spec", "suspend"}, false, true}
)

// with makes an object of the kind.
func (s *space) with(k other, name string, curfew annotations) {
	s.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": k.version, "kind": k.kind, "spec": json.RawMessage(k.spec),
		"metadata": map[string]any{"name": name, "annotations": curfew},
	})
	s.must(err)
	s.kubectlInput(string(text), "create -f -")
}

// awaitOther waits until an object of the kind has a size.
func (s *space) awaitOther(k other, name string, size any) {
	s.Helper()
	_, err := s.cluster.AwaitObject(s.ctx, k.resource, s.namespace, name, fmt.Sprintf("%s %s at %v", k.kind, name, size), func(u *unstructured.Unstructured) bool {
		has, _, _ := unstructured.NestedFieldNoCopy(u.Object, k.path...)
		return has == size
	})
	s.must(err)
}

// in is the space for a test within the test.
func (s *space) in(t *testing.T) *space {
	within := *s
	within.TB = t
	return &within
}

// newKindsSpace is a space with a Curfew of its own for several kinds.
func newKindsSpace(t *testing.T, kinds ...other) *space {
	t.Helper()
	s := newOwnSpace(t)
	s.kubectl("apply --server-side -f kinds/testdata/rollout-crd.yaml")
	s.kubectl("wait --for=condition=Established crd/rollouts.argoproj.io")
	flag := "--kinds=deployments.apps"
	var rules []rbacv1.PolicyRule
	for _, k := range kinds {
		flag += "," + k.resource.GroupResource().String()
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{k.resource.Group}, Resources: []string{k.resource.Resource}, Verbs: []string{"list", "watch", "patch"}})
	}
	s.allowTo(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: s.namespace, Name: harness.AccountName}, "kinds", rules...)
	s.startLeader(flag)
	return s
}

// TestPluginKinds: what is no Deployment is seen and steered in the same way.
func TestPluginKinds(t *testing.T) {
	t.Parallel()
	kinds := []other{aStatefulSet, aRollout, aCronJob}
	s := newKindsSpace(t, kinds...)
	flag, told := hours(5)
	s.built()
	watched := s.follow("status", "--watch", "--kinds", "statefulsets.apps,rollouts.argoproj.io,cronjobs.batch")
	s.must(watched.said.Await(s.ctx, "Nothing with rules"))
	for _, k := range kinds {
		t.Run(k.kind, func(t *testing.T) {
			s := s.in(t)
			name := strings.ToLower(k.kind)
			arg, full := k.arg+"/"+name, k.full+"/"+name
			s.with(k, name, annotations{harness.Windows: "always = 0"})
			s.awaitOther(k, name, k.asleep)
			asleep, awake := "0", "3"
			if k.kind == "CronJob" {
				asleep, awake = "suspended", "running"
			}
			if a := s.curfew("status", arg); a.code != 0 || a.stderr != "" ||
				!regexp.MustCompile(`(?m)^`+full+` +`+asleep+`(/3)? +always = 0 +<none> +<none>$`).MatchString(a.stdout) {
				t.Errorf("status: %+v", a)
			}
			s.curfew("wake", arg, "--until", flag).wantSo(t, 0, fmt.Sprintf(
				"%s woken: normal (%s) until %s (in …), then %s (always = 0)\n", full, awake, told, asleep), "")
			s.awaitOther(k, name, k.awake)
			_, err := s.cluster.AwaitEvent(s.ctx, s.namespace, "an event about "+full, func(e *eventsv1.Event) bool {
				return e.Regarding.Name == name && e.Regarding.Kind == k.kind && e.Reason == "Overridden"
			})
			s.must(err)
			a := s.curfew("explain", arg)
			for _, want := range []string{
				"Name:         " + full + "\n", ", because the " + k.kind + "'s override says so", strings.Join(k.path, ".") + ", set by Curfew",
				"  > " + k.kind + ":", "Curfew said:  override, ", "Overridden",
			} {
				if a.code != 0 || a.stderr != "" || !strings.Contains(a.stdout, want) || strings.Contains(a.stdout, "Deployment") {
					t.Errorf("explain: %q is not in\n%s%s", want, a.stdout, a.stderr)
				}
			}
			s.curfew("resume", arg).want(t, 0, fmt.Sprintf("%s resumed: %s (always = 0)\n", full, asleep), "")
			s.awaitOther(k, name, k.asleep)
			s.curfew("pause", arg).want(t, 0, fmt.Sprintf("%s paused: stays at %s\n", full, asleep), "")
			s.must(watched.said.Await(s.ctx, full+" "))
			s.must(watched.said.Await(s.ctx, "paused "))
			s.curfew("unpause", arg)
		})
	}
	s.interrupt(watched)
	// Of those that nobody asked for, what carries an annotation is there; with --kinds, what inherits rules too.
	s.with(aStatefulSet, "plain", nil)
	names := func(args ...string) string {
		a := s.curfew(append([]string{"status", "-o", "name"}, args...)...)
		if a.code != 0 || a.stderr != "" {
			t.Errorf("%q: %+v", args, a)
		}
		return strings.ReplaceAll(a.stdout, "\n", " ")
	}
	const annotated = "cronjob.batch/cronjob statefulset.apps/statefulset "
	if got := names(); got != annotated {
		t.Errorf("by default %q, want %q", got, annotated)
	}
	const inherited = "cronjob.batch/cronjob deployment.apps/curfew statefulset.apps/statefulset "
	s.kubectl("annotate namespace " + s.namespace + " curfew/windows=always=0")
	for args, want := range map[string]string{
		"":                             inherited,
		"ns/" + s.namespace:            inherited,
		"--kinds=statefulsets.apps":    "statefulset.apps/plain statefulset.apps/statefulset ",
		"--kinds=rollouts.argoproj.io": "rollout.argoproj.io/rollout ",
		"sts":                          "statefulset.apps/plain statefulset.apps/statefulset ",
	} {
		if got := names(strings.Fields(args)...); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
	s.curfew("__complete", "wake", "").want(t, 0, "deploy/curfew\nsts/statefulset\ncj/cronjob\n:4\n", "Completion ended with directive: ShellCompDirectiveNoFileComp\n")
	s.curfew("__complete", "wake", "sts/").want(t, 0, "sts/plain\nsts/statefulset\n:4\n", "Completion ended with directive: ShellCompDirectiveNoFileComp\n")
	s.curfew("__complete", "explain", "rollouts.argoproj.io/r").want(t, 0, "rollouts.argoproj.io/rollout\n:4\n", "Completion ended with directive: ShellCompDirectiveNoFileComp\n")
}

// TestPluginAutoscaler: of an autoscaler both ends are told and held, and whose rules it follows.
func TestPluginAutoscaler(t *testing.T) {
	t.Parallel()
	autoscaler := other{resource: schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
		kind: "HorizontalPodAutoscaler", path: []string{"spec", "minReplicas"}}
	s := newKindsSpace(t, autoscaler)
	s.create("web", 3, annotations{harness.Windows: "2036-06-05 = 0"})
	s.kubectl("autoscale deployment web --min=3 --max=10 --cpu=50%")
	const full = "horizontalpodautoscaler.autoscaling/web"
	flag, told := hours(5)
	s.curfew("wake", "hpa/web", "--until", flag, "--replicas", "12..40").wantSo(t, 0, fmt.Sprintf(
		"%s woken: 12..40 until %s (in …), then 3..10 (no rules)\n", full, told), "")
	s.awaitOther(autoscaler, "web", int64(12))
	if a := s.curfew("status"); a.code != 0 || a.stderr != "" || !regexp.MustCompile(`(?m)^`+full+` +12..40/3..10 +override +.* +3..10 \(no rules\)$`).MatchString(a.stdout) {
		t.Errorf("status: %+v", a)
	}
	s.curfew("resume", "hpa/web")
	s.awaitOther(autoscaler, "web", int64(3))
	s.curfew("sleep", "hpa/web", "--for", "2h").want(t, 1, "", "error: "+full+": a HorizontalPodAutoscaler cannot go to 0; put 0 on its target, which pauses it for as long\n")

	s.annotate("web", annotations{"curfew/hpa": "floor", harness.Windows: "always = 5"})
	s.awaitOther(autoscaler, "web", int64(5))
	a := s.curfew("explain", "hpa/web", "-o", "json")
	var got struct {
		Source, Rule string
		Size, Max    int
		Applied      bool
	}
	s.must(json.Unmarshal([]byte(a.stdout), &got))
	if got.Source != "Deployment" || got.Rule != "always = 5" || got.Size != 5 || got.Max != 10 || !got.Applied {
		t.Errorf("what follows its target is %+v", got)
	}
	if a := s.curfew("explain", "deploy/web"); a.code != 0 || strings.Contains(a.stdout, "not applied yet") {
		t.Errorf("its target: %+v", a)
	}
}

// TestPluginKindsRefuses what cannot be meant of other kinds, and what is not allowed.
func TestPluginKindsRefuses(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.with(aCronJob, "db", annotations{harness.Windows: "always = 0"})
	s.with(aStatefulSet, "db", annotations{harness.Windows: "always = 0"})
	s.kubectlInput(`{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},
		"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`, "create -f -")
	s.await("web", "a ReplicaSet", func(d *appsv1.Deployment) bool { return len(d.Status.Conditions) > 0 })
	rs := strings.TrimSpace(s.kubectl("get replicasets -o name -l app=web"))
	s.allow("reader", rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get", "list", "watch"}},
		rbacv1.PolicyRule{APIGroups: []string{"autoscaling"}, Resources: []string{"horizontalpodautoscalers"}, Verbs: []string{"list"}},
		rbacv1.PolicyRule{APIGroups: []string{"batch"}, Resources: []string{"cronjobs"}, Verbs: []string{"get"}})
	missing := func(verb, resource string) string {
		return fmt.Sprintf("error: the right to %[1]s %[2]s in the namespace %[3]s is missing; whoever manages the cluster can give it to \"reader\" "+
			"(kubectl auth can-i %[1]s %[2]s -n %[3]s tells when it is there)\n", verb, resource, s.namespace)
	}
	for line, want := range map[string]string{
		"wake cj/db --for 2h --replicas 3":                "error: cronjob.batch/db: a CronJob is on or off; write 0, which suspends it, or normal\n",
		"sleep sts --for 2h":                              "error: \"sts\": which one? Write sts/NAME, or choose with -l or -A\n",
		"sleep replicationcontrollers --for 2h":           "error: \"replicationcontrollers\": which one? Write replicationcontrollers/NAME, or choose with -l or -A\n",
		"sleep " + rs + " --for 2h":                       "error: " + rs + ": this ReplicaSet belongs to the Deployment web, which sets its size; say it there\n",
		"explain ds/d":                                    "error: daemonset/d: a DaemonSet has no size; docs/kinds.md says what to do instead\n",
		"status sts/nope":                                 "error: statefulsets.apps \"nope\" not found\n",
		"status nope/nope":                                "error: the server doesn't have a resource type \"nope\"\n",
		"status --kinds statefulset":                      "error: --kinds: there is no resource \"statefulset\"; did you mean statefulsets.apps?\n",
		"status --kinds widgets.example.com":              "error: --kinds: widgets.example.com: the cluster has no such resource\n",
		"status --kinds services":                         "error: --kinds: services: it has no scale subresource, so it has no size that Curfew knows of\n",
		"status --as reader sts/db":                       missing("get", "statefulsets.apps"),
		"status --as reader --kinds statefulsets.apps":    missing("list", "statefulsets.apps"),
		"status --as reader --kinds statefulsets.apps -w": missing("list", "statefulsets.apps"),
		"sleep --as reader cj/db --for 2h":                "error: cronjob.batch/db: " + strings.TrimPrefix(missing("patch", "cronjobs.batch"), "error: "),
	} {
		t.Run(line, func(t *testing.T) {
			a := s.curfew(strings.Fields(line)...)
			a.stderr = withoutWarnings(a.stderr)
			a.want(t, 1, "", want)
		})
	}
	if a := s.curfew("explain", rs); a.code != 0 || !strings.Contains(a.stdout, "Decision:     none of Curfew's business, because this ReplicaSet belongs to the Deployment web, which sets its size; say it there\n") {
		t.Errorf("explain %s: %+v", rs, a)
	}
	// Who may not list the kinds that nobody asked for sees the Deployments, and no complaint about the others.
	if a := s.curfew("status", "--as", "reader", "-o", "name"); a.code != 0 || a.stdout != "deployment.apps/web\n" || strings.Contains(a.stderr, "statefulsets") {
		t.Errorf("status as reader: %+v", a)
	}
}

// withoutWarnings is what is left of what was said.
func withoutWarnings(text string) string {
	var rest []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "warning: ") {
			rest = append(rest, line)
		}
	}
	return strings.Join(rest, "")
}
