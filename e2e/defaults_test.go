package e2e_test

import (
	"encoding/json"
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
	s.annotate("web", annotations{harness.Windows: "00:00-12:00 = 0; 12:00-24:00 = 0; 2099-01-01 = 1"})
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

// TestProtectedNamespaces: no default reaches Curfew's own namespace, the
// system's, or those that are excluded; rules on a Deployment do.
func TestProtectedNamespaces(t *testing.T) {
	t.Parallel()
	s, spared, other := newOwnSpace(t), newOwnSpace(t), newOwnSpace(t)
	s.needAudit()
	// Across the cluster, for what carries this label.
	label := "e2e.curfew/protected"
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: s.namespace},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "curfew"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: s.namespace, Name: harness.AccountName}}}
	if _, err := shared.getCurfew(); err != nil { // it has installed the ClusterRole
		t.Fatal(err)
	}
	_, err := s.cluster.Client.RbacV1().ClusterRoleBindings().Create(s.ctx, binding, metav1.CreateOptions{})
	s.must(err)
	for _, in := range []*space{s, spared, other} {
		in.labels[label] = ""
		in.create("web", 3, nil)
		in.annotateNamespace(in.namespace, map[string]*string{harness.Windows: value("always = 0")})
	}
	s.create("own", 3, annotations{harness.Windows: "always = 0"})
	s.startLeader("--namespace=", "--selector="+label, "--exclude-namespaces= none-such , "+spared.namespace+" ,x")
	other.awaitSize("web", 0)
	s.awaitSize("own", 0)
	s.settle()
	for _, in := range []*space{s, spared} {
		if got := harness.Size(in.get("web")); got != 3 {
			t.Errorf("a default reached %s: size %d", in.namespace, got)
		}
	}
}

// TestRoleAlone: without the right to Namespaces nothing is inherited, which is
// said once, and what a Deployment says itself holds.
func TestRoleAlone(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.create("web", 3, nil)
	s.create("own", 3, annotations{harness.Windows: "always = 0"})
	s.annotateNamespace(s.namespace, map[string]*string{harness.Windows: value("always = 0")})
	curfew := s.startLeader()
	s.awaitSize("own", 0)
	if got := harness.Size(s.get("web")); got != 3 {
		t.Errorf("inherited without the right to: size %d", got)
	}
	if n := strings.Count(curfew.Log.String(), "no right to list and watch Namespaces"); n != 1 {
		t.Errorf("it was said %d times", n)
	}
}
