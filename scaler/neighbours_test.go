package scaler

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/observe"
)

func (w *world) namespace(name string, annotations map[string]string) {
	w.t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations}}
	api := w.client.CoreV1().Namespaces()
	_, err := api.Update(w.t.Context(), ns, metav1.UpdateOptions{})
	if err != nil {
		_, err = api.Create(w.t.Context(), ns, metav1.CreateOptions{})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.settle()
}

func (w *world) sizeIn(namespace, name string) int32 {
	w.t.Helper()
	d, err := w.client.AppsV1().Deployments(namespace).Get(w.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return ptr.Deref(d.Spec.Replicas, 1)
}

func in(namespace string, d *appsv1.Deployment) *appsv1.Deployment {
	d.Namespace = namespace
	return d
}

func TestANamespaceWakesItsDeploymentsAndNoOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, nil), deployment("out", 3, map[string]string{annotation.Windows: "none"}),
			in("other", deployment("web", 3, nil)), in("kube-system", deployment("dns", 3, nil)), in("curfew", deployment("tool", 3, nil)))
		defer w.stop()
		w.namespace("default", map[string]string{annotation.Windows: "always = 0"})
		for _, protected := range []string{"kube-system", "curfew"} {
			w.namespace(protected, map[string]string{annotation.Windows: "always = 0"})
		}
		for name, want := range map[string]int32{"default/web": 0, "default/out": 3, "other/web": 3, "kube-system/dns": 3, "curfew/tool": 3} {
			namespace, name, _ := strings.Cut(name, "/")
			if got := w.sizeIn(namespace, name); got != want {
				t.Errorf("%s/%s has %d, want %d", namespace, name, got, want)
			}
		}
		w.namespace("default", nil)
		if d := w.get("web"); *d.Spec.Replicas != 3 || annotation.Has(d.Annotations) {
			t.Errorf("after the Namespace's rules went: %d, %v", *d.Spec.Replicas, d.Annotations)
		}
	})
}

func TestMistakeOnANamespaceIsSaidThereAndOnItsDeployments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, nil))
		defer w.stop()
		w.namespace("default", map[string]string{annotation.Windows: "8-20", "curfew/replicas": "3"})
		s := annotation.ParseStatus(w.get("web").Annotations[annotation.StatusKey])
		if s.State != annotation.StateInvalid || !strings.Contains(s.Message, "the Namespace's annotation curfew/windows") {
			t.Errorf("status %+v", s)
		}
		if got := w.recorder.all(); len(got) != 2 {
			t.Errorf("%d events, want one on the Namespace and one on the Deployment: %q", len(got), got)
		}
	})
}

func TestTerminatingNamespaceIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, nil))
		defer w.stop()
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", DeletionTimestamp: &metav1.Time{Time: june}, Finalizers: []string{"kubernetes"}}}
		if _, err := w.client.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.settle()
		w.update("web", func(d *appsv1.Deployment) { d.Annotations = map[string]string{annotation.Windows: "always = 0"} })
		if n := w.patcher.count(); n != 0 {
			t.Errorf("%d writes", n)
		}
	})
}

func toThree(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](3) }

