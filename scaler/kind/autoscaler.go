package kind

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/timewindow"
)

// Autoscaler is the HorizontalPodAutoscaler. Its size is its minReplicas, below which its target never goes while that is
// awake, and with a range its maxReplicas too. What a Namespace says for its workloads is said for its target.
var Autoscaler = &Kind{
	Resource: autoscalingv2.SchemeGroupVersion.WithResource("horizontalpodautoscalers"), Name: "HorizontalPodAutoscaler",
	Sizer: autoscaler{},
}

type autoscaler struct{}

// Read takes the size from spec.minReplicas. It is up as soon as it is written, for whether its target is up is to be seen
// there.
func (autoscaler) Read(from runtime.Object, o *Object) error {
	var h *autoscalingv2.HorizontalPodAutoscaler
	if err := as(from, &h); err != nil {
		return err
	}
	o.Size = ptr.Deref(h.Spec.MinReplicas, 1)
	o.Available, o.Seen = maxSize, o.Generation
	o.Ceiling = &decide.Ceiling{Max: h.Spec.MaxReplicas}
	target := TargetOf(h)
	o.Target = &target
	return nil
}

// Fields is spec.minReplicas.
func (autoscaler) Fields() [][]string { return [][]string{{"f:spec", "f:minReplicas"}} }

// MaxFields is spec.maxReplicas.
func (autoscaler) MaxFields() [][]string { return [][]string{{"f:spec", "f:maxReplicas"}} }

// Write sets spec.minReplicas.
func (autoscaler) Write(_ *Object, size int32, patch Patch) { patch.Set(size, "spec", "minReplicas") }

// WriteMax sets spec.maxReplicas.
func (autoscaler) WriteMax(most int32, patch Patch) { patch.Set(most, "spec", "maxReplicas") }

// Fit refuses 0, at which no autoscaler has anything to do.
func (autoscaler) Fit(spec *annotation.Spec, own func(key string) bool) annotation.Problems {
	const problem, cure = "a HorizontalPodAutoscaler cannot go to 0", "put 0 on its target, which pauses it for as long"
	problems := spec.RefuseSizes(own, func(size timewindow.Size) (string, string) {
		if IsZero(size) {
			return problem, cure
		}
		return "", ""
	})
	if spec.Replicas != nil && *spec.Replicas == 0 {
		problems = append(problems, refusal(annotation.Replicas, problem, cure))
	}
	return problems
}

// IsZero reports whether a size is 0 of however many.
func IsZero(size timewindow.Size) bool { return size.Of(timewindow.MaxReplicas) == 0 }
