package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"curfew/e2e/harness"
)

// annotateNamespace sets annotations on a namespace; nil removes one.
func (s *space) annotateNamespace(name string, values map[string]*string) {
	s.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": values}})
	s.must(err)
	_, err = s.cluster.Client.CoreV1().Namespaces().Patch(s.ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	s.must(err)
}

func value(text string) *string { return &text }

// TestNamespaceDefaults: what a Namespace says holds for the Deployments in it,
// unless they say otherwise; and is gone with it.
func TestNamespaceDefaults(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 3, nil)
	s.create("own", 3, annotations{harness.Windows: "always = 1"})
	s.create("out", 3, annotations{harness.Windows: "none"})
	s.awaitSize("own", 1)
	s.annotateNamespace(s.namespace, map[string]*string{harness.Windows: value("always = 0")})
	s.awaitSize("web", 0)
	s.settle()
	if own, out := harness.Size(s.get("own")), harness.Size(s.get("out")); own != 1 || out != 3 {
		t.Errorf("own rules give %d, opted out %d, want 1 and 3", own, out)
	}
	s.curfewDid("out")

	override, _ := until("2", time.Hour)
	s.annotateNamespace(s.namespace, map[string]*string{harness.Override: &override})
	s.awaitSize("web", 2)
	s.awaitSize("own", 2)
	nearer, _ := until("4", 5*time.Second)
	s.annotate("web", annotations{harness.Override: nearer})
	s.awaitSize("web", 4)
	s.awaitSize("web", 2) // the nearer one has run out
	s.annotateNamespace(s.namespace, map[string]*string{harness.Override: nil, harness.Paused: value("true")})
	s.awaitState("web", "paused")
	s.annotateNamespace(s.namespace, map[string]*string{harness.Paused: nil})
	s.awaitSize("web", 0)

	s.annotate("web", annotations{harness.Windows: "none"})
	s.awaitSize("web", 3)
	s.annotate("web", annotations{harness.Windows: ""})
	s.awaitState("web", "invalid")
	s.kubectl("annotate deployment/web " + harness.Windows + "-")
	s.awaitSize("web", 0)
	s.annotateNamespace(s.namespace, map[string]*string{harness.Windows: nil})
	s.awaitSize("web", 3)
	s.nothingLeft("web")
}

// TestNamespaceZone: rules without a zone are read in the Namespace's.
func TestNamespaceZone(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.annotateNamespace(s.namespace, map[string]*string{harness.Timezone: value("Asia/Kathmandu")})
	s.create("web", 3, annotations{harness.Windows: "always = 0; 00:00-12:00 = 1"})
	s.awaitSize("web", 0)
	s.annotate("web", annotations{harness.Windows: "00:00-12:00 = 0; 12:00-24:00 = 1"})
	s.await("web", "a boundary in the Namespace's zone", func(d *appsv1.Deployment) bool {
		status := harness.StatusOf(d)
		return status != nil && strings.HasSuffix(status.Until, "+05:45")
	})
}

// TestNamespaceMistake touches nothing there, says so on the Namespace and on the
// Deployments, and does not concern the neighbours.
func TestNamespaceMistake(t *testing.T) {
	t.Parallel()
	s, neighbour := newSpace(t), newSpace(t)
	s.needAudit()
	night := harness.WindowIn(5*time.Second, time.Hour)
	neighbour.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	before := s.create("web", 3, nil)
	s.annotateNamespace(s.namespace, map[string]*string{harness.Windows: value("Mon-Fri 8-20 CET")})
	if status := harness.StatusOf(s.awaitState("web", "invalid")); !strings.Contains(status.Message, "Namespace") || !strings.Contains(status.Message, "8-20") {
		t.Errorf("the status says %q", status.Message)
	}
	_, err := s.cluster.AwaitEvent(s.ctx, "default", "an event on the Namespace", func(e *eventsv1.Event) bool {
		return e.Regarding.Kind == "Namespace" && e.Regarding.Name == s.namespace && e.Reason == "InvalidAnnotation" && strings.Contains(e.Note, "8-20")
	})
	s.must(err)
	neighbour.awaitSize("web", 0)
	neighbour.curfewDid("web", adopted, at(night.Start, 0))
	s.untouched(before)
}

