package model_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"curfew/scaler"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// TestController tells stories to the whole controller, in virtual time and with a fake API server.
//
//	go test ./model -run Controller -rapid.checks=10000
func TestController(t *testing.T) {
	tales(t, "100")
	rapid.Check(t, func(r *rapid.T) {
		s := drawStory(r, 2*24*60)
		var differs string
		rapid.SyncTest(r, func(*rapid.T) {
			w := newFull(s)
			differs = tell(s, w, true)
			w.stop()
		})
		if differs != "" {
			r.Fatalf("%s\n\n%#v\n", differs, s)
		}
	})
}

// full is a world with a controller in it.
type full struct {
	client *fake.Clientset
	before *appsv1.Deployment
	ctx    context.Context
	end    func()

	mu     sync.Mutex
	writes []write
}

func newFull(s story) *full {
	time.Sleep(time.Until(begins(s.start))) // before anything ticks
	d := newDeployment(s)
	f := &full{client: fake.NewClientset(), before: d.DeepCopy(), ctx: klog.NewContext(context.Background(), logr.Discard())}
	must(f.client.CoreV1().Namespaces().Create(f.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.Namespace}}, metav1.CreateOptions{}))
	must(f.client.AppsV1().Deployments(d.Namespace).Create(f.ctx, d, metav1.CreateOptions{FieldManager: ownerName}))
	f.start()
	return f
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// Patch passes a write on, and notes it. What was computed from an older object is refused, as a real API server would;
// the fake one does not look.
func (f *full) Patch(ctx context.Context, o *kind.Object, change decide.Change) error {
	now := f.get()
	if *now.Spec.Replicas != o.Size || !maps.Equal(annotation.Only(now.Annotations), o.Annotations) {
		return apierrors.NewConflict(appsv1.Resource("deployments"), o.Name, nil)
	}
	send := func(ctx context.Context, key kind.Key, body []byte) error {
		_, err := f.client.AppsV1().Deployments(key.Namespace).Patch(ctx, key.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: kind.FieldManager})
		return err
	}
	if err := scaler.NewPatcher(send).Patch(ctx, o, change); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes = append(f.writes, write{time.Now().UTC(), change.Size})
	return nil
}

// Eventf has events said to nobody.
func (f *full) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// trim is what the cache keeps. The fake API server knows no scale subresource, so here is where it comes from.
func trim(obj any) (any, error) {
	if d, ok := obj.(*appsv1.Deployment); ok {
		for i := range d.ManagedFields {
			if d.ManagedFields[i].Manager == scalerName {
				d.ManagedFields[i].Subresource = "scale"
			}
		}
		return kind.Deployment.Trim(d)
	}
	return observe.Trim(obj)
}

func (f *full) start() {
	ctx, cancel := context.WithCancel(f.ctx)
	factory := informers.NewSharedInformerFactoryWithOptions(f.client, 0, informers.WithTransform(trim))
	deployments, namespaces := factory.Apps().V1().Deployments().Informer(), factory.Core().V1().Namespaces()
	autoscalers := factory.Autoscaling().V2().HorizontalPodAutoscalers()
	workloads := scaler.Workloads{Kind: kind.Deployment, Informer: deployments}
	clk := clock.RealClock{}
	controller := must(scaler.NewController(ctx, scaler.Sources{
		Workloads:   []scaler.Workloads{workloads},
		Namespaces:  coreinformers.ToTypedNamespaceInformer(namespaces),
		Autoscalers: autoscalinginformers.ToTypedHorizontalPodAutoscalerInformer(autoscalers),
	}, &scaler.Reconciler{
		Objects: scaler.NewObjects(workloads), Patcher: f, Recorder: f,
		Metrics: scaler.NewMetrics(prometheus.NewRegistry(), clk, true), Clock: clk, Settings: observe.Settings{Schedules: annotation.NewSchedules()},
		Defaults:    scaler.Defaults{Namespaces: namespaces.Lister()},
		Autoscalers: must(scaler.NewAutoscalers(autoscalers.Informer())),
		Self:        cache.ObjectName{Namespace: "curfew", Name: "curfew"},
	}, clk))
	factory.StartWithContext(ctx)
	done := make(chan struct{})
	go func() { defer close(done); controller.Run(ctx, 2) }()
	f.end = func() { cancel(); <-done; factory.Shutdown(); synctest.Wait() }
	settle()
}

// settle lets everything happen that is due now. A fake watch takes a moment.
func settle() {
	time.Sleep(20 * time.Millisecond)
	synctest.Wait()
}

func (f *full) stop() {
	if f.end != nil {
		f.end()
	}
	f.end = nil
}

func (f *full) get() *appsv1.Deployment {
	return must(f.client.AppsV1().Deployments(f.before.Namespace).Get(f.ctx, f.before.Name, metav1.GetOptions{}))
}

func (f *full) update(manager string, change func(*appsv1.Deployment)) {
	d := f.get()
	change(d)
	must(f.client.AppsV1().Deployments(d.Namespace).Update(f.ctx, d, metav1.UpdateOptions{FieldManager: manager}))
	settle()
}

func (f *full) annotate(space bool, values map[string]string) {
	if !space {
		f.update(ownerName, func(d *appsv1.Deployment) { annotateMap(d.Annotations, values) })
		return
	}
	api := f.client.CoreV1().Namespaces()
	ns := must(api.Get(f.ctx, f.before.Namespace, metav1.GetOptions{}))
	if ns.Annotations == nil {
		ns.Annotations = map[string]string{}
	}
	annotateMap(ns.Annotations, values)
	must(api.Update(f.ctx, ns, metav1.UpdateOptions{}))
	settle()
}

func (f *full) apply(size int32, stripped bool) {
	f.update(ownerName, func(d *appsv1.Deployment) {
		if stripped {
			annotateMap(d.Annotations, map[string]string{annotation.StatusKey: "", annotation.Remembered: ""})
		}
		d.Spec.Replicas = &size
	})
}

func (f *full) scale(size int32) {
	f.update(scalerName, func(d *appsv1.Deployment) { d.Spec.Replicas = &size })
}

func (f *full) autoscale(minimum *int32) {
	api := f.client.AutoscalingV2().HorizontalPodAutoscalers(f.before.Namespace)
	h, err := api.Get(f.ctx, f.before.Name, metav1.GetOptions{})
	there := err == nil
	switch {
	case minimum == nil && there:
		err = api.Delete(f.ctx, f.before.Name, metav1.DeleteOptions{})
	case minimum == nil:
		err = nil
	case there:
		h.Spec.MinReplicas = minimum
		_, err = api.Update(f.ctx, h, metav1.UpdateOptions{})
	default:
		h = &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: f.before.Name, Namespace: f.before.Namespace}}
		h.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: f.before.Name}
		h.Spec.MinReplicas, h.Spec.MaxReplicas = minimum, 20
		_, err = api.Create(f.ctx, h, metav1.CreateOptions{})
	}
	if err != nil {
		panic(err)
	}
	settle()
}

func (f *full) pass(to time.Time) {
	time.Sleep(time.Until(to))
	settle()
}

func (f *full) share(spread time.Duration) time.Duration { return observe.Shift(f.before.UID, spread) }

func (f *full) size() int32 { return ptr.Deref(f.get().Spec.Replicas, 1) }

func (f *full) annotation(key string) string { return f.get().Annotations[key] }

func (f *full) foreign() string { return foreign(f.before, f.get()) }

func (f *full) trouble() string { return "" }

func (f *full) wrote() []write {
	f.mu.Lock()
	defer f.mu.Unlock()
	wrote := f.writes
	f.writes = nil
	return wrote
}
