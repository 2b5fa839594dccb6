package imports

import (
	"context"
	"slices"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/manifest"
)

// FromCluster reads the objects of a namespace, or of every one.
func FromCluster(access *live.Access) Live { return &cluster{access: access} }

type cluster struct {
	access *live.Access
	all    bool
}

// AddFlags adds --all-namespaces.
func (c *cluster) AddFlags(flags *pflag.FlagSet) {
	flags.BoolVarP(&c.all, "all-namespaces", "A", c.all, "With --live, every namespace, not just the one of --namespace or the context.")
}

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

// resources are what else schedules are written on, and what they speak of.
var resources = []schema.GroupVersionResource{
	{Group: "apps", Version: "v1", Resource: "statefulsets"},
	{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"},
	{Group: "batch", Version: "v1", Resource: "cronjobs"},
	{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
	{Group: "kube-green.com", Version: "v1alpha1", Resource: "sleepinfos"},
	{Group: "keda.sh", Version: "v1alpha1", Resource: "scaledobjects"},
	{Group: "autoscaling.alibabacloud.com", Version: "v1beta1", Resource: "cronhorizontalpodautoscalers"},
}

// Read reads the Namespaces, and what is in them.
func (c *cluster) Read(ctx context.Context) ([]manifest.Object, []error) {
	namespace, err := c.access.Namespace()
	if err != nil {
		return nil, []error{err}
	}
	if c.all {
		namespace = metav1.NamespaceAll
	}
	found, err := c.access.Namespaces(ctx, namespace)
	if err != nil {
		return nil, []error{err}
	}
	scaled, err := c.access.ListOf(ctx, namespace, deployments) // without which there is nothing to import to
	if err != nil {
		return nil, []error{err}
	}
	inside, err := c.access.List(ctx, namespace, resources...)
	if err != nil {
		return nil, []error{err}
	}
	var objects []manifest.Object
	for _, u := range slices.Concat(found, scaled, inside) {
		objects = append(objects, manifest.Object{Unstructured: u})
	}
	return objects, nil
}
