package live

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// settle is how long a watch waits for more changes before it tells of them, for they come in flocks.
const settle = 100 * time.Millisecond

// Watch calls see with every subject of a selection: once at the start, and again soon after anything about them has
// changed, until the context ends. Calls do not overlap. Arguments that name objects pick from what is watched, so this
// takes the right to list and watch their kind. A Namespace stands for what is in it.
func (a *Access) Watch(ctx context.Context, s Selection, settings observe.Settings, see func([]Subject)) error {
	client, err := a.Client()
	if err != nil {
		return err
	}
	places, err := a.places(ctx, s)
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
		var objects []Object
		around := Around{Now: time.Now()}
		for _, p := range places {
			for _, m := range p.meant {
				objects = append(objects, m.pick()...)
				for _, o := range listed[*Object](m.objects) {
					around.Others = append(around.Others, o.Object)
				}
			}
			around.Namespaces = append(around.Namespaces, listed[*corev1.Namespace](p.namespaces)...)
			around.Autoscalers = append(around.Autoscalers, listed[*autoscalingv2.HorizontalPodAutoscaler](p.autoscalers)...)
		}
		see(subjects(objects, around, settings))
	})
}

// place is what is watched in a namespace.
type place struct {
	namespace string // or [metav1.NamespaceAll]
	meant     []*meant

	autoscalers, namespaces cache.Store // nil: it may not be read
}

// meant is what is watched of a kind.
type meant struct {
	part
	whole bool             // all that the part is
	names sets.Set[string] // these besides

	objects cache.Store // nil: it may not be read
}

// pick is what there is of it.
func (m *meant) pick() []Object {
	var all []Object
	for _, o := range listed[*Object](m.objects) {
		if m.whole && (!m.own || annotation.Has(o.Annotations)) || m.names.Has(o.Name) {
			all = append(all, *o)
		}
	}
	return all
}

// of is what is watched of a kind in a place, to which more may be added.
func (p *place) of(k *kind.Kind) *meant {
	for _, m := range p.meant {
		if m.kind == k {
			return m
		}
	}
	m := &meant{part: part{kind: k}, names: sets.New[string]()}
	p.meant = append(p.meant, m)
	return m
}

// besides has watched what has a say in the sizes of what is meant: what is scaled instead, and what autoscalers scale.
func (p *place) besides() {
	parts := instead()
	if slices.ContainsFunc(p.meant, func(m *meant) bool { return m.kind == kind.Autoscaler }) {
		for _, k := range kind.Known() {
			if k.Counted {
				parts = append(parts, part{kind: k, own: true})
			}
		}
	}
	for _, part := range parts {
		if !slices.ContainsFunc(p.meant, func(m *meant) bool { return m.kind == part.kind }) {
			p.meant = append(p.meant, &meant{part: part})
		}
	}
}

// add has all of a scope watched.
func (p *place) add(scope []part) {
	for _, part := range scope {
		m := p.of(part.kind)
		m.part, m.whole = part, true
	}
}

// places are where the objects of a selection are. Those that arguments name are looked up, once.
func (a *Access) places(ctx context.Context, s Selection) ([]*place, error) {
	namespace, err := a.Namespace()
	if err != nil {
		return nil, err
	}
	if s.AllNamespaces {
		namespace = metav1.NamespaceAll
	}
	if len(s.Args) == 0 {
		scope, err := a.scope(ctx, s)
		p := &place{namespace: namespace}
		p.add(scope)
		return []*place{p}, err
	}
	found, err := a.Resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	scope, err := a.scope(ctx, s)
	return placesOf(found, scope), err
}

// placesOf are the namespaces of what was found, and what is meant of them.
func placesOf(found []Found, scope []part) []*place {
	places := map[string]*place{}
	in := func(namespace string) *place {
		if places[namespace] == nil {
			places[namespace] = &place{namespace: namespace}
		}
		return places[namespace]
	}
	for _, f := range found {
		if f.Namespace != nil {
			in(f.Namespace.Name).add(scope)
		} else {
			in(f.Object.Namespace).of(f.Object.Kind).names.Insert(f.Object.Name)
		}
	}
	var all []*place
	for _, namespace := range slices.Sorted(maps.Keys(places)) {
		all = append(all, places[namespace])
	}
	return all
}

// observe has a watcher watch a place. An informer goes on for ever without a word about what it may not read, so each
// list is tried first.
func (a *Access) observe(ctx context.Context, client kubernetes.Interface, w *watcher, p *place, selector string) error {
	atHome := func(o *metav1.ListOptions) {
		if p.namespace != metav1.NamespaceAll {
			o.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, p.namespace).String()
		}
	}
	p.besides()
	for _, m := range p.meant {
		if err := a.observeKind(ctx, client, w, p.namespace, m, selector); err != nil {
			return err
		}
	}
	first := metav1.ListOptions{Limit: 1}
	_, err := client.AutoscalingV2().HorizontalPodAutoscalers(p.namespace).List(ctx, first)
	if err == nil {
		p.autoscalers = w.add(autoscalinginformers.NewFilteredHorizontalPodAutoscalerInformer(client, p.namespace, 0, nil, nil))
	} else if err := a.mayMiss(err, absentAutoscalers); err != nil {
		return err
	}
	probe := first
	atHome(&probe)
	_, err = client.CoreV1().Namespaces().List(ctx, probe)
	if err == nil {
		p.namespaces = w.add(coreinformers.NewFilteredNamespaceInformer(client, 0, nil, atHome))
	} else if err := a.mayMiss(err, absentNamespaces); err != nil {
		return err
	}
	return nil
}

// observeKind has a watcher watch what is meant of a kind.
func (a *Access) observeKind(ctx context.Context, typed kubernetes.Interface, w *watcher, namespace string, m *meant, selector string) error {
	client, err := a.Objects()
	if err != nil {
		return err
	}
	labelled := func(o *metav1.ListOptions) { o.LabelSelector = selector }
	probe := metav1.ListOptions{Limit: 1}
	labelled(&probe)
	if _, err := client.Resource(m.kind.Resource).Namespace(namespace).List(ctx, probe); err != nil {
		return m.failed(err)
	}
	var informer cache.SharedIndexInformer
	factory := informers.NewSharedInformerFactoryWithOptions(typed, 0, informers.WithNamespace(namespace), informers.WithTweakListOptions(labelled))
	if generic, err := factory.ForResource(m.kind.Resource); err == nil && kind.IsKnown(m.kind) {
		informer = generic.Informer()
	} else {
		informer = dynamicinformer.NewFilteredDynamicInformer(client, m.kind.Resource, namespace, 0, nil, labelled).Informer()
	}
	_ = informer.SetTransform(m.trim) // the error is that it runs already
	m.objects = w.add(informer)
	return nil
}

// trim keeps of an object what there is to say about it.
func (m *meant) trim(obj any) (any, error) {
	from, ok := obj.(kind.Source)
	if _, trimmed := obj.(*Object); !ok || trimmed { // an informer may ask twice
		return obj, nil
	}
	o := of(m.kind, from)
	return &o, nil
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
