package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// recovery is how long Curfew may take to go on where a right is back: what failed, and what there is no right to
// watch, is tried again after 30 seconds at the latest, and what it does then takes a moment.
const recovery = 30*time.Second + 5*time.Second

// cuts are the verbs in what deploy/ gives Curfew, by name, and what each is good for: something that is seen to fail
// without it.
var cuts = map[string]struct {
	fails func(*limited)
	end   bool // Curfew ends without it, and its supervisor starts it again
}{
	"list deployments.apps": {fails: func(l *limited) {
		l.says(`cannot list resource \"deployments\"`)
		l.size("own", 3)
		if err := l.curfew.AwaitReady(short(l)); err == nil {
			l.Error("it says that it is ready")
		}
	}},
	"watch deployments.apps": {fails: func(l *limited) {
		l.says(`cannot watch resource \"deployments\"`)
		// All it can do is to list again and again, more and more seldom.
		_, err := l.cluster.AwaitAudit(l.ctx, 3, cluster.By(harness.User(l.home)), cluster.To("deployments"), func(r cluster.Request) bool { return r.Verb == "list" })
		l.must(err)
	}},
	"patch deployments.apps": {fails: func(l *limited) {
		if note := l.awaitEvent("own", "WriteRefused").Note; !strings.Contains(note, `cannot patch resource "deployments"`) {
			l.Errorf("the event says %q", note)
		}
		l.says(`cannot patch resource \"deployments\"`)
		l.size("own", 3)
		if got := l.scrape(l.curfew).series[`curfew_reconcile_total{result="error"}`]; got < 1 {
			l.Errorf("%v errors are counted", got)
		}
		_, err := l.cluster.AwaitAudit(l.ctx, 1, cluster.By(harness.User(l.home)), cluster.To("events"), cluster.Succeeded, func(r cluster.Request) bool { return r.Verb == "patch" })
		l.must(err)
	}},
	"list namespaces":                            {fails: withoutDefaults},
	"watch namespaces":                           {fails: withoutDefaults},
	"list horizontalpodautoscalers.autoscaling":  {fails: withoutAutoscalers},
	"watch horizontalpodautoscalers.autoscaling": {fails: withoutAutoscalers},
	"create events.events.k8s.io": {fails: func(l *limited) {
		l.says(`cannot create resource \"events\"`)
		l.awaitSize("own", 0)
		if told := l.events(l.namespace); len(told) > 0 {
			l.Errorf("it has told something: %v", told)
		}
	}},
	"patch events.events.k8s.io": {fails: func(l *limited) {
		// What is refused is told once, and counted when it is refused again.
		l.allow("patch events.events.k8s.io", "patch deployments.apps")
		l.create("refused", 3, annotations{harness.Windows: "always = 0"})
		l.awaitEvent("refused", "WriteRefused")
		l.says(`cannot patch resource \"events\"`)
	}},
	"create leases.coordination.k8s.io": {fails: func(l *limited) {
		l.says(`cannot create resource \"leases\"`)
		l.size("own", 3)
	}},
	"get leases.coordination.k8s.io": {fails: func(l *limited) {
		l.says(`cannot get resource \"leases\"`)
		l.size("own", 3)
	}},
	"update leases.coordination.k8s.io": {end: true, fails: func(l *limited) {
		l.says(`cannot update resource \"leases\"`)
		if code, err := l.curfew.Wait(l.ctx); err != nil || code != 1 {
			l.Errorf("it ends with %d, %v", code, err)
		}
	}},
}

func withoutDefaults(l *limited) {
	l.says("There is no right to list and watch Namespaces: what they say is not inherited")
	l.awaitSize("own", 0)
	l.settle()
	l.size("heir", 3)
}

func withoutAutoscalers(l *limited) {
	l.says("There is no right to list and watch HorizontalPodAutoscalers: workloads are looked after as if they had none")
	l.awaitWrites("scaled", 1)
	if status := harness.StatusOf(l.get("scaled")); status.Size == nil {
		l.Errorf("the status is %+v", status)
	}
}

