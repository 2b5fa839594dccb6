package kinds_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

type annotations = map[string]string

// stage is a namespace for one kind, with a Curfew of its own that looks after
// nothing else.
type stage struct {
	testing.TB
	row
	ctx       context.Context
	cluster   *cluster.Cluster
	namespace string
	objects   dynamic.ResourceInterface
	home      string // where Curfew's pods are said to be
}

var stages atomic.Int64

func newStage(t *testing.T, r row) *stage {
	t.Helper()
	c, err := startedCluster()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := program(); err != nil { // here, for a compiler needs more patience
		t.Fatal(err)
	}
	const patience = 3 * time.Minute
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, fmt.Errorf("nothing more after %v", patience))
	t.Cleanup(cancel)
	s := &stage{TB: t, row: r, ctx: ctx, cluster: c, namespace: fmt.Sprintf("kind-%d", stages.Add(1))}
	s.home = s.namespace
	_, err = c.Client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}, metav1.CreateOptions{})
	s.must(err)
	s.must(harness.Install(ctx, c, "deploy/namespaced", s.namespace))
	if r.kind == "ScaledObject" {
		s.must(define(ctx, c, scaledObjects))
	}
	s.grant(r)
	return s.of(r)
}

// of is the stage for another kind on it.
func (s *stage) of(r row) *stage {
	s.Helper()
	client, err := dynamic.NewForConfig(s.cluster.Config)
	s.must(err)
	other := *s
	other.row, other.objects = r, client.Resource(r.resource).Namespace(s.namespace)
	return &other
}

// in is the stage for one scenario on it.
func (s *stage) in(t *testing.T) *stage {
	scene := *s
	scene.TB = t
	return &scene
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// grant gives Curfew the rights that a kind takes.
func (s *stage) grant(r row) {
	s.Helper()
	rights := s.cluster.Client.RbacV1()
	meta := metav1.ObjectMeta{Name: "kind-" + r.resource.Resource}
	_, err := rights.Roles(s.namespace).Create(s.ctx, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{r.resource.Group}, Resources: []string{r.resource.Resource}, Verbs: []string{"list", "watch", "patch"},
	}}}, metav1.CreateOptions{})
	s.must(err)
	_, err = rights.RoleBindings(s.namespace).Create(s.ctx, &rbacv1.RoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.namespace, Name: harness.AccountName}},
	}, metav1.CreateOptions{})
	s.must(err)
}

// inherits gives Curfew the right to read what Namespaces say, and moves it out of
// this one, for what a Namespace says does not reach Curfew's own.
func (s *stage) inherits() {
	s.Helper()
	s.home = harness.Namespace
	rights := s.cluster.Client.RbacV1()
	meta := metav1.ObjectMeta{Name: s.namespace + "-namespaces"}
	_, err := rights.ClusterRoles().Create(s.ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"list", "watch"},
	}}}, metav1.CreateOptions{})
	s.must(err)
	_, err = rights.ClusterRoleBindings().Create(s.ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.namespace, Name: harness.AccountName}},
	}, metav1.CreateOptions{})
	s.must(err)
}

// byDefault has the Namespace say rules for what is in it; "" for none.
func (s *stage) byDefault(rules string) {
	s.Helper()
	value := "null"
	if rules != "" {
		value = strconv.Quote(rules)
	}
	body := fmt.Sprintf(`{"metadata":{"annotations":{%q:%s}}}`, harness.Windows, value)
	_, err := s.cluster.Client.CoreV1().Namespaces().Patch(s.ctx, s.namespace, mergePatch, []byte(body), metav1.PatchOptions{})
	s.must(err)
}

// run starts a Curfew. It is killed with the test.
func (s *stage) run(flags ...string) *harness.Curfew {
	s.Helper()
	binary, err := program()
	s.must(err)
	kubeconfig := s.TempDir() + "/kubeconfig"
	s.must(harness.WriteKubeconfig(s.ctx, s.cluster, s.namespace, kubeconfig))
	curfew, err := harness.Run(binary, kubeconfig, s.home, append([]string{
		"--kinds=" + s.flag(), "--namespace=" + s.namespace, "--leader-elect-resource-namespace=" + s.namespace,
		"--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=500ms",
	}, flags...)...)
	s.must(err)
	s.Cleanup(func() {
		curfew.Kill()
		if curfew.Log.Contains("WARNING: DATA RACE") {
			s.Error("the race detector has found something")
		}
		if s.Failed() {
			s.Logf("what the Curfew with process id %d said:\n%s", curfew.PID(), curfew.Log)
		}
	})
	return curfew
}

// lead is run, and waits until it leads.
func (s *stage) lead(flags ...string) *harness.Curfew {
	s.Helper()
	curfew := s.run(flags...)
	s.must(errors.Join(curfew.AwaitReady(s.ctx), curfew.AwaitLeader(s.ctx)))
	return curfew
}

func (s *stage) create(name string, curfew annotations) *unstructured.Unstructured {
	s.Helper()
	return s.createAs(name, curfew, func(*unstructured.Unstructured) {})
}

func (s *stage) createAs(name string, curfew annotations, change func(*unstructured.Unstructured)) *unstructured.Unstructured {
	s.Helper()
	object, err := s.object(name, curfew)
	s.must(err)
	change(object)
	created, err := s.objects.Create(s.ctx, object, metav1.CreateOptions{FieldManager: "somebody"})
	s.must(err)
	return created
}

