package lint

import (
	"fmt"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// autoscaled says what an autoscaler makes of the rules and the override of what it scales.
func (s *surroundings) autoscaled(o manifest.Object, spec annotation.Spec, own bool) []Finding {
	names := s.autoscalers[asTarget(o)]
	if len(names) == 0 {
		return nil
	}
	name := "the HorizontalPodAutoscaler " + manifest.Printable(names[0])
	above := func(f Finding, size timewindow.Size) Finding {
		f.Message = fmt.Sprintf("a size of %s changes nothing: %s owns every size above 0", size, name)
		f.Hint = "set minReplicas there instead, or write 0 or normal here"
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
		if parsed, err := annotation.ParseOverride(override); err == nil && !parsed.Size.IsNormal() && parsed.Size.Of(timewindow.MaxReplicas) > 0 {
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

// scaledByObject says what it means that a ScaledObject of KEDA's scales an object as well.
func (s *surroundings) scaledByObject(o manifest.Object, ruled bool) []Finding {
	found := s.objects[asTarget(o)]
	own := o.Annotations()
	if len(found) == 0 || !ruled && own[annotation.OverrideKey] == "" {
		return nil
	}
	name := "the ScaledObject " + manifest.Printable(found[0].GetName())
	key := ""
	for _, candidate := range []string{annotation.Windows, annotation.OverrideKey, annotation.Replicas} {
		if _, ok := own[candidate]; ok {
			key = candidate
			break
		}
	}
	f := newFinding(o, scaledObjects, key)
	f.Message = "KEDA scales this by " + name + ", and wakes it from 0 as its triggers say"
	f.Hint = "set the annotations on the ScaledObject instead, and have --kinds name scaledobjects.keda.sh"
	switch {
	case s.ruled(found[0]) && key == "":
		return nil // it is left to the ScaledObject, as it should be
	case s.ruled(found[0]):
		f = newFinding(o, scaledTwice, key)
		f.Message = name + " has rules of its own and scales this, so that these are refused"
		f.Hint = "keep them in one place: on the ScaledObject"
	}
	if key == "" {
		return []Finding{f.on(o.Value("metadata", "name"))}
	}
	return []Finding{f.on(o.Key("metadata", "annotations", key))}
}
