package observe

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/kind"
)

// Trim is the transform of the informers of what has a say in sizes and has none itself: Namespaces, and the autoscalers
// of others. It keeps only what Curfew reads, for the cache holds all of the cluster. What is cached must never be sent
// back as a whole. Objects of other types pass as they are.
func Trim(obj any) (any, error) {
	switch o := obj.(type) {
	case *corev1.Namespace:
		return &corev1.Namespace{ObjectMeta: kind.TrimMeta(o)}, nil
	case *autoscalingv2.HorizontalPodAutoscaler:
		h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: kind.TrimMeta(o)}
		if owner := metav1.GetControllerOfNoCopy(o); owner != nil {
			h.OwnerReferences = []metav1.OwnerReference{{Kind: owner.Kind, Name: owner.Name, Controller: owner.Controller}}
		}
		h.Spec.ScaleTargetRef, h.Spec.MinReplicas = o.Spec.ScaleTargetRef, o.Spec.MinReplicas
		return h, nil
	}
	return obj, nil
}
