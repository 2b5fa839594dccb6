package live

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// Namespaces reads a Namespace, or every one if the name is empty. What the caller may not read is warned of.
func (a *Access) Namespaces(ctx context.Context, name string) ([]*unstructured.Unstructured, error) {
	client, err := a.Objects()
	if err != nil {
		return nil, err
	}
	namespaces := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	if name == "" {
		all, err := list[*unstructured.Unstructured](ctx, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return namespaces.List(ctx, o)
		})
		return all, a.mayMiss(err, absentNamespaces)
	}
	namespace, err := namespaces.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, a.mayMiss(err, absentNamespaces)
	}
	return []*unstructured.Unstructured{namespace}, nil
}

// Objects returns the client for objects of any kind.
func (a *Access) Objects() (dynamic.Interface, error) {
	config, err := a.flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	return dynamic.NewForConfig(config)
}

// List reads all objects of some resources in a namespace, or in every one if it is empty. A resource that the cluster
// does not have has no objects, and one that the caller may not list is warned of.
func (a *Access) List(ctx context.Context, namespace string, resources ...schema.GroupVersionResource) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	var errs []error
	for _, resource := range resources {
		found, err := a.ListOf(ctx, namespace, resource)
		all = append(all, found...)
		if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) && a.unknown(resource) {
			continue
		}
		errs = append(errs, a.mayMiss(err, fmt.Sprintf("what is in %s is left out", resource.GroupResource())))
	}
	return all, errors.Join(errs...)
}

// ListOf is List for a resource that nothing can be said without.
func (a *Access) ListOf(ctx context.Context, namespace string, resource schema.GroupVersionResource) ([]*unstructured.Unstructured, error) {
	client, err := a.Objects()
	if err != nil {
		return nil, err
	}
	return list[*unstructured.Unstructured](ctx, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.Resource(resource).Namespace(namespace).List(ctx, o)
	})
}

// unknown reports whether the cluster does not have a resource. Of one that it does not have, an API server that is
// asked for its objects says that the caller has no right to them.
func (a *Access) unknown(resource schema.GroupVersionResource) bool {
	mapper, err := a.flags.ToRESTMapper()
	if err != nil {
		return false
	}
	_, err = mapper.KindFor(resource)
	return meta.IsNoMatchError(err)
}
