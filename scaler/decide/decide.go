// Package decide says what size a workload should have now, why, and when that changes. [Decide] is a pure function of
// the workload and an instant: no clock, no client, no state of its own. So a controller that was away, or a second one,
// comes to the same answer.
package decide

import (
	"fmt"
	"time"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// Reason says why a size is written.
type Reason string

// The reasons to write a size.
const (
	WindowStarted Reason = "WindowStarted"  // a rule holds that did not before
	WindowEnded   Reason = "WindowEnded"    // nothing holds any more, and normal is given back
	Overridden    Reason = "Overridden"     // an override holds
	NormalHeld    Reason = "NormalHeld"     // no rule holds, and curfew/replicas says what normal is
	Drift         Reason = "DriftCorrected" // somebody else changed the size
	RulesRemoved  Reason = "RulesRemoved"   // there are no rules any more, and normal is given back
)

// Reasons lists every reason.
func Reasons() []Reason {
	return []Reason{WindowStarted, WindowEnded, Overridden, NormalHeld, Drift, RulesRemoved}
}

// Decision is what should be true of a workload now.
type Decision struct {
	Size          *int32            // the size to have; nil: hands off
	Max           *int32            // the maximum to give it; nil: leave it, or there is none
	Reason        Reason            // why, where Size is not what the workload has
	Remembered    *int32            // the memory to keep; nil: none
	RememberedMax *int32            // and of the maximum
	Status        annotation.Status // zero: none
	Next          time.Time         // when to decide again though nothing changed; zero: never

	bounded   bool // the workload has a maximum
	illegible bool // the memory may be the mistake, which is its author's to mend: it stays as it is written
}

// Decide says what should be true of a workload at an instant. What is asked comes from, in this order: a grave mistake
// or a pause, which leave it as it stands; the nearest override that is still running; the first rule that holds; normal.
func Decide(w Workload, now time.Time) Decision {
	asked, some := w.demand(now)
	var d Decision
	switch {
	case w.Problems.Grave():
		d = asItStands(w, annotation.StateInvalid, w.Problems.Summary())
		d.illegible = true
		return d
	case !some && (!w.Spec.Paused || !w.taken()):
		d = Release(w)
		if len(w.Problems) > 0 { // there is nothing else to say
			d.Status = annotation.Status{State: annotation.StateInvalid, Message: w.Problems.Summary()}
		}
		return d
	case w.Spec.Paused:
		d = asItStands(w, annotation.StatePaused, "")
	case w.isNew(now):
		d = young(w, asked, now)
	default:
		d = settle(w, asked, now)
	}
	if asked.state == annotation.StateOverride && (d.Next.IsZero() || asked.until.Before(d.Next)) {
		d.Next = asked.until // then there may be nobody who asks for anything
	}
	d.Status.Message = join(join(d.Status.Message, w.unheard()), w.Problems.Summary())
	return d
}

// young decides for a workload that is new. It is left as it is, but for one that a window has taken all the same: that is
// held, and given back.
func young(w Workload, asked demand, now time.Time) Decision {
	var d Decision
	if w.taken() {
		d = settle(w, asked, now)
	}
	if !w.after(d).taken() {
		d.Next = w.graceEnd()
		d.Status = annotation.Status{State: annotation.StateWaiting, Until: in(d.Next, w.Spec.Zone), Message: "new, and left as it is for now"}
	}
	return d
}

// settle decides for a workload that something is asked of.
func settle(w Workload, asked demand, now time.Time) Decision {
	normal, _ := w.Normal()
	switch size := asked.size.Of(normal); {
	case asked.size.IsNormal():
		return outside(w, asked, now)
	case w.Autoscaler != nil && size > 0:
		d := outside(w, asked, now)
		d.Status.Message = w.autoscaled()
		return d
	}
	return inside(w, asked, now)
}

// inside decides while a window or an override gives the size.
func inside(w Workload, asked demand, now time.Time) Decision {
	normal, known := w.Normal()
	size := asked.size.Of(normal)
	if !known && size > 0 {
		normal, known = size, true // all that there is to go by, as it will be at the next look
	}
	d := Decision{Size: &size, Reason: WindowStarted}
	if asked.state == annotation.StateOverride {
		d.Reason = Overridden
	}
	if held, _, ok := w.Status.Holding(); ok && (held == size && w.holdsMax(asked.size) || asked.rule != "" && w.Status.Rule == asked.rule) {
		d.Reason = Drift
	}
	if w.Spec.Replicas == nil && known && (size != normal || w.Spec.Remembered != nil) {
		d.Remembered = &normal
	}
	end := w.end(asked, normal, size, now)
	d.Next = end.next(now)
	d.Status = annotation.Status{State: asked.state, Size: &size, Rule: asked.rule, Until: in(end.at, w.Spec.Zone)}
	if known {
		d.Status.Normal = &normal
	}
	w.bound(&d, asked.size)
	return w.standing(d)
}

// outside decides while the size is normal, or an autoscaler's.
func outside(w Workload, asked demand, now time.Time) Decision {
	normal, _ := w.Normal()
	d := Decision{Reason: WindowEnded}
	if asked.state == annotation.StateOverride {
		d.Reason = Overridden
	}
	d.Status = annotation.Status{State: asked.state, Rule: asked.rule}
	switch {
	case w.Autoscaler != nil:
		d.Size = wake(w, normal)
		if w.Spec.Replicas != nil {
			d.Status.Message = fmt.Sprintf("the HorizontalPodAutoscaler %s owns the size; %s is only what a window of 0 gives back to it", w.Autoscaler.Name, annotation.Replicas)
		}
	case w.Spec.Replicas != nil:
		d.Size, d.Status.Size = &normal, &normal
		switch _, _, held := w.Status.Holding(); {
		case held:
		case w.Status.Size != nil && *w.Status.Size == normal:
			d.Reason = Drift
		case asked.state != annotation.StateOverride:
			d.Reason = NormalHeld
		}
	case w.taken():
		d.Size = &normal
	}
	w.bound(&d, timewindow.Normal)
	free := w.after(d) // let go, its normal size may be another
	normal, _ = free.Normal()
	end := free.end(asked, normal, asked.size.Of(normal), now)
	d.Next, d.Status.Until = end.next(now), in(end.at, w.Spec.Zone)
	return w.standing(d)
}

// wake is the size at which an autoscaler gets a workload back that a window holds at 0: it does not leave 0 by itself.
// It is nil where there is nothing to give back.
func wake(w Workload, normal int32) *int32 {
	if !w.taken() || w.Size > 0 {
		return nil
	}
	size := max(normal, w.Autoscaler.Min)
	return &size
}

// Release decides for a workload that is to be let go for good, because it has no rules any more or opted out, or
// because Curfew leaves: what was taken from it is given back, and nothing that Curfew wrote stays on it.
func Release(w Workload) Decision {
	if !w.taken() {
		return Decision{}
	}
	normal, _ := w.Normal()
	d := Decision{Size: &normal, Reason: RulesRemoved}
	if w.Status.State == annotation.StateOverride {
		d.Reason = WindowEnded
	}
	if w.Autoscaler != nil {
		d.Size = wake(w, normal)
	}
	w.bound(&d, timewindow.Normal)
	return d
}

// asItStands decides for a workload that must not be touched. What the status knew of the window that held it is kept,
// for the moment when it may be touched again.
func asItStands(w Workload, state annotation.State, message string) Decision {
	d := Decision{Remembered: w.Spec.Remembered, Status: annotation.Status{State: state, Message: message}}
	if size, normal, ok := w.Status.Holding(); ok {
		d.Status.Size, d.Status.Normal = &size, &normal
	}
	w.keepMax(&d)
	return d
}

func in(t time.Time, zone *time.Location) time.Time {
	if t.IsZero() {
		return t
	}
	return t.In(zone)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