// TestRights: of the rules in deploy/ none can go. Without any of their verbs something fails, which is said; and when
// the right is there again, all is well without a restart, and soon.
func TestRights(t *testing.T) {
	t.Parallel()
	all := rightsOf(newNamespace(t))
	for name := range cuts {
		if !slices.Contains(all, name) {
			t.Errorf("deploy/ does not give the right to %s", name)
		}
	}
	for _, name := range append(all, "nothing") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cut, ok := cuts[name]
			if !ok && name != "nothing" {
				t.Fatal("nobody knows what this right is good for")
			}
			l := newLimited(t, name)
			l.run()
			if ok {
				cut.fails(l)
				l.allow()
			}
			back := time.Now()
			if cut.end {
				l.run()
			}
			l.allIsWell()
			l.wellSince(back)
			if code, err := l.curfew.Wait(short(l)); err == nil {
				t.Errorf("Curfew has ended with %d", code)
			}
			requests, err := l.cluster.Audit(l.ctx, cluster.By(harness.User(l.home)), func(r cluster.Request) bool { return r.Code == 403 })
			l.must(err)
			for _, request := range requests {
				if got := request.Verb + " " + request.Resource; got != "patch deployments" && (!ok || !strings.HasPrefix(name, got)) {
					t.Errorf("Curfew asks for more than it may: %s", request)
				}
			}
		})
	}
}

// TestRightsOfOneNamespace: deploy/namespaced gives the same in one namespace, and nothing about Namespaces.
func TestRightsOfOneNamespace(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	for _, role := range rolesOf(s, "deploy/namespaced") {
		role.Rules = slices.DeleteFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return r.APIGroups[0] == "coordination.k8s.io" })
		wide := rolesOf(s, "deploy")[0].Rules
		wide = slices.DeleteFunc(wide, func(r rbacv1.PolicyRule) bool { return r.Resources[0] == "namespaces" })
		if len(role.Rules) > 0 && fmt.Sprint(role.Rules) != fmt.Sprint(wide) {
			t.Errorf("in one namespace %v, everywhere %v", role.Rules, wide)
		}
	}
}

// TestNoSecrets: Curfew may read nothing but what it scales and who has a say in it; above all no Secret, in whatever
// way the rules might come to say so.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	for _, words := range []string{
		"get secrets", "list secrets", "watch secrets", "get configmaps", "list pods", "get pods/exec", "create pods", "get nodes", "create serviceaccounts/token",
		"get deployments.apps", "update deployments.apps", "create deployments.apps", "delete deployments.apps", "patch deployments.apps/scale", "patch statefulsets.apps",
		"patch namespaces", "patch horizontalpodautoscalers.autoscaling", "list events.events.k8s.io", "impersonate users", "bind clusterroles.rbac.authorization.k8s.io", "escalate clusterroles.rbac.authorization.k8s.io", "patch clusterroles.rbac.authorization.k8s.io",
		"create validatingwebhookconfigurations.admissionregistration.k8s.io",
	} {
		if s.mayCurfew(words) {
			t.Errorf("Curfew may %s", words)
		}
	}
	if !s.mayCurfew("patch deployments.apps") {
		t.Error("and it may not even patch Deployments, so this shows nothing")
	}
}

// mayCurfew asks whether the Curfew of deploy/ may do something in the test's namespace.
func (s *space) mayCurfew(words string) bool {
	s.Helper()
	verb, what, _ := strings.Cut(words, " ")
	what, subresource, _ := strings.Cut(what, "/")
	resource, group, _ := strings.Cut(what, ".")
	review, err := s.cluster.Client.AuthorizationV1().SubjectAccessReviews().Create(s.ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: harness.User(harness.Namespace), Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + harness.Namespace, "system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: s.namespace, Verb: verb, Group: group, Resource: resource, Subresource: subresource},
	}}, metav1.CreateOptions{})
	s.must(err)
	return review.Status.Allowed
}

// rolesOf are the roles in a folder, the ClusterRole first.
func rolesOf(s *space, folder string) []rbacv1.Role {
	s.Helper()
	objects, err := harness.Render(s.cluster, folder, "")
	s.must(err)
	var roles []rbacv1.Role
	for _, object := range objects {
		switch object.GetKind() {
		case "ClusterRole", "Role":
			var role rbacv1.Role
			s.must(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role))
			if object.GetKind() == "ClusterRole" {
				roles = append([]rbacv1.Role{role}, roles...)
			} else {
				roles = append(roles, role)
			}
		}
	}
	return roles
}

// rightsOf are the rights in deploy/, one for each verb.
func rightsOf(s *space) []string {
	s.Helper()
	var all []string
	for _, role := range rolesOf(s, "deploy") {
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				all = append(all, rightName(rule, verb))
			}
		}
	}
	return all
}

