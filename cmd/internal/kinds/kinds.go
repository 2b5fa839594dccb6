// Package kinds finds out which kinds people mean by --kinds, and whether a cluster has them and they can be scaled.
package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"

	"curfew/scaler/kind"
)

// Parse reads --kinds: resources with their groups.
func Parse(names []string) ([]schema.GroupResource, error) {
	var resources []schema.GroupResource
	for _, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" {
			continue
		}
		resource := schema.ParseGroupResource(name)
		if near := meant(resource); near != "" {
			return nil, fmt.Errorf("there is no resource %q; did you mean %s?", name, near)
		}
		if why := Hopeless(resource); why != "" {
			return nil, fmt.Errorf("%s: %s", name, why)
		}
		if !slices.Contains(resources, resource) {
			resources = append(resources, resource)
		}
	}
	if len(resources) == 0 {
		return nil, fmt.Errorf("there is none; write resources with their groups, separated by commas, such as %s", kind.Deployment)
	}
	return resources, nil
}

// meant is the known resource that a name without a group, or in the singular, is meant for.
func meant(resource schema.GroupResource) string {
	for _, k := range kind.Known() {
		is := k.Resource.GroupResource()
		if resource == is {
			return ""
		}
		same := resource.Resource == is.Resource || resource.Resource == strings.ToLower(k.Name)
		if same && (resource.Group == "" || resource.Group == is.Group) {
			return is.String()
		}
	}
	return ""
}

// Hopeless says why a resource that people might try is of no use, and what to do instead; "" of any other.
func Hopeless(resource schema.GroupResource) string { return unscalable[resource] }

var unscalable = map[schema.GroupResource]string{
	{Group: "apps", Resource: "daemonsets"}:             "a DaemonSet has no size; docs/kinds.md says what to do instead",
	{Group: "policy", Resource: "poddisruptionbudgets"}: "a PodDisruptionBudget has no size, and does not keep Curfew from anything; see docs/kinds.md",
	{Group: "batch", Resource: "jobs"}:                  "a Job runs once; put the windows on the CronJob that makes it",
	{Resource: "pods"}:                                  "a pod has no size; put the windows on what makes it",
}

// Finder finds out what kinds a cluster has.
type Finder struct {
	Discovery discovery.DiscoveryInterfaceWithContext
	Objects   dynamic.Interface
}

// Unusable is the error about a resource that is there and cannot be scaled.
type Unusable struct{ error }

// typed reports whether a kind is one of the API server's own, so that there is no need to find out whether it is there.
func typed(k *kind.Kind) bool { return scheme.Scheme.Recognizes(k.GroupVersionKind()) }

// Find returns the kind of a resource; nil if the cluster does not have it, or not yet. The error is an [Unusable] where it
// is there and of no use.
func (f Finder) Find(ctx context.Context, resource schema.GroupResource) (*kind.Kind, error) {
	known := kind.Named(kind.Known(), resource)
	if known != nil && typed(known) {
		return known, nil
	}
	versions, err := f.versions(ctx, resource.Group)
	if err != nil {
		return nil, err
	}
	var why error
	for _, version := range versions {
		served, err := f.served(ctx, version, resource.Resource)
		switch {
		case err != nil:
			return nil, err
		case served == nil || known != nil && known.Resource.GroupVersion() != version:
			continue
		case known != nil:
			return known, nil
		}
		if why = f.usable(ctx, version, *served); why == nil {
			return kind.NewScaled(version.WithResource(resource.Resource), served.Kind), nil
		}
	}
	if why == nil && known == nil && len(versions) > 0 && scheme.Scheme.IsGroupRegistered(resource.Group) {
		why = Unusable{errors.New("there is no such resource")}
	}
	return nil, why
}

// versions are those of a group that the cluster has, the preferred one first.
func (f Finder) versions(ctx context.Context, group string) ([]schema.GroupVersion, error) {
	groups, err := f.Discovery.ServerGroupsWithContext(ctx)
	if err != nil {
		return nil, err
	}
	var versions []schema.GroupVersion
	for _, g := range groups.Groups {
		if g.Name != group {
			continue
		}
		for _, v := range append([]metav1.GroupVersionForDiscovery{g.PreferredVersion}, g.Versions...) {
			if version := (schema.GroupVersion{Group: group, Version: v.Version}); !slices.Contains(versions, version) {
				versions = append(versions, version)
			}
		}
	}
	return versions, nil
}

// resource is what the API server says of one.
type resource struct {
	metav1.APIResource
	scale bool // it has that subresource
}

// served is a resource of a version; nil if there is none.
func (f Finder) served(ctx context.Context, version schema.GroupVersion, name string) (*resource, error) {
	list, err := f.Discovery.ServerResourcesForGroupVersionWithContext(ctx, version.String())
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found *resource
	scale := false
	for _, r := range list.APIResources {
		switch r.Name {
		case name:
			found = &resource{APIResource: r}
		case name + "/scale":
			scale = true
		}
	}
	if found != nil {
		found.scale = scale
	}
	return found, nil
}

// usable says why a resource cannot be scaled, if it cannot.
func (f Finder) usable(ctx context.Context, version schema.GroupVersion, r resource) error {
	if !r.scale {
		return Unusable{errors.New("it has no scale subresource, so it has no size that Curfew knows of")}
	}
	if !r.Namespaced {
		return Unusable{errors.New("its objects are in no namespace")}
	}
	path, err := f.sizePath(ctx, version, r.Name)
	if err != nil {
		return err
	}
	if path != "" && path != kind.ReplicasPath {
		return Unusable{fmt.Errorf("its size is %s, and Curfew knows %s only", path, kind.ReplicasPath)}
	}
	return nil
}

// sizePath is where the scale subresource of a custom resource has the size; "" where nobody says.
func (f Finder) sizePath(ctx context.Context, version schema.GroupVersion, name string) (string, error) {
	if scheme.Scheme.IsGroupRegistered(version.Group) { // the API server's own
		return "", nil
	}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	definition, err := f.Objects.Resource(definitions).Get(ctx, name+"."+version.Group, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, v := range versions {
		if fields, ok := v.(map[string]any); ok && fields["name"] == version.Version {
			path, _, _ := unstructured.NestedString(fields, "subresources", "scale", "specReplicasPath")
			return path, nil
		}
	}
	return "", nil
}
