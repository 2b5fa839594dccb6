package timeline

import (
	"cmp"
	"time"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// Kind is how a bar looks.
type Kind string

// The kinds of bars. Those that are no state are told apart by the size.
const (
	KindNormal    Kind = "normal"
	KindDown      Kind = "down" // a rule holds it below normal
	KindUp        Kind = "up"   // a rule holds it above normal
	KindOverride  Kind = "override"
	KindContested Kind = "contested"
	KindInvalid   Kind = "invalid"
	KindPaused    Kind = "paused"
	KindWaiting   Kind = "waiting"
	KindAlone     Kind = "alone"   // Curfew has nothing to do with it
	KindUnknown   Kind = "unknown" // there are too many changes to show
)

// mostSpans is how many bars a workload may have: beyond them nobody could tell one from the other.
const mostSpans = 1000

// spansOf says what becomes of a workload from one instant to another, in order and without gaps; the first starts at
// from, or when the workload was created. Before now it is what its rules meant, for nobody knows any more what was
// overridden, paused or changed by hand; from now on it is what will be. It reports whether that is all of it.
func spansOf(w decide.Workload, from, to, now time.Time) (spans []decide.Span, complete bool) {
	complete = true
	add := func(w decide.Workload, from, to time.Time) {
		if !complete || !from.Before(to) {
			return
		}
		var more []decide.Span
		more, complete = decide.Forecast(w, from, to, mostSpans-len(spans))
		spans = append(spans, more...)
	}
	if w.Created.After(from) {
		from = w.Created
	}
	if from.After(now) {
		add(settled(w, now), from, to)
		return spans, complete
	}
	add(ruled(w, now), from, earlier(now, to))
	past := len(spans)
	add(w, now, to)
	if past < len(spans) && w.Status.State == annotation.StateContested {
		contest(&spans[past], w.Status)
	}
	return joined(spans, past), complete
}

func earlier(x, y time.Time) time.Time {
	if x.Before(y) {
		return x
	}
	return y
}

// contest marks the span that is being contested. It is over when something else is asked for, if not before.
func contest(s *decide.Span, status annotation.Status) {
	switch s.State {
	case annotation.StateWindow, annotation.StateNormal, annotation.StateOverride:
		s.State, s.Message = annotation.StateContested, status.Message
	}
}

// joined makes one of the spans before and after the one at i where they are the same state of affairs.
func joined(spans []decide.Span, i int) []decide.Span {
	if i < 1 || i >= len(spans) {
		return spans
	}
	before, after := &spans[i-1], spans[i]
	if before.State != after.State || before.Size != after.Size || before.Rule != after.Rule || before.Message != after.Message {
		return spans
	}
	before.To = after.To
	return append(spans[:i], spans[i+1:]...)
}

// normalOf is the size of a workload without any window.
func normalOf(w decide.Workload, now time.Time) int32 {
	d := decide.Decide(w, now)
	for _, size := range []*int32{w.Spec.Replicas, d.Status.Normal, d.Remembered, d.Size} {
		if size != nil {
			return *size
		}
	}
	return w.Size
}

// atNormal is a workload at its normal size of which Curfew has said nothing yet.
func atNormal(w decide.Workload, now time.Time) decide.Workload {
	if most, ok := w.NormalMax(); ok {
		ceiling := *w.Ceiling
		ceiling.Max = most
		w.Ceiling = &ceiling
	}
	w.Size, w.Writer = normalOf(w, now), decide.Writer{}
	w.Status, w.Spec.Remembered = annotation.Status{}, nil
	return w
}

// settled is a workload at some later time: at its normal size, unless nobody touches it until then.
func settled(w decide.Workload, now time.Time) decide.Workload {
	if w.Spec.Paused || w.Problems.Grave() {
		return w
	}
	return atNormal(w, now)
}

// ruled is a workload that has its rules and nothing else. One whose rules make no sense was at its normal size for all
// we know, so that nothing counts as saved that may not have been.
func ruled(w decide.Workload, now time.Time) decide.Workload {
	w = atNormal(w, now)
	w.Spec.Paused, w.Spec.Overrides = false, nil
	return w
}

// kindOf is the look of a span of a workload with such a normal size, and a maximum where it has one.
func kindOf(s decide.Span, normal, most int32) Kind {
	switch s.State {
	case "":
		return KindAlone
	case annotation.StateWindow:
		switch cmp.Or(cmp.Compare(s.Size, normal), cmp.Compare(s.Max, most)) {
		case -1:
			return KindDown
		case 1:
			return KindUp
		}
		return KindNormal
	}
	return Kind(s.State)
}