func rightName(rule rbacv1.PolicyRule, verb string) string {
	return strings.TrimSuffix(verb+" "+rule.Resources[0]+"."+rule.APIGroups[0], ".")
}

// limited is a Curfew that has the rights of deploy/ but for one, and a namespace for it to look after, in which there
// is something that needs each of them.
type limited struct {
	*space // what it looks after; its home is another
	roles  []rbacv1.Role
	curfew *harness.Curfew
}

func newLimited(t *testing.T, without string) *limited {
	t.Helper()
	home, s := newNamespace(t), newNamespace(t)
	s.needAudit()
	s.labels = map[string]string{ownLabel: ""}
	s.home = home.namespace
	l := &limited{space: s, roles: rolesOf(s, "deploy")}
	s.must(harness.Install(s.ctx, s.cluster, "deploy/namespaced", s.home))
	rbac := s.cluster.Client.RbacV1()
	s.must(rbac.RoleBindings(s.home).Delete(s.ctx, "curfew", metav1.DeleteOptions{}))
	l.allow(without)
	_, err := rbac.ClusterRoleBindings().Create(s.ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: s.home},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: s.home},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.home, Name: harness.AccountName}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.Cleanup(func() { // they would outlive the namespace
		ctx := context.WithoutCancel(s.ctx)
		_ = rbac.ClusterRoleBindings().Delete(ctx, s.home, metav1.DeleteOptions{})
		_ = rbac.ClusterRoles().Delete(ctx, s.home, metav1.DeleteOptions{})
	})
	s.saysNow(annotations{harness.Windows: "always = 0"})
	s.create("heir", 3, nil)
	s.create("own", 3, annotations{harness.Windows: "always = 0"})
	s.autoscale("scaled", 2, 5)
	s.create("scaled", 3, annotations{harness.Windows: "always = 1"})
	return l
}

// allow gives all the rights but some, and lets the API server take it in.
func (l *limited) allow(without ...string) {
	l.Helper()
	defer l.sleepUntil(time.Now().Add(time.Second))
	rbac := l.cluster.Client.RbacV1()
	for i, role := range l.roles {
		var rules []rbacv1.PolicyRule
		for _, rule := range role.Rules {
			rule.Verbs = slices.DeleteFunc(slices.Clone(rule.Verbs), func(verb string) bool { return slices.Contains(without, rightName(rule, verb)) })
			if len(rule.Verbs) > 0 {
				rules = append(rules, rule)
			}
		}
		var err error
		if i > 0 {
			_, err = rbac.Roles(l.home).Update(l.ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: role.Name}, Rules: rules}, metav1.UpdateOptions{})
		} else {
			wide := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: l.home}, Rules: rules}
			if _, err = rbac.ClusterRoles().Update(l.ctx, wide, metav1.UpdateOptions{}); err != nil {
				_, err = rbac.ClusterRoles().Create(l.ctx, wide, metav1.CreateOptions{})
			}
		}
		l.must(err)
	}
}

// run starts the Curfew. It lists as with API servers that cannot send a list in a watch, so that list is needed.
func (l *limited) run() {
	l.Helper()
	kubeconfig := l.TempDir() + "/kubeconfig"
	l.must(harness.WriteKubeconfig(l.ctx, l.cluster, l.home, kubeconfig))
	l.curfew = l.startIn("KUBE_FEATURE_WatchListClient=false", kubeconfig)
}

// says waits until the log does.
func (l *limited) says(text string) {
	l.Helper()
	l.must(l.curfew.Log.Await(l.ctx, text))
}

func (l *limited) size(name string, want int32) {
	l.Helper()
	if got := harness.Size(l.get(name)); got != want {
		l.Errorf("%s has size %d, want %d", name, got, want)
	}
}

// short is a context for what must not happen.
func short(s testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(s.Context(), time.Second)
	s.Cleanup(cancel)
	return ctx
}

// allIsWell waits until everything is done that needs any of the rights.
func (l *limited) allIsWell() {
	l.Helper()
	l.must(l.curfew.AwaitReady(l.ctx))
	l.must(l.curfew.AwaitLeader(l.ctx))
	l.awaitSize("own", 0)
	l.awaitSize("heir", 0)
	l.await("scaled", "left to its autoscaler", func(d *appsv1.Deployment) bool {
		status := harness.StatusOf(d)
		return status != nil && strings.Contains(status.Message, "HorizontalPodAutoscaler")
	})
	l.create("new", 3, annotations{harness.Windows: "always = 0"})
	l.awaitSize("new", 0)
	l.awaitEvent("new", "WindowStarted")
	held := *l.lease().Spec.RenewTime
	for l.lease().Spec.RenewTime.Time.Equal(held.Time) {
		l.sleepUntil(time.Now().Add(100 * time.Millisecond))
	}
}

