package scaler

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// The reasons of Warning events. Those of Normal events are the reasons of package decide.
const (
	EventInvalidAnnotation = "InvalidAnnotation" // an annotation has a mistake
	EventContested         = "ReplicasContested" // somebody else keeps changing the size
	EventWriteRefused      = "WriteRefused"      // the API server does not let Curfew write
	EventWakeTimedOut      = "WakeTimedOut"      // what was woken is not up in time, so others do not wait for it any more
)

// What Curfew was about, in the action of an event.
const (
	actionScale = "Scale"
	actionRead  = "ReadAnnotations"
)

// longestNote is how many bytes the API server takes.
const longestNote = 1024

// eventWriter says on the object what was done to it.
type eventWriter struct{ recorder events.EventRecorder }

// changed tells what a write was about: a size, a mistake that was not known before, a contest that begins.
func (e eventWriter) changed(l look) {
	if l.change.Resizes() {
		e.write(l.object, corev1.EventTypeNormal, string(l.decision.Reason), actionScale, scaledNote(l))
	}
	was, is := l.workload.Status, l.decision.Status
	if summary := l.workload.Problems.Summary(); summary != "" && !strings.Contains(was.Message, summary) {
		if is.State == annotation.StateInvalid && !l.change.Resizes() {
			summary += " (left as it stands)"
		}
		e.write(l.object, corev1.EventTypeWarning, EventInvalidAnnotation, actionRead, summary)
	}
	if is.State == annotation.StateContested && was.State != annotation.StateContested {
		e.write(l.object, corev1.EventTypeWarning, EventContested, actionScale, is.Message)
	}
}

// namespace tells of the mistakes on a Namespace.
func (e eventWriter) namespace(ns *corev1.Namespace, problems annotation.Problems) {
	e.write(ns, corev1.EventTypeWarning, EventInvalidAnnotation, actionRead, problems.Summary())
}

func (e eventWriter) refused(o *kind.Object, err error) {
	e.write(o, corev1.EventTypeWarning, EventWriteRefused, actionScale, err.Error())
}

// timedOut says nothing that differs from one look to the next, so that its name is the same after a restart.
func (e eventWriter) timedOut(o *kind.Object, size int32, woken time.Time, timeout time.Duration) {
	e.write(o, corev1.EventTypeWarning, EventWakeTimedOut, actionScale, fmt.Sprintf(
		"Woken to %d at %s and not available after %v; others wait for it no longer", size, woken.UTC().Format(time.RFC3339), timeout))
}

func (e eventWriter) write(object runtime.Object, kind, reason, action, note string) {
	if len(note) > longestNote {
		note = strings.ToValidUTF8(note[:longestNote-3], "") + "..."
	}
	e.recorder.Eventf(object, nil, kind, reason, action, "%s", note)
}

func scaledNote(l look) string {
	from, to := l.resized()
	note, decision := fmt.Sprintf("Scaled from %v to %v: ", from, to), l.decision
	switch decision.Reason {
	case decide.RulesRemoved:
		return note + "there are no rules any more"
	case decide.WindowEnded:
		note += "nothing holds it any more"
	case decide.Overridden:
		note += annotation.OverrideKey + " says so"
	case decide.NormalHeld:
		note += "no rule holds, and " + annotation.Replicas + " says so"
	case decide.Drift:
		note += "somebody else had changed it"
		if decision.Status.Rule != "" {
			note += ", against the rule " + decision.Status.Rule
		}
	default:
		note += "the rule " + decision.Status.Rule
	}
	if until := decision.Status.Until; !until.IsZero() {
		note += ", until " + until.Format(time.RFC3339)
	}
	return note
}
