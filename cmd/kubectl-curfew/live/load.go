package live

import (
	"context"
	"errors"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

	"curfew/scaler/observe"
)

// Load reads the Deployments of a selection and what has a say in their size. A Namespace stands for the Deployments in
// it. What was found is returned beside the error for what was not. What the caller may not read besides the Deployments
// is warned of, and counts as absent.
func (a *Access) Load(ctx context.Context, s Selection, settings observe.Settings) ([]Subject, error) {
	if _, err := a.Client(); err != nil { // else it would be told twice
		return nil, err
	}
	objects, failed := a.Resolve(s)
	found, err := a.Gather(ctx, objects, s.AllNamespaces, settings)
	return found, join(failed, err)
}

// Gather is Load for objects that [Access.Resolve] has found, in all namespaces or a few.
func (a *Access) Gather(ctx context.Context, objects []runtime.Object, everywhere bool, settings observe.Settings) ([]Subject, error) {
	client, err := a.Client()
	if err != nil {
		return nil, err
	}
	var failed error
	var deployments []*appsv1.Deployment
	var in []string // the namespaces to read neighbours in
	for _, object := range objects {
		switch o := object.(type) {
		case *appsv1.Deployment:
			deployments = append(deployments, o)
			in = append(in, o.Namespace)
		case *corev1.Namespace:
			found, err := listDeployments(ctx, client, o.Name)
			failed = join(failed, err)
			deployments = append(deployments, found...)
			in = append(in, o.Name)
		}
	}
	n, err := a.neighbours(ctx, client, sets.List(sets.New(in...)), everywhere)
	return subjects(once(deployments), n, settings), join(failed, err)
}

// once keeps the first of those that are there more than once, as when a Namespace is named and a Deployment in it too.
func once(deployments []*appsv1.Deployment) []*appsv1.Deployment {
	seen := sets.New[cache.ObjectName]()
	return slices.DeleteFunc(deployments, func(d *appsv1.Deployment) bool {
		name := cache.MetaObjectToName(d)
		twice := seen.Has(name)
		seen.Insert(name)
		return twice
	})
}

func listDeployments(ctx context.Context, client kubernetes.Interface, namespace string) ([]*appsv1.Deployment, error) {
	return list[*appsv1.Deployment](ctx, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.AppsV1().Deployments(namespace).List(ctx, o)
	})
}

// list reads a list page by page.
func list[T runtime.Object](ctx context.Context, read pager.ListPageFunc) ([]T, error) {
	var all []T
	err := pager.New(read).EachListItem(ctx, metav1.ListOptions{Limit: chunk}, func(o runtime.Object) error {
		all = append(all, o.(T))
		return nil
	})
	return all, err
}

// neighbours reads Namespaces and autoscalers: one list of each where there are many, else only those in question.
func (a *Access) neighbours(ctx context.Context, client kubernetes.Interface, in []string, everywhere bool) (neighbours, error) {
	var namespaces []*corev1.Namespace
	var autoscalers []*autoscalingv2.HorizontalPodAutoscaler
	listAutoscalers := func(namespace string) error {
		found, err := list[*autoscalingv2.HorizontalPodAutoscaler](ctx, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return client.AutoscalingV2().HorizontalPodAutoscalers(namespace).List(ctx, o)
		})
		autoscalers = append(autoscalers, found...)
		return a.mayMiss(err, absentAutoscalers)
	}
	var errs []error
	if everywhere {
		found, err := list[*corev1.Namespace](ctx, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return client.CoreV1().Namespaces().List(ctx, o)
		})
		namespaces = found
		errs = append(errs, a.mayMiss(err, absentNamespaces), listAutoscalers(metav1.NamespaceAll))
		return newNeighbours(namespaces, autoscalers), errors.Join(errs...)
	}
	for _, name := range in {
		ns, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			namespaces = append(namespaces, ns)
		}
		if !apierrors.IsNotFound(err) {
			errs = append(errs, a.mayMiss(err, absentNamespaces))
		}
		errs = append(errs, listAutoscalers(name))
	}
	return newNeighbours(namespaces, autoscalers), errors.Join(errs...)
}

// What it means that something may not be read.
const (
	absentNamespaces  = "what Namespaces say counts as absent"
	absentAutoscalers = "HorizontalPodAutoscalers count as absent"
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

// Find reads the Deployments of these names. One that is not there comes without a Deployment, and with what its
// Namespace says all the same.
func (a *Access) Find(ctx context.Context, names []cache.ObjectName, settings observe.Settings) (map[cache.ObjectName]Subject, error) {
	client, err := a.Client()
	if err != nil {
		return nil, err
	}
	in := sets.New[string]()
	for _, name := range names {
		in.Insert(name.Namespace)
	}
	n, err := a.neighbours(ctx, client, sets.List(in), false)
	if err != nil {
		return nil, err
	}
	found := map[cache.ObjectName]Subject{}
	for _, namespace := range sets.List(in) {
		of := slices.DeleteFunc(slices.Clone(names), func(name cache.ObjectName) bool { return name.Namespace != namespace })
		deployments, err := read(ctx, client, namespace, of)
		if err != nil {
			return nil, err
		}
		for _, name := range of {
			found[name] = Subject{Namespace: n.namespaces[namespace], Inherited: n.inherited(namespace)}
		}
		for _, d := range deployments {
			found[cache.MetaObjectToName(d)] = n.subject(d, settings)
		}
	}
	return found, nil
}

// few is how many Deployments of a namespace are read one by one. For more than these, one list takes less time.
const few = 10

// read reads those of the Deployments of these names, all of one namespace, that are there.
func read(ctx context.Context, client kubernetes.Interface, namespace string, names []cache.ObjectName) ([]*appsv1.Deployment, error) {
	if len(names) > few {
		all, err := listDeployments(ctx, client, namespace)
		if err == nil {
			wanted := sets.New(names...)
			return slices.DeleteFunc(all, func(d *appsv1.Deployment) bool { return !wanted.Has(cache.MetaObjectToName(d)) }), nil
		} else if !apierrors.IsForbidden(err) {
			return nil, err
		} // who may not list them may get them all the same
	}
	var deployments []*appsv1.Deployment
	for _, name := range names {
		d, err := client.AppsV1().Deployments(namespace).Get(ctx, name.Name, metav1.GetOptions{})
		switch {
		case err == nil:
			deployments = append(deployments, d)
		case !apierrors.IsNotFound(err):
			return nil, err
		}
	}
	return deployments, nil
}
