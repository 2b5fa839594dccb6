package live

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	appsinformers "k8s.io/client-go/informers/apps/v1"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/observe"
)

// settle is how long a watch waits for more changes before it tells of them, for they come in flocks.
const settle = 100 * time.Millisecond

// Watch calls see with every subject of a selection: once at the start, and again soon after anything about them has
// changed, until the context ends. Calls do not overlap. Arguments that name objects pick from what is watched, so this
// takes the right to list and watch Deployments. A Namespace stands for the Deployments in it.
func (a *Access) Watch(ctx context.Context, s Selection, settings observe.Settings, see func([]Subject)) error {
	client, err := a.Client()
	if err != nil {
		return err
	}
	places, err := a.places(s)
	if err != nil {
		return err
	}
	w := newWatcher()
	for _, p := range places {
		if err := a.observe(ctx, client, w, p, s.Selector); err != nil {
			return err
		}
	}
	return w.run(ctx, func() {
		var deployments []*appsv1.Deployment
		var namespaces []*corev1.Namespace
		var autoscalers []*autoscalingv2.HorizontalPodAutoscaler
		for _, p := range places {
			deployments = append(deployments, p.pick(listed[*appsv1.Deployment](p.deployments))...)
			namespaces = append(namespaces, listed[*corev1.Namespace](p.namespaces)...)
			autoscalers = append(autoscalers, listed[*autoscalingv2.HorizontalPodAutoscaler](p.autoscalers)...)
		}
		see(subjects(deployments, newNeighbours(namespaces, autoscalers), settings))
	})
}

// place is what is watched in a namespace.
type place struct {
	namespace string           // or [metav1.NamespaceAll]
	named     sets.Set[string] // the Deployments that are meant; nil: all

	deployments, autoscalers, namespaces cache.Store // nil: it may not be read
}

// places are where the objects of a selection are. Those that arguments name are looked up, once.
func (a *Access) places(s Selection) ([]*place, error) {
	namespace, err := a.Namespace()
	switch {
	case err != nil:
		return nil, err
	case len(s.Args) == 0 && s.AllNamespaces:
		return []*place{{namespace: metav1.NamespaceAll}}, nil
	case len(s.Args) == 0:
		return []*place{{namespace: namespace}}, nil
	}
	objects, err := a.Resolve(s)
	if err != nil {
		return nil, err
	}
	return placesOf(objects), nil
}

// placesOf are the namespaces of objects, and those that are among them.
func placesOf(objects []runtime.Object) []*place {
	whole, named := sets.New[string](), map[string]sets.Set[string]{}
	for _, object := range objects {
		switch o := object.(type) {
		case *corev1.Namespace:
			whole.Insert(o.Name)
			named[o.Name] = nil
		case *appsv1.Deployment:
			if whole.Has(o.Namespace) {
				continue
			}
			if named[o.Namespace] == nil {
				named[o.Namespace] = sets.New[string]()
			}
			named[o.Namespace].Insert(o.Name)
		}
	}
	var places []*place
	for _, namespace := range slices.Sorted(maps.Keys(named)) {
		places = append(places, &place{namespace: namespace, named: named[namespace]})
	}
	return places
}

// pick keeps the Deployments that are meant.
func (p *place) pick(all []*appsv1.Deployment) []*appsv1.Deployment {
	if p.named == nil {
		return all
	}
	return slices.DeleteFunc(all, func(d *appsv1.Deployment) bool { return !p.named.Has(d.Name) })
}

// observe has a watcher watch a place. An informer goes on for ever without a word about what it may not read, so each
// list is tried first.
func (a *Access) observe(ctx context.Context, client kubernetes.Interface, w *watcher, p *place, selector string) error {
	labelled := func(o *metav1.ListOptions) { o.LabelSelector = selector }
	atHome := func(o *metav1.ListOptions) {
		if p.namespace != metav1.NamespaceAll {
			o.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, p.namespace).String()
		}
	}
	first := metav1.ListOptions{Limit: 1}
	probe := first
	labelled(&probe)
	if _, err := client.AppsV1().Deployments(p.namespace).List(ctx, probe); err != nil {
		return err
	}
	p.deployments = w.add(appsinformers.NewFilteredDeploymentInformer(client, p.namespace, 0, nil, labelled))
	_, err := client.AutoscalingV2().HorizontalPodAutoscalers(p.namespace).List(ctx, first)
	if err == nil {
		p.autoscalers = w.add(autoscalinginformers.NewFilteredHorizontalPodAutoscalerInformer(client, p.namespace, 0, nil, nil))
	} else if err := a.mayMiss(err, absentAutoscalers); err != nil {
		return err
	}
	probe = first
	atHome(&probe)
	_, err = client.CoreV1().Namespaces().List(ctx, probe)
	if err == nil {
		p.namespaces = w.add(coreinformers.NewFilteredNamespaceInformer(client, 0, nil, atHome))
	} else if err := a.mayMiss(err, absentNamespaces); err != nil {
		return err
	}
	return nil
}

// watcher runs informers and says when anything in them has changed.
type watcher struct {
	informers []cache.SharedIndexInformer
	changed   chan struct{} // of one, so that many changes are one
}

func newWatcher() *watcher { return &watcher{changed: make(chan struct{}, 1)} }

func (w *watcher) add(informer cache.SharedIndexInformer) cache.Store {
	w.informers = append(w.informers, informer)
	return informer.GetStore()
}

// run calls see when all informers have synced, and whenever something has changed, until the context ends.
func (w *watcher) run(ctx context.Context, see func()) error {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wake := func() {
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
	var synced []cache.InformerSynced
	for _, informer := range w.informers {
		registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { wake() }, UpdateFunc: func(any, any) { wake() }, DeleteFunc: func(any) { wake() },
		})
		if err != nil {
			return err
		}
		synced = append(synced, registration.HasSynced)
		running.Go(func() { informer.RunWithContext(ctx) })
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return nil // the context has ended
	}
	for {
		select { // what came meanwhile is seen now
		case <-w.changed:
		default:
		}
		see()
		select {
		case <-ctx.Done():
			return nil
		case <-w.changed:
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(settle):
		}
	}
}

// listed is what is in a store; nothing if there is none.
func listed[T runtime.Object](store cache.Store) []T {
	if store == nil {
		return nil
	}
	var all []T
	for _, object := range store.List() {
		all = append(all, object.(T))
	}
	return all
}