func TestContestedSizeIsPutBackMoreAndMoreSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: "12:00-14:00 = 0"}),
			deployment("calm", 3, map[string]string{annotation.Windows: "12:01-14:00 = 0"}))
		defer func() { w.stop() }()
		before := len(w.patcher.scaled())
		for range 120 {
			w.update("web", toThree)
			time.Sleep(950 * time.Millisecond)
		}
		corrections := 0
		for _, o := range w.patcher.scaled()[before:] {
			if o.key.Name == "web" {
				corrections++
			} else if want := june.Add(time.Minute); o.at.Sub(want) > 100*time.Millisecond {
				t.Errorf("the neighbour's window opened at %v, not %v", o.at, want)
			}
		}
		if corrections < 5 || corrections > 8 {
			t.Errorf("%d corrections in two minutes", corrections)
		}
		d := w.get("web")
		s := annotation.ParseStatus(d.Annotations[annotation.StatusKey])
		if s.State != annotation.StateContested || s.Message == "" { // the fake API server does not tell who it was
			t.Errorf("status %+v", s)
		}
		if got := d.Annotations[annotation.Remembered]; got != "3" {
			t.Errorf("memory %q", got)
		}
		said := 0
		for _, e := range w.recorder.all() {
			if strings.HasPrefix(e, EventContested) {
				said++
			}
		}
		if said != 1 {
			t.Errorf("it was said %d times", said)
		}
		w.stop() // a restart does not begin the fight anew
		w.start()
		restarted := len(w.patcher.scaled())
		for range 8 {
			w.update("web", toThree)
			time.Sleep(950 * time.Millisecond)
		}
		if n := len(w.patcher.scaled()) - restarted; n > 1 {
			t.Errorf("%d corrections within 8 s of a restart", n)
		}
		time.Sleep(june.Add(2*time.Hour + time.Second).Sub(w.clock.Now()))
		if w.size("web") != 3 {
			t.Errorf("the size is %d at the window's end", w.size("web"))
		}
		if s := annotation.ParseStatus(w.get("web").Annotations[annotation.StatusKey]); s.State != annotation.StateNormal {
			t.Errorf("status %+v after the window", s)
		}
	})
}

func TestABoundaryDoesNotWaitForAContest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: "12:00-14:00 = 0"}))
		defer w.stop()
		for range 40 {
			w.update("web", toThree)
			time.Sleep(time.Second)
		}
		// A new end, in the middle of a wait, that no timer knows of yet.
		w.update("web", func(d *appsv1.Deployment) {
			d.Annotations[annotation.Windows] = "12:00-12:01 = 0; 12:01-14:00 = 1"
			d.Spec.Replicas = ptr.To[int32](3)
		})
		time.Sleep(june.Add(time.Minute + 100*time.Millisecond).Sub(w.clock.Now()))
		if w.size("web") != 1 {
			t.Errorf("the size is %d after the boundary", w.size("web"))
		}
	})
}

func TestStrippedAnnotationsAreNotRestoredWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: nights}))
		defer w.stop()
		before := w.patcher.count()
		for range 60 {
			w.update("web", func(d *appsv1.Deployment) { delete(d.Annotations, annotation.StatusKey) })
			time.Sleep(time.Second)
		}
		if n := w.patcher.count() - before; n < 4 || n > 8 {
			t.Errorf("%d writes in a minute of stripping", n)
		}
		time.Sleep(10 * time.Minute)
		if w.get("web").Annotations[annotation.StatusKey] == "" {
			t.Error("the status never comes back")
		}
		time.Sleep(june.Add(8*time.Hour + 100*time.Millisecond).Sub(w.clock.Now()))
		if w.size("web") != 0 {
			t.Errorf("the size is %d in the window", w.size("web"))
		}
	})
}

func TestContestIsOverWhenTheOtherStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: "always = 0"}))
		defer w.stop()
		for range 30 {
			w.update("web", toThree)
			time.Sleep(time.Second)
		}
		time.Sleep(5 * time.Minute)
		writes := w.patcher.count()
		time.Sleep(time.Hour)
		s := annotation.ParseStatus(w.get("web").Annotations[annotation.StatusKey])
		if w.size("web") != 0 || s.State != annotation.StateWindow || s.Message != "" {
			t.Errorf("size %d, status %+v", w.size("web"), s)
		}
		if n := w.patcher.count() - writes; n != 1 {
			t.Errorf("%d writes to say that it is over", n)
		}
	})
}

func TestAutoscalerWakesItsTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 5, map[string]string{annotation.Windows: "12:00-14:00 = 2"}))
		defer w.stop()
		if w.size("web") != 2 {
			t.Fatalf("size %d in a window of 2", w.size("web"))
		}
		hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web-hpa", Namespace: "default"},
			Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: ptr.To[int32](2), MaxReplicas: 10,
				ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}}}
		api := w.client.AutoscalingV2().HorizontalPodAutoscalers("default")
		if _, err := api.Create(t.Context(), hpa, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.settle()
		s := annotation.ParseStatus(w.get("web").Annotations[annotation.StatusKey])
		if s.Size != nil || !strings.Contains(s.Message, "web-hpa") || !strings.Contains(s.Message, "minReplicas") {
			t.Errorf("with an autoscaler the status is %+v", s)
		}
		hpa = hpa.DeepCopy() // for the cache has the other
		hpa.OwnerReferences = []metav1.OwnerReference{{Kind: "ScaledObject", Name: "worker", Controller: ptr.To(true)}}
		if _, err := api.Update(t.Context(), hpa, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.settle()
		s = annotation.ParseStatus(w.get("web").Annotations[annotation.StatusKey])
		if !strings.Contains(s.Message, "ScaledObject worker") {
			t.Errorf("with one that has an owner the status is %+v", s)
		}
		w.update("web", func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](7) })
		if w.size("web") != 7 {
			t.Errorf("the autoscaler's size became %d", w.size("web"))
		}
		if err := api.Delete(t.Context(), "web-hpa", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		w.settle()
		if w.size("web") != 2 {
			t.Errorf("without the autoscaler the size is %d", w.size("web"))
		}
	})
}

func TestReleaseAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{},
			deployment("held", 3, map[string]string{annotation.Windows: "always = 0"}),
			deployment("given", 3, map[string]string{annotation.Windows: "always = 0", annotation.Replicas: "4"}),
			deployment("awake", 3, map[string]string{annotation.Windows: nights}),
			deployment("bad", 0, map[string]string{annotation.Windows: "always = 0", annotation.Remembered: "many"}))
		w.stop()
		n, err := w.reconciler.ReleaseAll(t.Context())
		w.settle()
		if n != 3 || err == nil || !strings.Contains(err.Error(), "default/bad") || !strings.Contains(err.Error(), "many") {
			t.Errorf("released %d, %v", n, err)
		}
		for name, want := range map[string]int32{"held": 3, "given": 4, "awake": 3, "bad": 0} {
			if got := w.size(name); got != want {
				t.Errorf("%s has %d, want %d", name, got, want)
			}
		}
		if a := w.get("held").Annotations; len(a) != 1 || a[annotation.Windows] == "" {
			t.Errorf("what is left: %v", a)
		}
		if a := w.get("bad").Annotations; a[annotation.Remembered] != "many" {
			t.Error("a memory that cannot be read was thrown away")
		}
	})
}

func TestExcludedIsAsProtected(t *testing.T) {
	d := Defaults{Protected: observe.SystemNamespaces().Insert("mine")}
	for _, name := range []string{"kube-system", "kube-public", "kube-node-lease", "mine"} {
		if !d.Protected.Has(name) {
			t.Errorf("%s is not protected", name)
		}
	}
	if d.Of("default") != nil || d.Terminating("default") || (Autoscalers{}).Of(keyOf("", "web")) != nil {
		t.Error("the zero values must say nothing")
	}
}

// TestAnotherOfTheSameNameHasNoPast: a Deployment that is made anew while its predecessor is fought over does not wait
// for what the other one did.
func TestAnotherOfTheSameNameHasNoPast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := map[string]string{annotation.Windows: "12:00-14:00 = 0"}
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, rules))
		defer w.stop()
		for range 60 {
			w.update("web", toThree)
			time.Sleep(950 * time.Millisecond)
		}
		if s := annotation.ParseStatus(w.get("web").Annotations[annotation.StatusKey]); s.State != annotation.StateContested {
			t.Fatalf("status %+v", s)
		}
		// In one step, as it looks to a watch that was cut while the one was deleted and the other created.
		w.update("web", func(d *appsv1.Deployment) {
			*d = *deployment("web", 5, rules)
			d.UID = "uid-2"
		})
		d := w.get("web")
		if s := annotation.ParseStatus(d.Annotations[annotation.StatusKey]); w.size("web") != 0 || s.State != annotation.StateWindow || d.Annotations[annotation.Remembered] != "5" {
			t.Errorf("size %d, status %+v, annotations %v", w.size("web"), s, d.Annotations)
		}
	})
}
