package manifest

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// Kinds tells of which kind objects are that Curfew could look after. Those that it does not know by itself it has once each.
type Kinds struct {
	Told []schema.GroupResource // what the controller looks after; nil if that is not known

	scaled []*kind.Kind // kinds that are known by nothing but their names
}

// Of is the kind of an object that Curfew could look after; nil if it could not. Of what is none of Kubernetes' own kinds,
// only those count that carry annotations of Curfew's or that the controller was told of: whether they have a scale
// subresource no manifest says.
func (k *Kinds) Of(o Object) *kind.Kind {
	gvk := o.GroupVersionKind()
	if known := kind.Called(kind.Known(), gvk.GroupKind()); known != nil {
		if !served(gvk.GroupVersion(), known) {
			return nil
		}
		return known
	}
	if builtIn(gvk.Group) && gvk.GroupKind() != (schema.GroupKind{Kind: "ReplicationController"}) {
		return nil
	}
	resource, _ := meta.UnsafeGuessKindToResource(gvk)
	if !o.annotated() && !slices.Contains(k.Told, resource.GroupResource()) {
		return nil
	}
	i := slices.IndexFunc(k.scaled, func(k *kind.Kind) bool { return k.GroupVersionKind() == gvk })
	if i < 0 {
		i = len(k.scaled)
		k.scaled = append(k.scaled, kind.NewScaled(resource, gvk.Kind))
	}
	return k.scaled[i]
}

// Watched reports whether the controller looks after a kind. Where nobody says which those are, it does so only for what
// it looks after if it is told nothing.
func (k *Kinds) Watched(is *kind.Kind) bool {
	if k.Told == nil {
		return is == kind.Deployment
	}
	return slices.Contains(k.Told, is.Resource.GroupResource())
}

// Meant reports whether the controller looks after an object of a kind, or whoever annotated it means it to.
func (k *Kinds) Meant(o Object, is *kind.Kind) bool {
	return k.Watched(is) || k.Told == nil && o.annotated()
}

// annotated reports whether an object has an annotation of Curfew's, be it text or not.
func (o Object) annotated() bool {
	for key := range o.annotations() {
		if strings.HasPrefix(key, annotation.Prefix) {
			return true
		}
	}
	return false
}

// served reports whether API servers of today take objects of a known kind in a version.
func served(version schema.GroupVersion, k *kind.Kind) bool {
	return version == k.Resource.GroupVersion() || !builtIn(version.Group) || scheme.Scheme.IsVersionRegistered(version) && !strings.Contains(version.Version, "beta")
}

// builtIn reports whether a group is one of Kubernetes' own.
func builtIn(group string) bool {
	return group == "" || scheme.Scheme.IsGroupRegistered(group)
}