// TestDefaults: rules and zone come from the Namespace; the nearer zone wins.
func TestDefaults(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(8*time.Second, 4*time.Second)
	tokyo := time.FixedZone("", 9*60*60)
	s.saysNow(annotations{
		harness.Windows:  harness.Window{Start: night.Start.In(tokyo), End: night.End.In(tokyo)}.Rule("0"),
		harness.Timezone: "Asia/Tokyo",
	})
	before := s.create("web", 3, nil)
	s.create("given", 2, annotations{harness.Replicas: "2"})
	s.create("in-utc", 3, annotations{harness.Timezone: "UTC"})
	s.create("own-rules", 3, annotations{harness.Windows: "always = 1"})
	s.create("own-rules-elsewhere", 3, annotations{harness.Windows: harness.WindowIn(-time.Hour, 2*time.Hour).Rule("0")})
	s.awaitWrites("web", 3)
	s.awaitWrites("given", 3)
	s.settle()
	s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
	s.curfewDid("given", adopted, at(night.Start, 0), at(night.End, 2))
	s.curfewDid("in-utc", adopted)
	// A Deployment's rules replace the Namespace's whole; the zone stays.
	s.curfewDid("own-rules", step{size: 1})
	s.curfewDid("own-rules-elsewhere", adopted)
	s.untouched(before)
}

// TestDefaultsChange: what the Namespace says anew reaches its Deployments at once, and when it says nothing any more
// they have their size back and nothing of Curfew's on them.
func TestDefaultsChange(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	names := []string{"web-0", "web-1", "web-2"}
	for _, name := range names {
		s.create(name, 3, nil)
	}
	s.create("own", 3, annotations{harness.Windows: "always = 2"})
	s.awaitSize("own", 2)
	steps := []step{}
	for _, change := range []struct {
		windows string
		size    int32
	}{{"always = 0", 0}, {"always = 1", 1}, {"", 3}} {
		said := s.saysNow(annotations{harness.Windows: change.windows})
		steps = append(steps, at(said, change.size))
		for _, name := range names {
			s.awaitSize(name, change.size)
		}
	}
	s.settle()
	for _, name := range names {
		s.curfewDid(name, steps...)
		s.nothingLeft(name)
	}
	s.curfewDid("own", step{size: 2})
}

// TestDefaultsOptOut: "none" is no mistake, and gives back.
func TestDefaultsOptOut(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.saysNow(annotations{harness.Windows: "always = 0"})
	s.create("never", 3, annotations{harness.Windows: "none"})
	s.create("web", 3, nil)
	s.awaitSize("web", 0)
	s.annotate("web", annotations{harness.Windows: "none"})
	s.awaitSize("web", 3)
	s.awaitEvent("web", "RulesRemoved")
	s.settle()
	s.curfewDid("web", step{size: 0}, step{size: 3})
	s.nothingLeft("web")
	s.curfewDid("never")
	// And in again.
	s.update("web", func(d *appsv1.Deployment) { delete(d.Annotations, harness.Windows) })
	s.awaitSize("web", 0)
}

