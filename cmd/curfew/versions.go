package main

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

	"curfew/scaler"
	"curfew/scaler/kind"
)

// newVersions lists the objects of the kinds that are watched, without what is in them.
func newVersions(config *rest.Config, o *options, kinds func() []*kind.Kind) (scaler.Versions, error) {
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tell func(kind.Key, string)) error {
		var errs []error
		for _, k := range kinds() {
			watched := client.Resource(k.Resource).Namespace(o.namespace)
			pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return watched.List(ctx, options)
			})
			err := pages.EachListItem(ctx, metav1.ListOptions{LabelSelector: o.selector}, func(item runtime.Object) error {
				m := item.(*metav1.PartialObjectMetadata)
				tell(kind.Key{Kind: k, ObjectName: cache.MetaObjectToName(m)}, m.ResourceVersion)
				return nil
			})
			if err != nil && !apierrors.IsNotFound(err) { // else what defines the kind is gone, and with it all of that kind
				errs = append(errs, fmt.Errorf("listing %s: %w", k, err))
			}
		}
		return errors.Join(errs...)
	}, nil
}
