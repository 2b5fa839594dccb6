package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// inputs are all that the decision is made from, besides the rules and overrides themselves.
func inputs(s live.Subject, now time.Time) []Input {
	list := []Input{
		windowsInput(s), zoneInput(s), normalInput(s), sizeInput(s), rememberedInput(s),
		pausedInput(s), graceInput(s, now),
	}
	return append(append(list, timing(s)...), scalerInput(s), namespaceInput(s))
}

// of says which object an annotation stands on, and whether another one is replaced by it.
func of(s live.Subject, key string, from live.Source) string {
	text := fmt.Sprintf("%s of the %s", key, from)
	if _, also := s.Inherited[key]; also && from == s.Self() {
		text += ", which replaces the Namespace's"
	}
	return text
}

func windowsInput(s live.Subject) Input {
	in := Input{Name: "Rules", Value: "none"}
	text, from := s.Annotation(annotation.Windows)
	if from == "" {
		in.From = "nobody gives any"
		return in
	}
	in.From = of(s, annotation.Windows, from)
	schedule := s.Workload.Spec.Schedule
	switch {
	case schedule != nil && len(schedule.Rules()) == 1:
		in.Value = "1"
	case schedule != nil:
		in.Value = fmt.Sprint(len(schedule.Rules()))
	case !annotation.IsOptOut(text):
		in.Value = "unreadable"
	case from == s.Self():
		in.Value = "opted out"
	}
	return in
}

func zoneInput(s live.Subject) Input {
	in := Input{Name: "Time zone", Value: s.Workload.Spec.Zone.String()}
	switch text, from := s.Annotation(annotation.Timezone); {
	case from != "" && s.Workload.Problems.About(annotation.Timezone) != nil:
		in.Value, in.From = output.Safe(text), of(s, annotation.Timezone, from)+", which is none"
	case from != "":
		in.From = of(s, annotation.Timezone, from)
	case s.Workload.Spec.Schedule != nil && s.Zone != s.Workload.Spec.Zone:
		in.Value, in.From = s.Zone.String(), "the rules themselves"
	default:
		in.From = "nobody names one; give the controller's own with --timezone"
	}
	return in
}

func normalInput(s live.Subject) Input {
	w := s.Workload
	in := Input{Name: "Normal size"}
	normal, known := w.Normal()
	most, _ := w.NormalMax()
	in.Value = live.Size(s.Object.Kind, normal, most)
	_, before, held := w.Status.Holding()
	remembered := w.Spec.Remembered
	if remembered == nil && held {
		remembered = &before
	}
	switch {
	case !known:
		in.Value, in.From = "unknown", "Curfew set the 0, and what it remembered has been removed"
	case w.Spec.Replicas != nil:
		in.From = fmt.Sprintf("%s of the %s", annotation.Replicas, s.Self())
	case remembered != nil && *remembered == normal:
		in.From = "what Curfew remembers"
	case remembered != nil:
		in.From = fmt.Sprintf("what %s wrote meanwhile", w.Writer)
	case live.IsSwitch(s.Object.Kind):
		in.From = "what it is"
	default:
		in.From = "what it asks for; " + annotation.Replicas + " is not there"
	}
	return in
}

func sizeInput(s live.Subject) Input {
	w := s.Workload
	writer := w.Writer.String()
	if w.Writer.Curfew {
		writer = "Curfew"
	}
	return Input{"Size it asks for", live.Size(s.Object.Kind, w.Size, live.MaxOf(w)), field(s.Object.Kind) + ", set by " + writer}
}

func rememberedInput(s live.Subject) Input {
	in := Input{Name: "Remembered size", Value: "none"}
	text, ok := s.Object.Annotations[annotation.Remembered]
	switch remembered := s.Workload.Spec.Remembered; {
	case remembered != nil:
		in.Value, in.From = output.Safe(text), annotation.Remembered+", which Curfew wrote"
	case ok:
		in.Value, in.From = output.Safe(text), annotation.Remembered+", which is no number"
	}
	return in
}

