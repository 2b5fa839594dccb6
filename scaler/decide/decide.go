// Package decide says what size a workload should have now, why, and when that changes. [Decide] is a pure function of
// the workload and an instant: no clock, no client, no state of its own. So a controller that was away, or a second one,
// comes to the same answer.
package decide

import (
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// Workload is all that a decision depends on, apart from the time.
type Workload struct {
	Size     int32 // the size it asks for now, in replicas
	Writer   Writer
	Spec     annotation.Spec
	Problems annotation.Problems
	Status   annotation.Status // what Curfew said last; zero if nothing
}

// Writer is who set the size, as the object's managedFields tell. The zero Writer is nobody known.
type Writer struct {
	Manager string // the field manager
	Scale   bool   // through the scale subresource, as kubectl scale and autoscalers do
	Curfew  bool   // Curfew itself
}

// Reason says why a size is written.
type Reason string

// The reasons to write a size.
const (
	WindowStarted Reason = "WindowStarted"  // a rule holds that did not before
	WindowEnded   Reason = "WindowEnded"    // no rule holds any more, and normal is given back
	NormalHeld    Reason = "NormalHeld"     // no rule holds, and curfew/replicas says what normal is
	Drift         Reason = "DriftCorrected" // somebody else changed the size
	RulesRemoved  Reason = "RulesRemoved"   // there are no rules any more, and normal is given back
)

// Decision is what should be true of a workload now.
type Decision struct {
	Size       *int32            // the size to have; nil: hands off
	Reason     Reason            // why, where Size is not what the workload has
	Remembered *int32            // the memory to keep; nil: none
	Status     annotation.Status // zero: none
	Next       time.Time         // when to decide again though nothing changed; zero: never
}

// Decide says what should be true of a workload at an instant.
func Decide(w Workload, now time.Time) Decision {
	switch {
	case len(w.Problems) > 0:
		return leaveAsItStands(w)
	case w.Spec.Schedule == nil:
		return letGo(w)
	}
	state := w.Spec.Schedule.At(now)
	if state.Size.IsNormal() {
		return outside(w, now)
	}
	return inside(w, state, now)
}

// inside decides while a window holds.
func inside(w Workload, state timewindow.State, now time.Time) Decision {
	normal, known := w.normal()
	size := state.Size.Of(normal)
	rule := w.Spec.Schedule.Rules()[state.Rule]
	d := Decision{Size: &size, Reason: WindowStarted}
	if held, _, ok := w.Status.Holding(); ok && (held == size || w.Status.Rule == rule.Text()) {
		d.Reason = Drift
	}
	if w.Spec.Replicas == nil && known && (size != normal || w.Spec.Remembered != nil) {
		d.Remembered = &normal
	}
	d.Next = turn(w.Spec.Schedule, normal, size, now)
	d.Status = annotation.Status{State: annotation.StateWindow, Size: &size, Rule: rule.Text(), Until: in(d.Next, w.Spec.Zone)}
	if known {
		d.Status.Normal = &normal
	}
	if stands(w.Status, d.Status, w.Spec.Schedule) {
		d.Status.Rule = w.Status.Rule
	}
	return d
}

// outside decides while no window holds.
func outside(w Workload, now time.Time) Decision {
	var d Decision
	d.Next, _ = w.Spec.Schedule.Next(now)
	d.Status = annotation.Status{State: annotation.StateNormal, Until: in(d.Next, w.Spec.Zone)}
	normal, _ := w.normal()
	_, _, held := w.Status.Holding()
	switch {
	case w.Spec.Replicas != nil:
		d.Size, d.Status.Size = &normal, &normal
		d.Reason = NormalHeld
		if held {
			d.Reason = WindowEnded
		} else if w.Status.Size != nil && *w.Status.Size == normal {
			d.Reason = Drift
		}
	case w.taken():
		d.Size, d.Reason = &normal, WindowEnded
	}
	return d
}

// letGo decides for a workload without rules, or one that opted out: what was taken from it is given back, and nothing
// of Curfew's stays on it.
func letGo(w Workload) Decision {
	if !w.taken() {
		return Decision{}
	}
	normal, _ := w.normal()
	return Decision{Size: &normal, Reason: RulesRemoved}
}

// leaveAsItStands decides for a workload whose annotations have a mistake. What the status knew of the window that held
// it is kept, for the moment when the mistake is mended.
func leaveAsItStands(w Workload) Decision {
	d := Decision{
		Remembered: w.Spec.Remembered,
		Status:     annotation.Status{State: annotation.StateInvalid, Message: w.Problems.Summary()},
	}
	if size, normal, ok := w.Status.Holding(); ok {
		d.Status.Size, d.Status.Normal = &size, &normal
	}
	return d
}

// normal is the workload's size without any window: as given, as the owner changed it while a window held it, as
// remembered, or else what it has now. It is not known when what it has now was set by Curfew and the memory of it is lost.
func (w Workload) normal() (size int32, known bool) {
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
	return w.Size, !w.Writer.Curfew
}

// restated reports whether the owner has said anew what normal is: somebody other than Curfew wrote another size, above
// 0, on the object itself while a window held it. A change through the scale subresource is not the owner's word.
func (w Workload) restated() bool {
	held, _, ok := w.Status.Holding()
	if !ok && w.Spec.Remembered == nil || ok && held == w.Size {
		return false
	}
	return w.Size > 0 && w.Writer.Manager != "" && !w.Writer.Scale && !w.Writer.Curfew
}

// taken reports whether a window has taken the workload from its normal size.
func (w Workload) taken() bool {
	held, normal, ok := w.Status.Holding()
	return w.Spec.Remembered != nil || ok && held != normal
}

// mostTurns bounds the neighbours that turn looks at. Rules that go on for ever in equal sizes are rare, and a
// needless look at the next neighbour costs nothing but itself.
const mostTurns = 16

// turn is the next instant at which a rule no longer gives the size; zero if never. Sizes that are written differently
// and come to the same, such as 2 and 50% of 4, are one window.
func turn(s *timewindow.Schedule, normal, size int32, now time.Time) time.Time {
	at := now
	for range mostTurns {
		next, ok := s.Next(at)
		if !ok {
			return time.Time{}
		}
		at = next
		if then := s.At(at).Size; then.IsNormal() || then.Of(normal) != size {
			break
		}
	}
	return at
}

// stands reports whether the old status says the same as the new one but for the rule, and its rule is still there. Two
// rules of equal size that follow each other are one window, with no write between them.
func stands(was, is annotation.Status, s *timewindow.Schedule) bool {
	if !was.Until.Equal(is.Until) || !ptr.Equal(was.Size, is.Size) || !ptr.Equal(was.Normal, is.Normal) {
		return false
	}
	return slices.ContainsFunc(s.Rules(), func(r timewindow.Rule) bool { return r.Text() == was.Rule })
}

func in(t time.Time, zone *time.Location) time.Time {
	if t.IsZero() {
		return t
	}
	return t.In(zone)
}
