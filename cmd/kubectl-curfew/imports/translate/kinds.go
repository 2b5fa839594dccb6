package translate

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// The kinds that the old tools know by name.
var (
	Deployment  = kind.Deployment.GroupKind()
	StatefulSet = kind.StatefulSet.GroupKind()
	CronJob     = schema.GroupKind{Group: "batch", Kind: "CronJob"}
	Autoscaler  = schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}
	Rollout     = schema.GroupKind{Group: "argoproj.io", Kind: "Rollout"}

	Namespace = schema.GroupKind{Kind: "Namespace"}
)

// others are kinds of which Curfew knows nothing but that they have a scale subresource, and that have one.
var others = []*kind.Kind{
	scaled(Rollout, "v1alpha1"),
	scaled(schema.GroupKind{Group: "zalando.org", Kind: "Stack"}, "v1"),
}

func scaled(gk schema.GroupKind, version string) *kind.Kind {
	resource, _ := meta.UnsafeGuessKindToResource(gk.WithVersion(version))
	return kind.NewScaled(resource, gk.Kind)
}

// KindOf is what Curfew knows objects as that are called that in manifests; nil if it does not scale them.
func KindOf(gk schema.GroupKind) *kind.Kind { return kind.Called(append(kind.Known(), others...), gk) }

// ScaledKind is [KindOf] for what an autoscaler scales, which has a scale subresource unless it is of no use.
func ScaledKind(gvk schema.GroupVersionKind) *kind.Kind {
	if k := KindOf(gvk.GroupKind()); k != nil {
		return k
	}
	if gvk.Group == "" || gvk.Kind == "" || scheme.Scheme.IsGroupRegistered(gvk.Group) {
		return nil
	}
	return scaled(gvk.GroupKind(), gvk.Version)
}

// OfKind is the kind of an object as Curfew knows it; nil if it does not scale it.
func OfKind(o manifest.Object) *kind.Kind {
	if o.Unstructured == nil {
		return nil
	}
	return KindOf(o.GroupVersionKind().GroupKind())
}

// Fit reports what of annotations means nothing on a kind, or is no annotation at all.
func Fit(k *kind.Kind, set map[string]string) annotation.Problems {
	spec, problems := annotation.Parse(set, nil)
	return append(problems, k.Fit(&spec, func(key string) bool { _, ok := set[key]; return ok })...)
}

// TakesNormal reports whether a normal size can be given to objects of a kind.
func TakesNormal(k *kind.Kind) bool {
	spec := annotation.Spec{Replicas: ptr.To[int32](1)}
	return len(k.Fit(&spec, func(key string) bool { return key == annotation.Replicas })) == 0
}

// Resources are kinds as --kinds names them, each once.
func Resources(kinds []*kind.Kind) []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.String())
	}
	slices.Sort(names)
	return slices.Compact(names)
}
