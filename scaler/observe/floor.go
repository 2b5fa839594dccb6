package observe

import (
	"fmt"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/timewindow"
)

// IsFloor reports whether what an object says is its autoscaler's to do as well. A mistake in how it says so is both's.
func IsFloor(annotations map[string]string) bool {
	_, ok := annotations[annotation.HPA]
	return ok
}

// SaysItself reports whether an autoscaler has rules, so that it does not do as its target says.
func SaysItself(annotations map[string]string) bool {
	_, ok := annotations[annotation.Windows]
	return ok
}

// Floor is the workload of an autoscaler that does as its target says: unless it says so itself, with the target's rules,
// at the target's instants. What is 0 there is normal here, for the autoscaler of what sleeps has nothing to do. An override
// of its own comes before all that. The target may be nil, and has such a Namespace as for [Workload].
func Floor(w decide.Workload, o, target *kind.Object, namespace map[string]string, s Settings) decide.Workload {
	if target == nil || target.Unfit != "" || !IsFloor(target.Annotations) || o.Unfit != "" || SaysItself(o.Annotations) {
		return w
	}
	from := Workload(target, namespace, nil, s)
	if from.Problems.Grave() {
		problem := fmt.Sprintf("it is to do as the %s %s says, which has a mistake: %s", target.Kind.Name, target.Name, from.Problems.Summary())
		w.Problems = append(w.Problems, annotation.Problem{Key: annotation.HPA, Detail: problem, Fault: timewindow.Fault{Problem: problem}})
		return w
	}
	from.Spec.Resize(awake)
	w.Spec.Schedule = from.Spec.Schedule
	w.Spec.Overrides = append(w.Spec.Overrides, from.Spec.Overrides...) // its own is the nearest
	w.Spec.Zone = from.Spec.Zone
	w.Spec.Lead, w.Spec.Spread, w.Shift = from.Spec.Lead, from.Spec.Spread, from.Shift
	if _, own := o.Annotations[annotation.Paused]; !own {
		w.Spec.Paused = from.Spec.Paused
	}
	if w.Spec.Grace == nil {
		w.Spec.Grace = from.Spec.Grace
	}
	if w.Spec.Wave == nil {
		w.Spec.Wave = from.Spec.Wave
	}
	return w
}

// awake is what a size of a target that may sleep is for its autoscaler.
func awake(size timewindow.Size) timewindow.Size {
	if kind.IsZero(size) {
		return timewindow.Normal
	}
	return size
}