// TestRightsVanish: the binding is deleted while Curfew runs, and its watches are cut. A boundary passes meanwhile. When
// the binding is back, Curfew makes up for it, once, without a restart.
func TestRightsVanish(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	proxy, kubeconfig := s.proxied()
	curfew := s.startWith(kubeconfig)
	s.must(curfew.AwaitLeader(s.ctx))
	night := harness.WindowIn(6*time.Second, time.Hour)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitState("web", "normal")

	bindings := s.cluster.Client.RbacV1().RoleBindings(s.namespace)
	binding, err := bindings.Get(s.ctx, "curfew", metav1.GetOptions{})
	s.must(err)
	s.must(bindings.Delete(s.ctx, "curfew", metav1.DeleteOptions{}))
	s.sleepUntil(time.Now().Add(time.Second)) // for the API server to take it in
	proxy.Disconnect()
	s.must(curfew.Log.Await(s.ctx, `cannot patch resource \"deployments\"`))
	s.must(curfew.Log.Await(s.ctx, `cannot watch resource \"deployments\"`))
	s.create("late", 3, annotations{harness.Windows: "always = 0"})
	s.settle()
	if metrics := s.scrape(curfew).series; metrics[`curfew_reconcile_total{result="error"}`] == 0 {
		t.Error("no metric tells of it")
	}

	binding.ResourceVersion, binding.UID = "", ""
	_, err = bindings.Create(s.ctx, binding, metav1.CreateOptions{})
	s.must(err)
	back := time.Now()
	s.awaitSize("web", 0)
	s.awaitSize("late", 0)
	s.wellSince(back)
	s.settle()
	s.resizedOnce("web", 0)
	s.resizedOnce("late", 0)
	if code, err := curfew.Wait(short(s)); err == nil {
		t.Errorf("Curfew has ended with %d", code)
	}
}

// resizedOnce checks that of all writes of a size that Curfew asked for one was carried out.
func (s *space) resizedOnce(name string, size int32) {
	s.Helper()
	requests, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.Succeeded, cluster.By(harness.User(s.home)), cluster.To("deployments"), cluster.In(s.namespace), cluster.Named(name))
	s.must(err)
	writes, err := harness.ReadWrites(requests)
	s.must(err)
	if sizes := harness.Resizes(writes); len(sizes) != 1 || *sizes[0].Replicas != size {
		s.Errorf("the sizes written to %s: %v, want %d once", name, sizes, size)
	}
}

// proxied is a proxy between a Curfew of this namespace and the API server, and the kubeconfig that leads through it.
func (s *space) proxied() (*harness.Proxy, string) {
	s.Helper()
	proxy, err := harness.NewProxy(s.cluster, func(*http.Request) {})
	s.must(err)
	s.Cleanup(proxy.Close)
	kubeconfig := s.TempDir() + "/kubeconfig"
	s.must(proxy.WriteKubeconfig(s.ctx, s.cluster, s.home, kubeconfig))
	return proxy, kubeconfig
}

