package live

import (
	"context"
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
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/observe"
)

// settle is how long a watch waits for more changes before it tells of them, for they come in flocks.
const settle = 100 * time.Millisecond

// Watch calls see with every subject of a selection: once at the start, and again soon after anything about them has
// changed, until the context ends. Calls do not overlap. Arguments that name objects pick from what is watched, so this
// takes the right to list and watch Deployments.
func (a *Access) Watch(ctx context.Context, s Selection, settings observe.Settings, see func([]Subject)) error {
	client, err := a.Client()
	if err != nil {
		return err
	}
	namespace, err := a.Namespace()
	if err != nil {
		return err
	}
	picked, err := a.pick(s)
	if err != nil {
		return err
	}
	home := fields.OneTermEqualSelector(metav1.ObjectNameField, namespace).String()
	if s.AllNamespaces {
		namespace, home = metav1.NamespaceAll, ""
	}
	labelled := func(o *metav1.ListOptions) { o.LabelSelector = s.Selector }
	atHome := func(o *metav1.ListOptions) { o.FieldSelector = home }
	first := metav1.ListOptions{Limit: 1}

	w := newWatcher()
	probe := first
	labelled(&probe)
	if _, err := client.AppsV1().Deployments(namespace).List(ctx, probe); err != nil {
		return err
	}
	deployments := w.add(appsinformers.NewFilteredDeploymentInformer(client, namespace, 0, nil, labelled))
	var autoscalers, namespaces cache.Store
	_, err = client.AutoscalingV2().HorizontalPodAutoscalers(namespace).List(ctx, first)
	if err == nil {
		autoscalers = w.add(autoscalinginformers.NewFilteredHorizontalPodAutoscalerInformer(client, namespace, 0, nil, nil))
	} else if err := a.mayMiss(err, absentAutoscalers); err != nil {
		return err
	}
	probe = first
	atHome(&probe)
	_, err = client.CoreV1().Namespaces().List(ctx, probe)
	if err == nil {
		namespaces = w.add(coreinformers.NewFilteredNamespaceInformer(client, 0, nil, atHome))
	} else if err := a.mayMiss(err, absentNamespaces); err != nil {
		return err
	}
	return w.run(ctx, func() {
		n := newNeighbours(listed[*corev1.Namespace](namespaces), listed[*autoscalingv2.HorizontalPodAutoscaler](autoscalers))
		see(subjects(picked(listed[*appsv1.Deployment](deployments)), n, settings))
	})
}

// pick finds the objects that the arguments name, once, and returns what keeps those of many.
func (a *Access) pick(s Selection) (func([]*appsv1.Deployment) []*appsv1.Deployment, error) {
	if len(s.Args) == 0 {
		return func(all []*appsv1.Deployment) []*appsv1.Deployment { return all }, nil
	}
	objects, err := a.Resolve(s)
	if err != nil {
		return nil, err
	}
	named := sets.New[cache.ObjectName]()
	for _, object := range objects {
		if d, ok := object.(*appsv1.Deployment); ok {
			named.Insert(cache.MetaObjectToName(d))
		}
	}
	return func(all []*appsv1.Deployment) []*appsv1.Deployment {
		var some []*appsv1.Deployment
		for _, d := range all {
			if named.Has(cache.MetaObjectToName(d)) {
				some = append(some, d)
			}
		}
		return some
	}, nil
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
