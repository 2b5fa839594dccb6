package kind

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Known lists the kinds that Curfew knows by itself. Those that are not among them must have a scale subresource.
func Known() []*Kind { return slices.Clone(known) }

var known = []*Kind{
	Deployment,
	StatefulSet,
	CronJob,
	ScaledObject,
	Autoscaler,
}

// Named is the one of some kinds whose objects the API server has under a resource; nil if there is none.
func Named(kinds []*Kind, resource schema.GroupResource) *Kind {
	return first(kinds, func(k *Kind) bool { return k.Resource.GroupResource() == resource })
}

// Called is the one of some kinds whose objects are called that in manifests; nil if there is none.
func Called(kinds []*Kind, name schema.GroupKind) *Kind {
	return first(kinds, func(k *Kind) bool { return k.GroupKind() == name })
}

// IsKnown reports whether Curfew knows a kind by itself, and reads its objects by their types where those are in k8s.io/api.
func IsKnown(k *Kind) bool { return slices.Contains(known, k) }

func first(kinds []*Kind, is func(*Kind) bool) *Kind {
	if i := slices.IndexFunc(kinds, is); i >= 0 {
		return kinds[i]
	}
	return nil
}