// TestDefaultsBroken: a mistake on a Namespace is told on it and on its Deployments, which stay as they are. Whoever
// has rules of his own there is on time, and so is every other Namespace.
func TestDefaultsBroken(t *testing.T) {
	t.Parallel()
	good, bad := newSpace(t), newSpace(t)
	good.needAudit()
	night := harness.WindowIn(10*time.Second, 4*time.Second)
	bad.saysNow(annotations{harness.Windows: "always = 0"})
	bad.create("held", 3, nil)
	bad.awaitSize("held", 0)
	bad.saysNow(annotations{harness.Windows: "Mon-Fri 8-20 CET"})
	good.saysNow(annotations{harness.Windows: night.Rule("0")})
	bad.create("web", 3, nil)
	bad.create("own", 3, annotations{harness.Windows: night.Rule("0")})
	good.create("web", 3, nil)

	event, err := bad.cluster.AwaitEvent(bad.ctx, "default", "a warning on the Namespace", func(e *eventsv1.Event) bool {
		return e.Regarding.Kind == "Namespace" && e.Regarding.Name == bad.namespace && e.Reason == "InvalidAnnotation"
	})
	bad.must(err)
	if event.Type != "Warning" || !strings.Contains(event.Note, "8-20") || !strings.Contains(event.Note, harness.Windows) {
		t.Errorf("the event on the Namespace: %s %s", event.Type, event.Note)
	}
	for _, name := range []string{"web", "held"} {
		status := harness.StatusOf(bad.awaitState(name, "invalid"))
		if !strings.Contains(status.Message, "the Namespace's annotation") || !strings.Contains(status.Message, "8-20") {
			t.Errorf("the status of %s does not say what is wrong, and where: %s", name, status.Message)
		}
	}
	good.awaitWrites("web", 3)
	bad.awaitWrites("own", 3)
	good.settle()
	good.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
	bad.curfewDid("own", adopted, at(night.Start, 0), at(night.End, 3))
	bad.curfewDid("web", adopted)
	bad.curfewDid("held", step{size: 0}, step{size: statusOnly})
	if got := bad.get("held").Annotations[harness.Remembered]; got != "3" {
		t.Errorf("remembered %q, want 3", got)
	}

	// Mended by taking it away: what was held comes back.
	bad.saysNow(annotations{harness.Windows: ""})
	bad.awaitSize("held", 3)
	bad.settle()
	for _, name := range []string{"web", "held"} {
		bad.nothingLeft(name)
	}
}

// TestDefaultsUnknownKeys: a key that means nothing on a Namespace is told on it, and harms nobody.
func TestDefaultsUnknownKeys(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.saysNow(annotations{harness.Windows: "always = 0", harness.Replicas: "5"})
	s.create("web", 3, nil)
	_, err := s.cluster.AwaitEvent(s.ctx, "default", "a warning on the Namespace", func(e *eventsv1.Event) bool {
		return e.Regarding.Name == s.namespace && e.Reason == "InvalidAnnotation" && strings.Contains(e.Note, harness.Replicas)
	})
	s.must(err)
	s.awaitSize("web", 0)
}

// TestDefaultsProtected: what the cluster lives on inherits nothing, nor does what lives beside Curfew. Rules of its
// own count there as anywhere.
func TestDefaultsProtected(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	var all []*space
	for _, namespace := range []string{"kube-system", "kube-public", "kube-node-lease", harness.Namespace} {
		other := *s
		other.namespace = namespace
		all = append(all, &other)
		names := []string{s.namespace + "-web", s.namespace + "-own"}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			other.ctx = ctx
			other.saysNow(annotations{harness.Windows: "", harness.Override: ""})
			for _, name := range names {
				_ = other.deployments().Delete(ctx, name, metav1.DeleteOptions{})
			}
		})
		other.create(names[0], 3, nil)
		other.create(names[1], 3, annotations{harness.Windows: "always = 1"})
		other.saysNow(annotations{harness.Windows: "always = 0", harness.Override: override("0", in(time.Hour))})
		s.Logf("%s says to scale to 0", namespace)
	}
	// Made later, handled later.
	s.saysNow(annotations{harness.Windows: "always = 0"})
	s.create("web", 3, nil)
	s.awaitSize("web", 0)
	s.settle()
	for _, other := range all {
		other.curfewDid(s.namespace + "-web")
		other.curfewDid(s.namespace+"-own", step{size: 1})
		if other.namespace == harness.Namespace {
			other.curfewDid("curfew")
		}
	}
}

