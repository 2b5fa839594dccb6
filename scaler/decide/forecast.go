package decide

import (
	"time"

	"curfew/scaler/annotation"
)

// Span is a stretch of time in which a workload is the same size for the same reason.
type Span struct {
	From, To time.Time        // To is not included
	State    annotation.State // "" where Curfew has nothing to do with it
	Size     int32            // in replicas
	Max      int32            // the maximum that goes with it; 0 where there is none
	Held     bool             // Curfew holds it at Size; else it may be changed by others, and Size is what it has or is given back
	Rule     string           // the rule that holds, as its author wrote it
	Message  string           // what is wrong or in the way
}

// Forecast says what becomes of a workload from one instant to another, if everybody but Curfew leaves it alone: the
// decisions of [Decide], each made on what the one before has left. At most so many spans are returned; it reports
// whether they reach the end.
func Forecast(w Workload, from, to time.Time, most int) ([]Span, bool) {
	var spans []Span
	for now := from; now.Before(to); {
		d := Decide(w, now)
		next := to
		if at := w.steady(d, now); at.After(now) && at.Before(to) {
			next = at
		}
		w = w.after(d)
		s := Span{From: now, To: next, State: d.Status.State, Size: w.Size, Rule: d.Status.Rule, Message: d.Status.Message}
		if w.Ceiling != nil {
			s.Max = w.Ceiling.Max
		}
		switch s.State {
		case annotation.StateWindow, annotation.StateNormal, annotation.StateOverride:
			s.Held = d.Status.Size != nil
		}
		if last := len(spans) - 1; last >= 0 && spans[last].continues(s) {
			spans[last].To = next
		} else if len(spans) == most {
			return spans, false
		} else {
			spans = append(spans, s)
		}
		now = next
	}
	return spans, true
}

// steady is the instant up to which a decision holds; zero for ever. Where the controller only looks again because no end
// is in sight, the schedule knows how far it has looked.
func (w Workload) steady(d Decision, now time.Time) time.Time {
	if w.Spec.Schedule == nil || !d.Status.Until.IsZero() || d.Next.IsZero() {
		return d.Next
	}
	if far := w.Timetable().Steady(now); far.After(d.Next) {
		return far
	}
	return d.Next
}

// after is the workload when a decision about it has been carried out.
func (w Workload) after(d Decision) Workload {
	w.Status = d.Status
	w.Spec.Remembered = d.Remembered
	if d.Size != nil && *d.Size != w.Size {
		w.Size, w.Writer = *d.Size, Writer{Manager: "curfew", Curfew: true}
	}
	w.afterMax(d)
	return w
}

// continues reports whether a span is the same state of affairs as the one before it.
func (s Span) continues(next Span) bool {
	next.From, next.To = s.From, s.To
	return s == next
}