func pausedInput(s live.Subject) Input {
	in := Input{Name: "Paused", Value: "no"}
	text, from := s.Annotation(annotation.Paused)
	if from == "" {
		return in
	}
	in.From = of(s, annotation.Paused, from)
	switch text {
	case "true":
		in.Value = "yes"
	case "false":
	default:
		in.Value = output.Safe(text)
	}
	return in
}

func graceInput(s live.Subject, now time.Time) Input {
	w := s.Workload
	age := duration.HumanDuration(now.Sub(w.Created))
	in := Input{Name: "Left alone when new", Value: "no", From: fmt.Sprintf("%s is not there; it was created %s ago", annotation.Grace, age)}
	grace := w.Grace
	if w.Spec.Grace != nil {
		grace = *w.Spec.Grace
		in.From = fmt.Sprintf("%s of the %s; it was created %s ago", annotation.Grace, s.Self(), age)
	} else if grace > 0 {
		in.From = fmt.Sprintf("the controller's --grace-period; it was created %s ago", age)
	}
	if grace > 0 {
		in.Value = "for " + duration.HumanDuration(grace)
	}
	return in
}

// timing is what says when else than by the rules it wakes, as far as anybody says so.
func timing(s live.Subject) []Input {
	w := s.Workload
	var list []Input
	add := func(name, key, value string) {
		text, from := s.Annotation(key)
		if from == "" {
			return
		}
		if w.Problems.About(key) != nil {
			value = output.Safe(text)
		}
		list = append(list, Input{name, value, of(s, key, from)})
	}
	add("Wave", annotation.Wave, fmt.Sprint(ptr.Deref(w.Spec.Wave, 0)))
	add("Wakes early", annotation.Lead, "by "+output.Duration(w.Spec.Lead))
	add("Comes later", annotation.Spread, fmt.Sprintf("by %s of %s", output.Duration(w.Shift), output.Duration(w.Spec.Spread)))
	return list
}

// field is where objects of a kind have their size.
func field(k *kind.Kind) string {
	path := slices.Clone(k.Fields()[0])
	for i, name := range path {
		path[i] = strings.TrimPrefix(name, "f:")
	}
	return strings.Join(path, ".")
}

// scalerInput is the autoscaler, or what an autoscaler scales.
func scalerInput(s live.Subject) Input {
	w := s.Workload
	switch target := s.Object.Target; {
	case s.Leader != nil:
		return Input{"Scales", s.Leader.Kind.Name + " " + s.Leader.Name, "spec.scaleTargetRef; it says " + annotation.HPA + ": " + annotation.Floor + ", so its rules are for this"}
	case target != nil:
		return Input{"Scales", output.Safe(target.Kind + " " + target.Name), "spec.scaleTargetRef"}
	}
	if w.Autoscaler == nil {
		return Input{Name: "Autoscaler", Value: "none"}
	}
	return Input{"Autoscaler", w.Autoscaler.Name, fmt.Sprintf("a HorizontalPodAutoscaler with minReplicas %d, which owns every size above 0", w.Autoscaler.Min)}
}

func namespaceInput(s live.Subject) Input {
	in := Input{Name: "Namespace's defaults", Value: "none"}
	switch {
	case !s.Object.Kind.Inherits && s.Leader == nil:
		in.From = "they never reach a " + s.Object.Kind.Name
	case s.Namespace == nil:
		in.Value, in.From = "unknown", "the Namespace may not be read"
	case observe.SystemNamespaces().Has(s.Namespace.Name):
		in.From = "they never reach " + s.Namespace.Name
	default:
		count := 0
		for _, key := range annotation.NamespaceKeys() {
			if _, ok := s.Inherited[key]; ok {
				count++
			}
		}
		if count > 0 {
			in.Value, in.From = fmt.Sprint(count), "annotations of the Namespace "+s.Namespace.Name
		}
	}
	return in
}