// TestExcludeNamespaces: more names for the list, with or without spaces.
func TestExcludeNamespaces(t *testing.T) {
	t.Parallel()
	newSpace(t) // so that deploy/ is there, with the right to see every Namespace
	s := newOwnSpace(t)
	s.needAudit()
	s.labels[ownLabel] = s.namespace
	s.everywhere()
	others := make([]*space, 4)
	for i := range others {
		other := newNamespace(t)
		other.home, other.labels = s.home, s.labels
		other.saysNow(annotations{harness.Windows: "always = 0"})
		other.create("web", 3, nil)
		others[i] = other
	}
	s.saysNow(annotations{harness.Windows: "always = 0"})
	s.create("web", 3, nil)
	excluded := fmt.Sprintf(" %s, %s ,%s", others[0].namespace, others[1].namespace, others[2].namespace)
	s.startLeader("--namespace=", "--selector="+ownLabel+"="+s.namespace, "--exclude-namespaces="+excluded)
	others[3].awaitSize("web", 0)
	// Rules of its own count in spite of it.
	others[0].create("own", 3, annotations{harness.Windows: "always = 1"})
	others[0].awaitSize("own", 1)
	s.settle()
	for _, other := range others[:3] {
		other.curfewDid("web")
	}
	others[3].curfewDid("web", step{size: 0})
	s.curfewDid("web") // Curfew's own namespace stays on the list
}

// TestDefaultsOfOneNamespace: with the right to see Namespaces, --namespace inherits from that one.
func TestDefaultsOfOneNamespace(t *testing.T) {
	t.Parallel()
	newSpace(t)
	s := newOwnSpace(t)
	s.needAudit()
	s.everywhere()
	other := newNamespace(t)
	other.home, other.labels = s.home, s.labels
	other.saysNow(annotations{harness.Windows: "always = 0"})
	other.create("web", 3, nil)
	s.startLeader("--namespace=" + other.namespace)
	other.awaitSize("web", 0)
	said := other.saysNow(annotations{harness.Windows: "always = 1"})
	other.awaitSize("web", 1)
	other.settle()
	other.curfewDid("web", step{size: 0}, at(said, 1))
}

// TestDefaultsWithoutTheRight: a Role cannot give the right to see Namespaces. Curfew says once that it does without,
// and looks after everything that has rules of its own.
func TestDefaultsWithoutTheRight(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	other := newNamespace(t) // for Curfew's own would inherit nothing anyway
	other.home, other.labels = s.home, s.labels
	roles := s.cluster.Client.RbacV1()
	role, err := roles.Roles(s.home).Get(s.ctx, "curfew", metav1.GetOptions{})
	s.must(err)
	_, err = roles.Roles(other.namespace).Create(s.ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "curfew"}, Rules: role.Rules}, metav1.CreateOptions{})
	s.must(err)
	_, err = roles.RoleBindings(other.namespace).Create(s.ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "curfew"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "curfew"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.home, Name: harness.AccountName}},
	}, metav1.CreateOptions{})
	s.must(err)
	other.saysNow(annotations{harness.Windows: "always = 0"})
	other.create("web", 3, nil)
	curfew := s.startLeader("--namespace=" + other.namespace)
	night := harness.WindowIn(5*time.Second, 4*time.Second)
	other.create("own", 3, annotations{harness.Windows: night.Rule("1")})
	other.awaitWrites("own", 3)
	other.settle()
	other.curfewDid("own", adopted, at(night.Start, 1), at(night.End, 3))
	other.curfewDid("web")
	if got := strings.Count(grep(curfew.Log.String(), "Namespaces"), "\n"); got != 1 {
		t.Errorf("%d lines in the log are about Namespaces, want one:\n%s", got, curfew.Log)
	}
	for line := range strings.Lines(curfew.Log.String()) {
		if strings.HasPrefix(line, "E") || strings.HasPrefix(line, "W") {
			t.Errorf("Curfew complains: %s", line)
		}
	}
}

// everywhere gives the test's own Curfew the rights of deploy/ in all namespaces.
func (s *space) everywhere() {
	s.Helper()
	bindings := s.cluster.Client.RbacV1().ClusterRoleBindings()
	_, err := bindings.Create(s.ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: s.namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "curfew"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.home, Name: harness.AccountName}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.Cleanup(func() {
		_ = bindings.Delete(context.WithoutCancel(s.ctx), s.namespace, metav1.DeleteOptions{})
	})
}

// saysNow sets annotations on the test's own Namespace, or removes those that are empty. It returns when it asked.
func (s *space) saysNow(set annotations) time.Time {
	s.Helper()
	values := map[string]*string{}
	for key, text := range set {
		values[key] = nil
		if text != "" {
			values[key] = value(text)
		}
	}
	asked := time.Now()
	s.annotateNamespace(s.namespace, values)
	return asked
}
