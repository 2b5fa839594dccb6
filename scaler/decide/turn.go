package decide

import (
	"fmt"

	"curfew/scaler/annotation"
)

// Paced reports whether a decision wakes a workload by the clock, so that it has to wait for its turn. What a person asks
// for is done at once.
func (d Decision) Paced(w Workload) bool {
	return d.Size != nil && *d.Size > w.Size && (d.Reason == WindowStarted || d.Reason == WindowEnded)
}

// Waiting is the decision about a workload whose turn to wake has not come: it is left as it is until then.
func (d Decision) Waiting(w Workload) Decision {
	if d.Status.State == "" { // it is being let go: a note that it waits would look as if it had rules
		letGo := Decision{Remembered: w.Spec.Remembered, Status: w.Status, Next: d.Next}
		_, letGo.RememberedMax = w.ceilings()
		return letGo
	}
	waiting := asItStands(w, annotation.StateWaiting, join(w.turn(), w.Problems.Summary()))
	waiting.Next = d.Next
	return waiting
}

// InTurn reports whether a status says that a workload waits for its turn to wake, and not that it is new.
func InTurn(s annotation.Status) bool {
	return s.State == annotation.StateWaiting && s.Until.IsZero()
}

// turn says what a workload waits for.
func (w Workload) turn() string {
	if w.Spec.Wave == nil {
		return "waits for its turn to wake"
	}
	return fmt.Sprintf("waits for its turn to wake, in wave %d", *w.Spec.Wave)
}

// Lowers reports whether a workload goes down at the next boundary, if nothing happens until then.
func (d Decision) Lowers(w Workload) bool {
	if d.Next.IsZero() {
		return false
	}
	then := w.after(d)
	next := Decide(then, d.Next)
	return next.Size != nil && *next.Size < then.Size
}
