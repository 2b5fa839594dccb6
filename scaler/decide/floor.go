package decide

import (
	"fmt"

	"curfew/scaler/annotation"
)

// autoscaled says what becomes of a size above 0, which the autoscaler owns.
func (w Workload) autoscaled() string {
	if w.Spec.Floor {
		return "" // it is the autoscaler's minimum, or unheard says why not
	}
	owns := fmt.Sprintf("the HorizontalPodAutoscaler %s owns every size above 0, so this changes nothing; ", w.Autoscaler.Name)
	if owner := w.Autoscaler.Owner; owner != "" {
		return owns + "its minReplicas are set by the " + owner + ", to which it belongs"
	}
	cure := fmt.Sprintf("to have it set the minReplicas there, put %s on that one, or %s: %s here", annotation.Windows, annotation.HPA, annotation.Floor)
	if !w.Floors {
		cure += ", and horizontalpodautoscalers.autoscaling among Curfew's --kinds"
	}
	return owns + cure
}

// unheard says why no autoscaler does as the workload says, where it is to.
func (w Workload) unheard() string {
	const floor = annotation.HPA + ": " + annotation.Floor
	switch {
	case !w.Spec.Floor:
	case w.Autoscaler != nil && w.Autoscaler.Owner != "":
		return fmt.Sprintf("%s changes nothing, for the HorizontalPodAutoscaler %s belongs to the %s, which sets its minReplicas", floor, w.Autoscaler.Name, w.Autoscaler.Owner)
	case !w.Floors:
		return floor + " changes nothing; put horizontalpodautoscalers.autoscaling among Curfew's --kinds"
	case w.Autoscaler == nil:
		return floor + " changes nothing, for Curfew sees no HorizontalPodAutoscaler that targets this"
	case w.Autoscaler.Own:
		return fmt.Sprintf("%s changes nothing, for the HorizontalPodAutoscaler %s has rules of its own", floor, w.Autoscaler.Name)
	}
	return ""
}
