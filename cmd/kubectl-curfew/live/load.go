package live

import (
	"context"
	"errors"
	"slices"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// Load reads the objects of a selection and what has a say in their size. A Namespace stands for what is in it. What was
// found is returned beside the error for what was not. What the caller may not read besides the objects is warned of, and
// counts as absent.
func (a *Access) Load(ctx context.Context, s Selection, settings observe.Settings) ([]Subject, error) {
	if _, err := a.Client(); err != nil { // else it would be told twice
		return nil, err
	}
	found, failed := a.Resolve(ctx, s)
	subjects, err := a.Gather(ctx, found, s, settings)
	return subjects, join(failed, err)
}

// Gather is Load for what [Access.Resolve] has found.
func (a *Access) Gather(ctx context.Context, found []Found, s Selection, settings observe.Settings) ([]Subject, error) {
	client, err := a.Client()
	if err != nil {
		return nil, err
	}
	var failed error
	var objects []Object
	in := sets.New[string]() // the namespaces to read neighbours in
	for _, f := range found {
		if f.Namespace == nil {
			objects = append(objects, f.Object)
			in.Insert(f.Object.Namespace)
			continue
		}
		scope, err := a.scope(ctx, s)
		failed = join(failed, err)
		all, err := a.listAll(ctx, scope, f.Namespace.Name, "")
		failed = join(failed, err)
		objects = append(objects, all...)
		in.Insert(f.Namespace.Name)
	}
	objects = once(objects)
	around, err := a.around(ctx, client, objects, sets.List(in), s.AllNamespaces)
	return subjects(objects, around, settings), join(failed, err)
}

// once keeps the first of those that are there more than once, as when a Namespace is named and an object in it too.
func once(objects []Object) []Object {
	seen := sets.New[kind.Key]()
	return slices.DeleteFunc(objects, func(o Object) bool {
		key := o.Key()
		twice := seen.Has(key)
		seen.Insert(key)
		return twice
	})
}

// list reads a list page by page.
func list[T runtime.Object](ctx context.Context, read pager.ListPageFunc) ([]T, error) {
	var all []T
	err := each(ctx, read, func(o T) { all = append(all, o) })
	return all, err
}

// chunk is how many objects a list asks for at once.
const chunk = 500

// each reads a list page by page.
func each[T runtime.Object](ctx context.Context, read pager.ListPageFunc, see func(T)) error {
	return pager.New(read).EachListItem(ctx, metav1.ListOptions{Limit: chunk}, func(o runtime.Object) error {
		see(o.(T))
		return nil
	})
}

// around reads what has a say: one list of each kind where there are many namespaces, else only those in question.
func (a *Access) around(ctx context.Context, client kubernetes.Interface, objects []Object, in []string, everywhere bool) (Around, error) {
	around := Around{Now: time.Now()}
	var errs []error
	if everywhere {
		found, err := list[*corev1.Namespace](ctx, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return client.CoreV1().Namespaces().List(ctx, o)
		})
		around.Namespaces = found
		errs = append(errs, a.mayMiss(err, absentNamespaces), a.scalers(ctx, client, &around, metav1.NamespaceAll))
	} else {
		for _, name := range in {
			ns, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
			if err == nil {
				around.Namespaces = append(around.Namespaces, ns)
			}
			if !apierrors.IsNotFound(err) {
				errs = append(errs, a.mayMiss(err, absentNamespaces))
			}
			errs = append(errs, a.scalers(ctx, client, &around, name))
		}
	}
	errs = append(errs, a.targets(ctx, &around, objects))
	return around, errors.Join(errs...)
}

// scalers reads what may scale the objects of a namespace, or of every one.
func (a *Access) scalers(ctx context.Context, client kubernetes.Interface, around *Around, namespace string) error {
	found, err := list[*autoscalingv2.HorizontalPodAutoscaler](ctx, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.AutoscalingV2().HorizontalPodAutoscalers(namespace).List(ctx, o)
	})
	around.Autoscalers = append(around.Autoscalers, found...)
	err = a.mayMiss(err, absentAutoscalers)
	others, failed := a.listAll(ctx, instead(), namespace, "")
	for _, o := range others {
		around.Others = append(around.Others, o.Object)
	}
	return errors.Join(err, failed)
}

// instead are the kinds whose objects are scaled instead of others, as far as somebody has annotated them.
func instead() []part {
	var parts []part
	for _, k := range kind.Known() {
		if k.Instead {
			parts = append(parts, part{kind: k, own: true})
		}
	}
	return parts
}

