package decide

import (
	"time"

	"curfew/scaler/annotation"
)

// Workload is all that a decision depends on, apart from the time.
type Workload struct {
	Size       int32 // the size it asks for now, in replicas
	Writer     Writer
	Spec       annotation.Spec
	Problems   annotation.Problems
	Status     annotation.Status // what Curfew said last; zero if nothing
	Shift      time.Duration     // how much later than the rules say its boundaries come, in whole seconds: its share of the spread
	Created    time.Time
	Grace      time.Duration // how long a new workload is left as it is, where it does not say so itself
	Autoscaler *Autoscaler   // the one that targets the workload; nil: none
	Floors     bool          // autoscalers are looked after too, so that what the workload says may be about its own
	Ceiling    *Ceiling      // its maximum, where its size is a minimum; nil: it has none
}

// Writer is who set the size, as the object's managedFields tell. The zero Writer is nobody known.
type Writer struct {
	Manager string // the field manager
	Scale   bool   // through the scale subresource, as kubectl scale and autoscalers do
	Curfew  bool   // Curfew itself
	Unsaid  bool   // nobody owns the size, for it is what is so where nothing is said: who wanted that has left no name
}

// Autoscaler is a HorizontalPodAutoscaler. It owns the size of its target above 0, and leaves a target at 0 alone.
type Autoscaler struct {
	Name  string
	Min   int32  // its minReplicas
	Own   bool   // it has rules of its own
	Owner string // the controller that it belongs to, such as ScaledObject worker; "": none
}

// Normal is the workload's size without any window: as given, as the owner changed it while a window held it, as
// remembered, or else what it has now, be it that Curfew gave it that back. A 0 that Curfew wrote, and nothing is left to
// say why, is not known to be normal: it was a window's, and somebody has thrown the memory away.
func (w Workload) Normal() (size int32, known bool) {
	if w.Spec.Replicas != nil {
		return *w.Spec.Replicas, true
	}
	_, before, held := w.Status.Holding()
	switch {
	case w.restated():
		return w.Size, true
	case w.Spec.Remembered != nil:
		return *w.Spec.Remembered, true
	case held:
		return before, true
	}
	return w.Size, !w.lost()
}

// lost reports whether Curfew has set the workload to 0 and nothing is left to say what it was before. Where there is a
// status, it would say so if a window held it.
func (w Workload) lost() bool {
	unsaid := w.Status == (annotation.Status{}) || w.Status.Size != nil && w.Status.State != annotation.StateNormal
	return w.Size == 0 && w.Writer.Curfew && unsaid
}

// restated reports whether the owner has said anew what normal is: somebody other than Curfew wrote another size, above
// 0, on the object itself while a window held it. A change through the scale subresource is not the owner's word.
func (w Workload) restated() bool {
	held, _, ok := w.Status.Holding()
	if !ok && w.Spec.Remembered == nil || ok && held == w.Size {
		return false
	}
	return w.Size > 0 && w.Writer.isOwner()
}

// isOwner reports whether the writer is somebody other than Curfew who wrote the object itself.
func (w Writer) isOwner() bool { return (w.Manager != "" || w.Unsaid) && !w.Scale && !w.Curfew }

// taken reports whether a window has taken the workload from its normal size.
func (w Workload) taken() bool {
	held, normal, ok := w.Status.Holding()
	return w.Spec.Remembered != nil || ok && held != normal || w.takenMax()
}

// isNew reports whether the workload counts as new. One that was made in the future, by a clock that has been set back
// since or that goes behind the API server's, is new only as long as one that was made as far in the past would be.
func (w Workload) isNew(now time.Time) bool { return now.Sub(w.Created).Abs() < w.grace() }

// graceEnd is until when a workload that is new counts as that.
func (w Workload) graceEnd() time.Time { return w.Created.Add(w.grace()) }

// grace is how long the workload counts as new.
func (w Workload) grace() time.Duration {
	if w.Spec.Grace != nil {
		return *w.Spec.Grace
	}
	return w.Grace
}