// TestForbiddenNamespace: in one of two namespaces Curfew may not write. That is said there, in the log and in the
// metrics; the other one is on time; and when it may again, it does what it missed.
func TestForbiddenNamespace(t *testing.T) {
	t.Parallel()
	for name, forbid := range map[string]func(open, shut *space) (allow func(), says string){
		"by the lack of a role": lackRole,
		"by a policy":           denyByPolicy,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newSpace(t) // for the ClusterRole
			home, open, shut := newNamespace(t), newNamespace(t), newNamespace(t)
			home.needAudit()
			mine := map[string]string{ownLabel: home.namespace}
			for _, s := range []*space{home, open, shut} {
				s.home, s.labels = home.namespace, mine
			}
			home.must(harness.Install(home.ctx, home.cluster, "deploy/namespaced", home.namespace))
			home.everywhere()
			allow, says := forbid(open, shut)
			curfew := home.startLeader("--namespace=", "--selector="+ownLabel+"="+home.namespace)

			night := harness.WindowIn(8*time.Second, 6*time.Second)
			for _, s := range []*space{open, shut} {
				s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
			}
			if note := shut.awaitEvent("web", "WriteRefused").Note; !strings.Contains(note, says) {
				t.Errorf("the event says %q, want %q", note, says)
			}
			home.must(curfew.Log.Await(home.ctx, `"Failed, will try again"`))
			if line := grep(curfew.Log.String(), "Failed, will try again"); !strings.Contains(line, shut.namespace+"/web") || !strings.Contains(strings.ReplaceAll(line, `\"`, `"`), says) {
				t.Errorf("the log does not say where and why: %s", line)
			}
			if got := home.scrape(curfew).series[`curfew_reconcile_total{result="error"}`]; got < 1 {
				t.Errorf("%v errors are counted", got)
			}
			open.awaitWrites("web", 3)
			open.settle()
			open.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
			if got := harness.Size(shut.get("web")); got != 3 || shut.get("web").Annotations[harness.Status] != "" {
				t.Errorf("it is not left as it stands: size %d", got)
			}

			allow()
			back := time.Now()
			shut.awaitState("web", "normal")
			shut.wellSince(back)
		})
	}
}

// lackRole gives the right to write in the one and not in the other.
func lackRole(open, shut *space) (allow func(), says string) {
	shut.Helper()
	rbac := shut.cluster.Client.RbacV1()
	read := rolesOf(shut, "deploy")[0].Rules
	var write []rbacv1.PolicyRule
	for i, rule := range read {
		if rule.Resources[0] == "deployments" {
			rule.Verbs = []string{"patch"}
			write = append(write, rule)
			read[i].Verbs = []string{"list", "watch"}
		}
	}
	for name, rules := range map[string][]rbacv1.PolicyRule{shut.home + "-read": read, shut.home + "-write": write} {
		_, err := rbac.ClusterRoles().Create(shut.ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, metav1.CreateOptions{})
		shut.must(err)
		shut.Cleanup(func() {
			_ = rbac.ClusterRoles().Delete(context.WithoutCancel(shut.ctx), name, metav1.DeleteOptions{})
		})
	}
	account := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: shut.home, Name: harness.AccountName}}
	shut.must(rbac.ClusterRoleBindings().Delete(shut.ctx, shut.home, metav1.DeleteOptions{}))
	_, err := rbac.ClusterRoleBindings().Create(shut.ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: shut.home}, Subjects: account,
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: shut.home + "-read"},
	}, metav1.CreateOptions{})
	shut.must(err)
	give := func(s *space) {
		_, err := rbac.RoleBindings(s.namespace).Create(s.ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "curfew-write"}, Subjects: account,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: shut.home + "-write"},
		}, metav1.CreateOptions{})
		s.must(err)
	}
	give(open)
	shut.sleepUntil(time.Now().Add(time.Second)) // for the API server to take it in
	return func() { give(shut) }, `cannot patch resource "deployments"`
}

