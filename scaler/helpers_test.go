package scaler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
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
	"k8s.io/klog/v2/ktesting"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
	"curfew/scaler/wave"
)

// recorder keeps events. Unlike the ready-made fake it never blocks.
type recorder struct {
	mu     sync.Mutex
	events []string // "reason: note"
}

func (r *recorder) Eventf(_ runtime.Object, _ runtime.Object, _, reason, _, note string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, reason+": "+fmt.Sprintf(note, args...))
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.events...)
}

// write is one call of the Patcher.
type write struct {
	at   time.Time
	key  kind.Key
	size *int32
}

// patcher notes writes on their way, and may refuse them.
type patcher struct {
	Patcher
	clock  clock.PassiveClock
	mu     sync.Mutex
	client *fake.Clientset
	tries  int     // writes that were asked for
	writes []write // those that were carried out
	refuse func(write) error
	owns   bool // what is written gets an owner and a version, as from a real API server
}

func (p *patcher) Patch(ctx context.Context, o *kind.Object, change decide.Change) error {
	w := write{p.clock.Now().UTC(), o.Key(), change.Size}
	p.mu.Lock()
	refuse := p.refuse
	p.tries++
	p.mu.Unlock()
	if refuse != nil {
		if err := refuse(w); err != nil {
			return err
		}
	}
	if o.Kind != kind.Deployment {
		return p.Patcher.Patch(ctx, o, change)
	}
	// As a real API server: what was computed from an older object is refused. (The fake one does not look.)
	now, err := p.client.AppsV1().Deployments(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{})
	if err == nil && (ptr.Deref(now.Spec.Replicas, 1) != o.Size || !maps.Equal(annotation.Only(now.Annotations), o.Annotations)) {
		return apierrors.NewConflict(appsv1.Resource("deployments"), o.Name, errors.New("the object has been modified"))
	}
	if p.owns && err == nil {
		_, err = p.client.AppsV1().Deployments(o.Namespace).Update(ctx, owned(now, change, w.at), metav1.UpdateOptions{})
	} else {
		err = p.Patcher.Patch(ctx, o, change)
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes = append(p.writes, w)
	return nil
}

// owned is a Deployment after a change, with what the fake API server does not write. It is one write, for nobody may see
// the size without its owner.
func owned(d *appsv1.Deployment, change decide.Change, at time.Time) *appsv1.Deployment {
	for key, value := range change.Annotations {
		if delete(d.Annotations, key); value != nil {
			d.Annotations[key] = *value
		}
	}
	if change.Size != nil {
		d.Spec.Replicas = change.Size
		d.Generation++
	}
	version, _ := strconv.Atoi(d.ResourceVersion)
	d.ResourceVersion = strconv.Itoa(version + 1)
	written := metav1.NewTime(at.Truncate(time.Second))
	d.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: kind.FieldManager, Time: &written, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`),
	}}
	return d
}

// sendTo patches Deployments of a fake API server.
func sendTo(client *fake.Clientset) Send {
	return func(ctx context.Context, key kind.Key, body []byte) error {
		_, err := client.AppsV1().Deployments(key.Namespace).Patch(ctx, key.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: kind.FieldManager})
		return err
	}
}

// clear forgets the writes so far.
func (p *patcher) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes = nil
}

// asked is how many writes were asked for, also those that failed.
func (p *patcher) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tries
}

// refuses makes every write from now on fail with what refuse returns; nil ends that.
func (p *patcher) refuses(refuse func(write) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = refuse
}

// scaled returns the writes that changed a size.
func (p *patcher) scaled() []write {
	p.mu.Lock()
	defer p.mu.Unlock()
	var sizes []write
	for _, w := range p.writes {
		if w.size != nil {
			sizes = append(sizes, w)
		}
	}
	return sizes
}

func (p *patcher) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.writes)
}

// world is a controller over a fake API server, for use in a synctest bubble. It starts at a date of the test's choice.
type world struct {
	t          *testing.T
	client     *fake.Clientset
	patcher    *patcher
	recorder   *recorder
	registry   *prometheus.Registry
	reconciler *Reconciler
	clock      clock.WithTicker
	logger     *klog.Logger // nil: the test's log
	limits     wave.Limits
	workers    int
	more       []Workloads // what is watched besides
	stop       func()      // ends the controller and waits for it
	pods       func()      // ends what makes pods available
}

func newWorld(t *testing.T, start time.Time, clk clock.WithTicker, deployments ...*appsv1.Deployment) *world {
	w := prepareWorld(t, start, clk, deployments...)
	w.start()
	return w
}

// prepareWorld is newWorld without a controller, which start starts.
func prepareWorld(t *testing.T, start time.Time, clk clock.WithTicker, deployments ...*appsv1.Deployment) *world {
	time.Sleep(time.Until(start)) // before anything ticks
	var objects []runtime.Object
	for _, d := range deployments {
		objects = append(objects, d)
	}
	w := &world{t: t, client: fake.NewClientset(objects...), recorder: &recorder{}, clock: clk, workers: 2}
	w.patcher = &patcher{Patcher: NewPatcher(sendTo(w.client)), client: w.client, clock: clk}
	return w
}

// start runs a new controller, as after a restart.
func (w *world) start() {
	_, ctx := ktesting.NewTestContext(w.t)
	if w.logger != nil {
		ctx = klog.NewContext(ctx, *w.logger)
	}
	ctx, cancel := context.WithCancel(ctx)
	factory := informers.NewSharedInformerFactoryWithOptions(w.client, 0, informers.WithTransform(observe.Trim))
	deployments, namespaces := factory.Apps().V1().Deployments().Informer(), factory.Core().V1().Namespaces()
	autoscalers := factory.Autoscaling().V2().HorizontalPodAutoscalers()
	if err := deployments.SetTransform(kind.Deployment.Trim); err != nil {
		w.t.Fatal(err)
	}
	workloads := Workloads{Kind: kind.Deployment, Informer: deployments}
	targets, err := NewAutoscalers(autoscalers.Informer())
	if err != nil {
		w.t.Fatal(err)
	}
	w.registry = prometheus.NewRegistry()
	w.reconciler = &Reconciler{
		Objects: NewObjects(append(w.more, workloads)...), Patcher: w.patcher, Recorder: w.recorder,
		Metrics: NewMetrics(w.registry, w.clock, true), Clock: w.clock, Settings: observe.Settings{Zone: time.UTC},
		Defaults:    Defaults{Namespaces: namespaces.Lister(), Protected: observe.SystemNamespaces().Insert("curfew")},
		Autoscalers: targets, Limits: w.limits,
		Self: cache.ObjectName{Namespace: "curfew", Name: "curfew"},
	}
	controller, err := NewController(ctx, Sources{
		Workloads:   append(w.more, workloads),
		Namespaces:  coreinformers.ToTypedNamespaceInformer(namespaces),
		Autoscalers: autoscalinginformers.ToTypedHorizontalPodAutoscalerInformer(autoscalers),
	}, w.reconciler, w.clock)
	if err != nil {
		w.t.Fatal(err)
	}
	factory.StartWithContext(ctx)
	for _, workloads := range w.more {
		go workloads.Informer.RunWithContext(ctx)
	}
	done := make(chan struct{})
	go func() { defer close(done); controller.Run(ctx, w.workers) }()
	w.stop = func() { cancel(); <-done; factory.Shutdown(); synctest.Wait() }
	w.settle()
}

// settle lets everything happen that is due now. A fake watch takes a moment.
func (w *world) settle() {
	time.Sleep(50 * time.Millisecond)
	synctest.Wait()
}

func (w *world) size(name string) int32 {
	w.t.Helper()
	return ptr.Deref(w.get(name).Spec.Replicas, 1)
}

func (w *world) get(name string) *appsv1.Deployment {
	w.t.Helper()
	d, err := w.client.AppsV1().Deployments("default").Get(w.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) update(name string, change func(*appsv1.Deployment)) {
	w.t.Helper()
	d := w.get(name)
	change(d)
	if _, err := w.client.AppsV1().Deployments("default").Update(w.t.Context(), d, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	w.settle()
}

func deployment(name string, size int32, annotations map[string]string) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: "uid-1", Annotations: annotations},
		Spec:       appsv1.DeploymentSpec{Replicas: &size},
	}
}

// metric is the value of one series now; -1 if there is none.
func (w *world) metric(name string, labels ...string) float64 {
	w.t.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.Metric {
			has := map[string]string{}
			for _, l := range m.Label {
				has[l.GetName()] = l.GetValue()
			}
			match := family.GetName() == name
			for i := 0; i < len(labels); i += 2 {
				match = match && has[labels[i]] == labels[i+1]
			}
			if match {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return -1
}
