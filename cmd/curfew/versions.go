package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

	"curfew/scaler"
)

// deployments is the resource that is watched and written.
var deployments = appsv1.SchemeGroupVersion.WithResource("deployments")

// newVersions lists the Deployments that are watched, without what is in them.
func newVersions(config *rest.Config, o *options) (scaler.Versions, error) {
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	watched := client.Resource(deployments).Namespace(o.namespace)
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return watched.List(ctx, options)
	})
	return func(ctx context.Context, tell func(cache.ObjectName, string)) error {
		return pages.EachListItem(ctx, metav1.ListOptions{LabelSelector: o.selector}, func(item runtime.Object) error {
			d := item.(*metav1.PartialObjectMetadata)
			tell(cache.MetaObjectToName(d), d.ResourceVersion)
			return nil
		})
	}, nil
}
