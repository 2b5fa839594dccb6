package scaler

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// withScaledObjects is a world in which ScaledObjects are looked after as well. The API server does not list them while
// trouble says that it is in trouble; nil: it never is.
func withScaledObjects(t *testing.T, trouble func() bool) (*world, dynamic.ResourceInterface) {
	t.Helper()
	w := prepareWorld(t, june, clock.RealClock{}, deployment("worker", 3, nil), deployment("other", 3, nil))
	client := fakedynamic.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{kind.ScaledObject.Resource: "ScaledObjectList"})
	client.PrependReactor("list", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		if trouble != nil && trouble() {
			return true, nil, apierrors.NewInternalError(errors.New("conversion webhook failed"))
		}
		return false, nil, nil
	})
	informer := dynamicinformer.NewFilteredDynamicInformer(client, kind.ScaledObject.Resource, "", 0,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, nil).Informer()
	if err := informer.SetTransform(kind.ScaledObject.Trim); err != nil {
		t.Fatal(err)
	}
	// That of client-go waits by a clock which is not the bubble's.
	if err := informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}); err != nil {
		t.Fatal(err)
	}
	w.more = []Workloads{{Kind: kind.ScaledObject, Informer: informer, Foreign: true}}
	objects, deployments := client.Resource(kind.ScaledObject.Resource).Namespace("default"), sendTo(w.client)
	w.patcher.Patcher = NewPatcher(func(ctx context.Context, key kind.Key, body []byte) error {
		if key.Kind == kind.Deployment {
			return deployments(ctx, key, body)
		}
		_, err := objects.Patch(ctx, key.Name, types.MergePatchType, body, metav1.PatchOptions{})
		return err
	})
	w.start()
	return w, objects
}

func scaledObject(target string, annotations map[string]string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"scaleTargetRef": map[string]any{"name": target}}}}
	u.SetGroupVersionKind(kind.ScaledObject.GroupVersionKind())
	u.SetName("scaler")
	u.SetNamespace("default")
	u.SetAnnotations(annotations)
	return u
}

// TestAScaledObjectAndItsTargetWakeEachOther: whatever makes the one take over from the other, it does so at once.
func TestAScaledObjectAndItsTargetWakeEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, objects := withScaledObjects(t, nil)
		defer w.stop()
		rules := map[string]string{annotation.Windows: "always = 0"}
		change := func(target string, annotations map[string]string) {
			t.Helper()
			now, err := objects.Get(t.Context(), "scaler", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			kept := scaledObject(target, annotations)
			kept.SetResourceVersion(now.GetResourceVersion())
			if _, err := objects.Update(t.Context(), kept, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			w.settle()
		}
		expect := func(when string, worker, other int32, paused string) {
			t.Helper()
			if w.size("worker") != worker || w.size("other") != other {
				t.Errorf("%s: the worker has %d, the other %d", when, w.size("worker"), w.size("other"))
			}
			is := "no ScaledObject"
			if u, err := objects.Get(t.Context(), "scaler", metav1.GetOptions{}); err == nil {
				is = u.GetAnnotations()["autoscaling.keda.sh/paused-replicas"]
			}
			if is != paused {
				t.Errorf("%s: the ScaledObject is paused at %q", when, is)
			}
		}
		w.namespace("default", rules)
		expect("a Namespace's default", 0, 0, "no ScaledObject")
		if _, err := objects.Create(t.Context(), scaledObject("worker", nil), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.settle()
		expect("a ScaledObject comes", 3, 0, "0")
		change("other", nil)
		expect("it gets another target", 0, 3, "0")
		change("other", map[string]string{annotation.Windows: "none"})
		expect("it opts out", 0, 0, "")
		change("other", map[string]string{annotation.Windows: "none", annotation.OverrideKey: "0 until " + time.Now().Add(time.Minute).UTC().Format(time.RFC3339)})
		expect("it has an override", 0, 3, "0")
		time.Sleep(time.Minute)
		w.settle()
		expect("that has run out", 0, 0, "")
		w.namespace("default", nil)
		expect("no default", 3, 3, "")
		w.update("worker", func(d *appsv1.Deployment) { d.Annotations = rules })
		expect("the worker's own rules", 0, 3, "")
		change("worker", rules)
		status := annotation.ParseStatus(w.get("worker").Annotations[annotation.StatusKey])
		if want := "the ScaledObject scaler scales this Deployment"; status.State != annotation.StateInvalid || !strings.Contains(status.Message, want) {
			t.Errorf("the worker says %+v", status)
		}
		expect("both have rules", 0, 3, "0")
		if err := objects.Delete(t.Context(), "scaler", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		w.settle()
		if status := annotation.ParseStatus(w.get("worker").Annotations[annotation.StatusKey]); status.State != annotation.StateWindow {
			t.Errorf("it is gone, and the worker says %+v", status)
		}
	})
}

// TestForeignKindsAreNotWaitedFor: a kind that the API server cannot list keeps no other one from being looked after, and
// is itself as soon as it can be listed.
func TestForeignKindsAreNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var trouble atomic.Bool
		trouble.Store(true)
		w, objects := withScaledObjects(t, trouble.Load)
		defer w.stop()
		night := map[string]string{annotation.Windows: "always = 0"}
		w.update("other", func(d *appsv1.Deployment) { d.Annotations = night })
		if _, err := objects.Create(t.Context(), scaledObject("worker", night), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if size := w.size("other"); size != 3 {
			t.Errorf("without waiting a Deployment has %d", size)
		}
		time.Sleep(longestForeign)
		w.settle()
		if size := w.size("other"); size != 0 {
			t.Errorf("while ScaledObjects cannot be listed a Deployment has %d", size)
		}
		trouble.Store(false)
		time.Sleep(time.Minute) // client-go asks more and more seldom
		w.settle()
		scaled, err := objects.Get(t.Context(), "scaler", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if is := scaled.GetAnnotations()["autoscaling.keda.sh/paused-replicas"]; is != "0" {
			t.Errorf("the ScaledObject is paused at %q", is)
		}
	})
}
