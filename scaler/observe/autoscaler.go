package observe

import (
	"cmp"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// Autoscaler is the one of the autoscalers with the same target that counts; nil if there are none. Of several, which
// is a mistake that they report themselves, it is the first by name.
func Autoscaler(found []*autoscalingv2.HorizontalPodAutoscaler) *decide.Autoscaler {
	if len(found) == 0 {
		return nil
	}
	first := slices.MinFunc(found, func(x, y *autoscalingv2.HorizontalPodAutoscaler) int { return cmp.Compare(x.Name, y.Name) })
	return &decide.Autoscaler{Name: first.Name, Min: ptr.Deref(first.Spec.MinReplicas, 1)}
}

// Target names what an autoscaler scales. Its group and version are left out, for there is no second kind of that name
// which an autoscaler would scale, and those who write manifests are not particular about them.
type Target struct {
	Kind string
	cache.ObjectName
}

// TargetOf is what an autoscaler scales.
func TargetOf(h *autoscalingv2.HorizontalPodAutoscaler) Target {
	target := h.Spec.ScaleTargetRef
	return Target{target.Kind, cache.ObjectName{Namespace: h.Namespace, Name: target.Name}}
}

// AsTarget is an object as autoscalers name it.
func AsTarget(key kind.Key) Target { return Target{key.Kind.Name, key.ObjectName} }

// String is the kind, namespace and name.
func (t Target) String() string { return t.Kind + " " + t.ObjectName.String() }
