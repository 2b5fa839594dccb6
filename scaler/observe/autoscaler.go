package observe

import (
	"cmp"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"curfew/scaler/decide"
)

// Autoscaler is the one of the autoscalers with the same target that counts; nil if there are none. Of several, which
// is a mistake that they report themselves, it is the first by name.
func Autoscaler(found []*autoscalingv2.HorizontalPodAutoscaler) *decide.Autoscaler {
	if len(found) == 0 {
		return nil
	}
	first := slices.MinFunc(found, func(x, y *autoscalingv2.HorizontalPodAutoscaler) int { return cmp.Compare(x.Name, y.Name) })
	return &decide.Autoscaler{Name: first.Name, Min: ptr.Deref(first.Spec.MinReplicas, 1), Own: SaysItself(first.Annotations), Owner: OwnerOf(first)}
}

// OwnerOf is the controller that an autoscaler belongs to, such as ScaledObject worker; "" if there is none.
func OwnerOf(h *autoscalingv2.HorizontalPodAutoscaler) string {
	if owner := metav1.GetControllerOfNoCopy(h); owner != nil {
		return owner.Kind + " " + owner.Name
	}
	return ""
}