func (s *stage) get(name string) *unstructured.Unstructured {
	s.Helper()
	u, err := s.objects.Get(s.ctx, name, metav1.GetOptions{})
	s.must(err)
	return u
}

// patch changes an object as somebody would.
func (s *stage) patch(name string, p patch) {
	s.Helper()
	var below []string
	if p.subresource != "" {
		below = []string{p.subresource}
	}
	_, err := s.objects.Patch(s.ctx, name, mergePatch, []byte(p.body), metav1.PatchOptions{FieldManager: "somebody"}, below...)
	s.must(err)
}

// annotate sets one of Curfew's annotations.
func (s *stage) annotate(name, key, value string) {
	s.Helper()
	s.patch(name, patch{"", fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, key, value)})
}

func (s *stage) await(name, word string, condition func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
	s.Helper()
	u, err := s.cluster.AwaitObject(s.ctx, s.resource, s.namespace, name, name+": "+word, condition)
	s.must(err)
	return u
}

func (s *stage) awaitSize(name, size string) *unstructured.Unstructured {
	s.Helper()
	return s.await(name, "size "+size, func(u *unstructured.Unstructured) bool { return s.size(u) == size })
}

func (s *stage) awaitState(name, state string) *harness.WorkloadStatus {
	s.Helper()
	u := s.await(name, "state "+state, func(u *unstructured.Unstructured) bool {
		status := harness.ParseStatus(u.GetAnnotations()[harness.Status])
		return status != nil && status.State == state
	})
	return harness.ParseStatus(u.GetAnnotations()[harness.Status])
}

// awaitClean waits until Curfew has nothing on an object any more.
func (s *stage) awaitClean(name string) {
	s.Helper()
	s.await(name, "nothing of Curfew's", func(u *unstructured.Unstructured) bool {
		for _, key := range append([]string{harness.Status, harness.Remembered}, s.later...) {
			if _, there := u.GetAnnotations()[key]; there {
				return false
			}
		}
		return true
	})
}

func (s *stage) awaitEvent(name, reason string) {
	s.Helper()
	event, err := s.cluster.AwaitEvent(s.ctx, s.namespace, fmt.Sprintf("event %s on %s", reason, name), func(e *eventsv1.Event) bool {
		return e.Regarding.Name == name && e.Reason == reason
	})
	s.must(err)
	if event.Regarding.Kind != s.kind || event.Regarding.APIVersion != s.resource.GroupVersion().String() {
		s.Errorf("event %s is about a %s of %s", reason, event.Regarding.Kind, event.Regarding.APIVersion)
	}
}

func (s *stage) sleepUntil(t time.Time) {
	s.Helper()
	select {
	case <-time.After(time.Until(t)):
	case <-s.ctx.Done():
		s.Fatal(context.Cause(s.ctx))
	}
}

// settle leaves time for something that must not happen: one write too many.
func (s *stage) settle() {
	s.Helper()
	s.sleepUntil(time.Now().Add(1500 * time.Millisecond))
}

// wrote reads from the audit log what Curfew wrote to an object: how many times
// its size, and nothing at any time that is not its own. It returns the writes of
// sizes.
func (s *stage) wrote(name string, sizes int) []harness.Write {
	s.Helper()
	requests, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.By(harness.User(s.namespace)), cluster.To(s.resource.Resource), cluster.In(s.namespace), cluster.Named(name))
	s.must(err)
	writes, err := harness.ReadWrites(requests)
	s.must(err)
	var of []harness.Write
	for _, write := range writes {
		sized := false
		for _, path := range write.Touched {
			switch {
			case slices.Contains(s.path, path):
				sized = true
			case path == ".metadata.resourceVersion", path == ".metadata.uid", strings.HasPrefix(path, ".metadata.annotations."+harness.Prefix):
			default:
				s.Errorf("it touches %s: %s", path, write)
			}
		}
		if write.Verb != "patch" || write.Subresource != "" || !write.Succeeded() && write.Code != http.StatusConflict {
			s.Errorf("it should not be: %s", write)
		}
		if sized && write.Succeeded() {
			of = append(of, write)
		}
	}
	if len(of) != sizes {
		s.Fatalf("%d sizes were written, want %d: %v", len(of), sizes, writes)
	}
	return of
}

// unchanged checks that nobody has changed what is neither the size nor Curfew's.
func (s *stage) unchanged(before *unstructured.Unstructured) {
	s.Helper()
	if changes := cmp.Diff(s.foreign(before), s.foreign(s.get(before.GetName()))); changes != "" {
		s.Errorf("it has changed where Curfew has no business:\n%s", changes)
	}
}

func (s *stage) foreign(u *unstructured.Unstructured) map[string]any {
	u = u.DeepCopy()
	delete(u.Object, "status")
	for _, path := range s.path {
		unstructured.RemoveNestedField(u.Object, strings.Split(strings.TrimPrefix(path, "."), ".")...)
	}
	for _, field := range []string{"resourceVersion", "generation", "managedFields"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	kept := map[string]string{}
	for key, value := range u.GetAnnotations() {
		if !strings.HasPrefix(key, harness.Prefix) && !slices.Contains(s.path, ".metadata.annotations."+key) && key != "deployment.kubernetes.io/revision" {
			kept[key] = value
		}
	}
	u.SetAnnotations(kept)
	return u.Object
}