// denyByPolicy has an admission policy refuse what Curfew writes to the one.
func denyByPolicy(_, shut *space) (allow func(), says string) {
	shut.Helper()
	client := shut.cluster.Client.AdmissionregistrationV1()
	meta := metav1.ObjectMeta{Name: "e2e-rights-" + shut.namespace}
	_, err := client.ValidatingAdmissionPolicies().Create(shut.ctx, &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: meta,
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
				},
			}}},
			Validations: []admissionregistrationv1.Validation{{Expression: "request.userInfo.username != '" + harness.User(shut.home) + "'", Message: "nobody scales here at night"}},
		},
	}, metav1.CreateOptions{})
	shut.must(err)
	_, err = client.ValidatingAdmissionPolicyBindings().Create(shut.ctx, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: meta,
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: meta.Name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: shut.namespace}}},
		},
	}, metav1.CreateOptions{})
	shut.must(err)
	allow = func() {
		ctx := context.WithoutCancel(shut.ctx)
		_ = client.ValidatingAdmissionPolicyBindings().Delete(ctx, meta.Name, metav1.DeleteOptions{})
		_ = client.ValidatingAdmissionPolicies().Delete(ctx, meta.Name, metav1.DeleteOptions{})
	}
	shut.Cleanup(allow)

	// It takes the API server up to a second to notice, and nothing tells when.
	config := rest.CopyConfig(shut.cluster.Config)
	config.Impersonate.UserName = harness.User(shut.home)
	curfew, err := kubernetes.NewForConfig(config)
	shut.must(err)
	shut.create("probe", 0, nil)
	for {
		_, err := curfew.AppsV1().Deployments(shut.namespace).Patch(shut.ctx, "probe", types.MergePatchType,
			[]byte(`{"spec":{"replicas":1}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil && strings.Contains(err.Error(), "nobody scales here") {
			return allow, "nobody scales here at night"
		}
		shut.sleepUntil(time.Now().Add(50 * time.Millisecond))
	}
}

// TestTokenRunsOut: the token in its file runs out, a boundary passes, and the file gets a new one. Curfew, which says
// what the matter is, goes on with that, and makes up for what it missed, once.
func TestTokenRunsOut(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	token := func(lasts time.Duration) string {
		token, err := s.cluster.ShortToken(s.ctx, s.home, harness.AccountName, lasts)
		s.must(err)
		return token
	}
	kubeconfig, file := s.tokenFile()
	write := func(token string) { s.must(os.WriteFile(file, []byte(token), 0o600)) }
	write(token(8 * time.Second))
	// Without a lease: a leader whose token runs out cannot renew, and ends.
	curfew := s.startWith(kubeconfig, "--leader-elect=false")
	s.must(curfew.AwaitReady(s.ctx))
	night := harness.WindowIn(20*time.Second, time.Hour)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitState("web", "normal")
	s.must(curfew.Log.Await(s.ctx, `err="writing: Unauthorized"`))
	if metrics := s.scrape(curfew).series; metrics[`curfew_reconcile_total{result="error"}`] == 0 {
		t.Error("no metric tells of it")
	}
	if time.Now().Before(night.Start) {
		t.Fatal("it fails before there is anything to do")
	}
	write(token(time.Hour))
	back := time.Now()
	s.awaitSize("web", 0)
	s.wellSince(back)
	s.settle()
	s.resizedOnce("web", 0)
}

// wellSince holds how long it took to recover since something was given back.
func (s *space) wellSince(back time.Time) {
	s.Helper()
	took := time.Since(back)
	s.Logf("well after %v", took.Round(time.Millisecond))
	if took > recovery {
		s.Errorf("all is well only after %v", took)
	}
}

// TestTokenIsRotated: as a kubelet does it, in time. Nobody notices, whatever runs on the old one meanwhile. Client-go
// reads the file again after a minute.
func TestTokenIsRotated(t *testing.T) {
	t.Parallel()
	long(t)
	s := newOwnSpace(t)
	s.needAudit()
	kubeconfig, file := s.tokenFile()
	for _, lasts := range []time.Duration{90 * time.Second, time.Hour} {
		token, err := s.cluster.ShortToken(s.ctx, s.home, harness.AccountName, lasts)
		s.must(err)
		s.must(os.WriteFile(file, []byte(token), 0o600))
		if lasts == time.Hour {
			break
		}
		curfew := s.startWith(kubeconfig)
		s.must(curfew.AwaitLeader(s.ctx))
	}
	night := harness.WindowIn(110*time.Second, 5*time.Second)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitWrites("web", 3)
	s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
	refused, err := s.cluster.Audit(s.ctx, cluster.In(s.namespace), func(r cluster.Request) bool { return r.Code == 401 })
	s.must(err)
	if len(refused) > 0 {
		t.Errorf("refused: %v", refused)
	}
}

// tokenFile is a kubeconfig of this namespace's Curfew that names a file for the token, and that file.
func (s *space) tokenFile() (kubeconfig, file string) {
	s.Helper()
	dir := s.TempDir()
	kubeconfig, file = dir+"/kubeconfig", dir+"/token"
	s.must(harness.WriteKubeconfig(s.ctx, s.cluster, s.home, kubeconfig))
	config, err := clientcmd.LoadFromFile(kubeconfig)
	s.must(err)
	for _, account := range config.AuthInfos {
		account.Token, account.TokenFile = "", file
	}
	s.must(clientcmd.WriteToFile(*config, kubeconfig))
	return kubeconfig, file
}

// long skips a test that takes minutes, unless CURFEW_LONG=1 asks for it.
func long(t testing.TB) {
	t.Helper()
	if !longAsked() {
		t.Skip("this takes minutes: CURFEW_LONG=1 runs it")
	}
}

func longAsked() bool { return os.Getenv("CURFEW_LONG") != "" }
