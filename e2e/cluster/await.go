package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	eventsv1 "k8s.io/api/events/v1"
)

// AwaitDeployment waits until the Deployment is there and satisfies the
// condition, and returns it as it was then. The word is for the error message:
// what was waited for.
func (c *Cluster) AwaitDeployment(ctx context.Context, namespace, name, word string, condition func(*appsv1.Deployment) bool) (*appsv1.Deployment, error) {
	return await(ctx, c.Client.AppsV1().RESTClient(), "deployments", namespace, fields.OneTermEqualSelector(metav1.ObjectNameField, name), word, condition)
}

// AwaitLease waits until the Lease is there and satisfies the condition.
func (c *Cluster) AwaitLease(ctx context.Context, namespace, name, word string, condition func(*coordinationv1.Lease) bool) (*coordinationv1.Lease, error) {
	return await(ctx, c.Client.CoordinationV1().RESTClient(), "leases", namespace, fields.OneTermEqualSelector(metav1.ObjectNameField, name), word, condition)
}

// AwaitEvent waits until some Event in the namespace satisfies the condition.
func (c *Cluster) AwaitEvent(ctx context.Context, namespace, word string, condition func(*eventsv1.Event) bool) (*eventsv1.Event, error) {
	return await(ctx, c.Client.EventsV1().RESTClient(), "events", namespace, fields.Everything(), word, condition)
}

// AwaitObject waits until an object of any resource is there and satisfies the
// condition.
func (c *Cluster) AwaitObject(ctx context.Context, resource schema.GroupVersionResource, namespace, name, word string, condition func(*unstructured.Unstructured) bool) (*unstructured.Unstructured, error) {
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		return nil, err
	}
	objects := client.Resource(resource).Namespace(namespace)
	only := fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
	return awaitIn[unstructured.Unstructured](ctx, &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = only
			return objects.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = only
			return objects.Watch(ctx, o)
		},
	}, namespace, word, condition)
}

type pointerTo[T any] interface {
	*T
	runtime.Object
}

func await[T any, P pointerTo[T]](ctx context.Context, client rest.Interface, resource, namespace string, selector fields.Selector, word string, condition func(P) bool) (P, error) {
	return awaitIn(ctx, cache.NewListWatchFromClient(client, resource, namespace, selector), namespace, word, condition)
}

func awaitIn[T any, P pointerTo[T]](ctx context.Context, listWatch cache.ListerWatcher, namespace, word string, condition func(P) bool) (P, error) {
	var last P
	event, err := watchtools.UntilWithSync(ctx, listWatch, P(new(T)), nil, func(event watch.Event) (bool, error) {
		object, ok := event.Object.(P)
		if !ok || event.Type == watch.Deleted {
			return false, nil
		}
		last = object
		return condition(object), nil
	})
	if err == nil {
		return event.Object.(P), nil
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		err = cause
	}
	return last, fmt.Errorf("waiting in namespace %s for %s: %w; last seen: %s", namespace, word, err, summary(last))
}

// summary is an object without what nobody reads.
func summary(object any) string {
	text, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	var tree map[string]any
	if json.Unmarshal(text, &tree) != nil || tree == nil {
		return "nothing"
	}
	if metadata, ok := tree["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
	text, _ = json.Marshal(tree)
	return string(text)
}
