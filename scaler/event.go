package scaler

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// The reasons of Warning events. Those of Normal events are the reasons of package decide.
const (
	EventInvalidAnnotation = "InvalidAnnotation" // an annotation has a mistake; the object is left as it stands
	EventWriteRefused      = "WriteRefused"      // the API server does not let Curfew write
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

func (e eventWriter) scaled(d *appsv1.Deployment, from, to int32, decision decide.Decision) {
	e.write(d, corev1.EventTypeNormal, string(decision.Reason), actionScale, scaledNote(from, to, decision))
}

func (e eventWriter) invalid(d *appsv1.Deployment, problems annotation.Problems) {
	e.write(d, corev1.EventTypeWarning, EventInvalidAnnotation, actionRead, problems.Summary()+" (left as it stands)")
}

func (e eventWriter) refused(d *appsv1.Deployment, err error) {
	e.write(d, corev1.EventTypeWarning, EventWriteRefused, actionScale, err.Error())
}

func (e eventWriter) write(d *appsv1.Deployment, kind, reason, action, note string) {
	if len(note) > longestNote {
		note = note[:longestNote-3] + "..."
	}
	e.recorder.Eventf(d, nil, kind, reason, action, "%s", note)
}

func scaledNote(from, to int32, decision decide.Decision) string {
	note := fmt.Sprintf("Scaled from %d to %d: ", from, to)
	switch decision.Reason {
	case decide.RulesRemoved:
		return note + "there are no rules any more"
	case decide.WindowEnded:
		note += "no rule holds any more"
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
