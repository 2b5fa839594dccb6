package translate

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// The kinds that the old tools know by name.
var (
	Deployment  = kind.Deployment.GroupKind()
	StatefulSet = kind.StatefulSet.GroupKind()
	CronJob     = kind.CronJob.GroupKind()
	Autoscaler  = kind.Autoscaler.GroupKind()
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
	own := func(key string) bool { _, ok := set[key]; return ok }
	return append(problems, append(k.Fit(&spec, own), k.FitBounds(&spec, own)...)...)
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
