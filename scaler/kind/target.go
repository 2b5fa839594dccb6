package kind

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/client-go/tools/cache"
)

// Target names what an autoscaler scales. Its group and version are left out, for there is no second kind of that name
// which an autoscaler would scale, and those who write manifests are not particular about them.
type Target struct {
	Kind string
	cache.ObjectName
}

// TargetOf is what an autoscaler scales.
func TargetOf(h *autoscalingv2.HorizontalPodAutoscaler) Target {
	target := h.Spec.ScaleTargetRef
	return Target{shared(target.Kind), cache.ObjectName{Namespace: shared(h.Namespace), Name: target.Name}}
}

// AsTarget is an object as autoscalers name it.
func AsTarget(key Key) Target { return Target{key.Kind.Name, key.ObjectName} }

// String is the kind, namespace and name.
func (t Target) String() string { return t.Kind + " " + t.ObjectName.String() }