// targets reads what autoscalers among the objects scale, in case they are to do as that says.
func (a *Access) targets(ctx context.Context, around *Around, objects []Object) error {
	there := sets.New[kind.Target]()
	for _, o := range objects {
		there.Insert(kind.AsTarget(o.Key()))
	}
	var keys []kind.Key
	for _, o := range objects {
		if o.Kind != kind.Autoscaler || o.Target == nil || there.Has(*o.Target) {
			continue
		}
		if i := slices.IndexFunc(kind.Known(), func(k *kind.Kind) bool { return k.Name == o.Target.Kind }); i >= 0 {
			keys = append(keys, kind.Key{Kind: kind.Known()[i], ObjectName: o.Target.ObjectName})
		}
	}
	client, err := a.Objects()
	if err != nil {
		return err
	}
	for of, keys := range grouped(keys) {
		found, err := read(ctx, client, of, keys)
		if err := a.mayMiss(err, absentTargets); err != nil {
			return err
		}
		for _, o := range found {
			around.Others = append(around.Others, o.Object)
		}
	}
	return nil
}

// What it means that something may not be read.
const (
	absentNamespaces  = "what Namespaces say counts as absent"
	absentAutoscalers = "HorizontalPodAutoscalers count as absent"
	absentTargets     = "what those say that HorizontalPodAutoscalers scale counts as absent"
)

// mayMiss warns of what the caller has no right to, and returns any other error.
func (a *Access) mayMiss(err error, so string) error {
	if apierrors.IsForbidden(err) {
		a.warn("%s; %s", Explain(err), so)
		return nil
	}
	return err
}

// join is errors.Join, without nesting what is joined already, be it in the way of Kubernetes, and without saying anything
// twice, as the resource builder does.
func join(err error, more ...error) error {
	var all []error
	switch joined := err.(type) { //nolint:errorlint // what is wrapped around joined errors is to stay around them
	case nil:
	case interface{ Unwrap() []error }:
		all = joined.Unwrap()
	case utilerrors.Aggregate:
		all = utilerrors.Flatten(joined).Errors()
	default:
		all = []error{err}
	}
	var once []error
	said := sets.New[string]()
	for _, err := range append(slices.Clip(all), more...) {
		if err != nil && !said.Has(err.Error()) {
			once = append(once, err)
			said.Insert(err.Error())
		}
	}
	return errors.Join(once...)
}

// Find reads the objects of these names. One that is not there comes without an object, and with what its Namespace says
// for others of its kind all the same.
func (a *Access) Find(ctx context.Context, keys []kind.Key, settings observe.Settings) (map[kind.Key]Subject, error) {
	client, err := a.Client()
	if err != nil {
		return nil, err
	}
	objects, err := a.Objects()
	if err != nil {
		return nil, err
	}
	in := sets.New[string]()
	for _, key := range keys {
		in.Insert(key.Namespace)
	}
	var there []Object
	for of, keys := range grouped(keys) {
		some, err := read(ctx, objects, of, keys)
		if err != nil {
			return nil, err
		}
		there = append(there, some...)
	}
	around, err := a.around(ctx, client, there, sets.List(in), false)
	if err != nil {
		return nil, err
	}
	n := around.index(there)
	found := map[kind.Key]Subject{}
	for _, key := range keys {
		absent := &kind.Object{Kind: key.Kind, ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace}}
		found[key] = Subject{Namespace: n.namespaces[key.Namespace], Inherited: n.inherited(absent)}
	}
	for _, o := range there {
		found[o.Key()] = n.subject(o, settings)
	}
	return found, nil
}

// group is a kind in a namespace.
type group struct {
	kind      *kind.Kind
	namespace string
}

func grouped(keys []kind.Key) map[group][]kind.Key {
	groups := map[group][]kind.Key{}
	for _, key := range keys {
		of := group{key.Kind, key.Namespace}
		groups[of] = append(groups[of], key)
	}
	return groups
}

// few is how many objects of a kind and namespace are read one by one. For more than these, one list takes less time.
const few = 10

// read reads those of the objects of these names, all of a kind and in a namespace, that are there.
func read(ctx context.Context, client dynamic.Interface, of group, keys []kind.Key) ([]Object, error) {
	objects := client.Resource(of.kind.Resource).Namespace(of.namespace)
	var found []Object
	if len(keys) > few {
		wanted := sets.New(keys...)
		err := each(ctx, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return objects.List(ctx, o)
		}, func(u *unstructured.Unstructured) {
			if wanted.Has(kind.Key{Kind: of.kind, ObjectName: cache.MetaObjectToName(u)}) {
				found = append(found, Read(of.kind, u))
			}
		})
		if err == nil || !apierrors.IsForbidden(err) {
			return found, err
		}
		found = nil // who may not list them may get them all the same
	}
	for _, key := range keys {
		u, err := objects.Get(ctx, key.Name, metav1.GetOptions{})
		switch {
		case err == nil:
			found = append(found, Read(of.kind, u))
		case !apierrors.IsNotFound(err):
			return nil, err
		}
	}
	return found, nil
}
