package lint

import (
	"fmt"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/scaler/observe"
	"curfew/timewindow"
)

// autoscaled says what an autoscaler makes of the rules and the override of what it scales.
func (s *surroundings) autoscaled(o manifest.Object, spec annotation.Spec, own bool) []Finding {
	found := s.autoscalers[asTarget(o)]
	if len(found) == 0 {
		return nil
	}
	name := "the HorizontalPodAutoscaler " + manifest.Printable(found[0].Name)
	above := func(f Finding, size timewindow.Size) Finding {
		f.Message = fmt.Sprintf("a size of %s changes nothing: %s owns every size above 0", size, name)
		f.Hint = fmt.Sprintf("set the rule on that, or %s: %s here, which has its minReplicas set", annotation.HPA, annotation.Floor)
		return f
	}
	var all []Finding
	text := o.Value("metadata", "annotations", annotation.Windows)
	where := func(rule string, r timewindow.Rule) Finding {
		if !own {
			return newFinding(o, rule, "").on(o.Value("metadata", "name"))
		}
		return newFinding(o, rule, annotation.Windows).at(text, timewindow.Fault{Line: r.Line(), Column: r.Column(), Text: r.Text()})
	}
	said := map[string]bool{}
	for _, r := range rulesOf(spec) {
		switch size := r.Size(); {
		case size.IsNormal():
		case size.Of(timewindow.MaxReplicas) > 0 && spec.Floor && !observe.SaysItself(found[0].Annotations):
		case size.Of(timewindow.MaxReplicas) > 0:
			if f := above(where(autoscaler, r), size); own || !said[f.Rule] {
				said[f.Rule] = true
				all = append(all, f)
			}
		case !said[autoscalerPaused]:
			said[autoscalerPaused] = true
			f := where(autoscalerPaused, r)
			f.Message = fmt.Sprintf("a size of 0 pauses %s until the window ends, when it gets the %s back at its minReplicas or more", name, manifest.Printable(o.GetKind()))
			f.Hint = "nothing has to be done if you want that; --ignore " + autoscalerPaused + " says so"
			all = append(all, f)
		}
	}
	if override, ok := o.Annotations()[annotation.OverrideKey]; ok {
		if parsed, err := annotation.ParseOverride(override); err == nil && !parsed.Size.IsNormal() && parsed.Size.Of(timewindow.MaxReplicas) > 0 && !spec.Floor {
			all = append(all, above(newFinding(o, autoscaler, annotation.OverrideKey), parsed.Size).on(o.Value("metadata", "annotations", annotation.OverrideKey)))
		}
	}
	return all
}

func rulesOf(spec annotation.Spec) []timewindow.Rule {
	if spec.Schedule == nil {
		return nil
	}
	return spec.Schedule.Rules()
}

// alsoScaled says what it means that something else of a kind that can be scaled in its stead, such as a ScaledObject of
// KEDA's, scales an object that Curfew is asked to scale, and that other is not.
func (s *surroundings) alsoScaled(o manifest.Object) []Finding {
	found := s.instead[asTarget(o)]
	if len(found) == 0 {
		return nil
	}
	f := newFinding(o, scaledObjects, "")
	f.Message = fmt.Sprintf("the %s %s scales this too, and wakes it from 0 as it pleases", found[0].Kind.Name, manifest.Printable(found[0].Name))
	f.Hint = fmt.Sprintf("set the annotations there instead, and have --kinds name %s", found[0].Kind)
	return []Finding{f.on(o.Value("metadata", "name"))}
}
