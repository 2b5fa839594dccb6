package kind

import (
	"fmt"
	"slices"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/timewindow"
)

// Bounded is a Sizer whose size is a minimum, so that there is a maximum as well. Ranges mean something for such kinds only.
type Bounded interface {
	// MaxFields are those that hold the maximum, as Fields are those that hold the size.
	MaxFields() [][]string
	// WriteMax adds to a JSON merge patch what gives an object a maximum.
	WriteMax(most int32, patch Patch)
}

// Bounds are what an object of such a kind has besides its size.
type Bounds struct {
	decide.Ceiling
	Target Target // what it scales
}

// Bounded is the kind as one whose sizes are minima; nil if they are not.
func (k *Kind) Bounded() Bounded {
	bounded, _ := k.Sizer.(Bounded)
	return bounded
}

// FitBounds reports what means something only for a kind whose size is a minimum, or for what has an autoscaler: ranges,
// and [annotation.HPA]. Which annotation is whose is as for Fit.
func (k *Kind) FitBounds(spec *annotation.Spec, own func(key string) bool) annotation.Problems {
	var problems annotation.Problems
	if spec.Floor && !k.Counted {
		what := fmt.Sprintf("no HorizontalPodAutoscaler scales a %s", k.Name)
		problems = append(problems, refusal(annotation.HPA, what, "put it on what one scales", false))
	}
	if k.Bounded() != nil {
		return problems
	}
	problem := fmt.Sprintf("a %s has one size and no range", k.Name)
	const cure = "write a number, or put the range on its HorizontalPodAutoscaler"
	if c := spec.Ceiling; c != nil && c.Replicas != nil {
		problems = append(problems, refusal(annotation.Replicas, problem, cure, false))
	}
	if c := spec.Ceiling; c != nil && c.Remembered != nil {
		problems = append(problems, refusal(annotation.Remembered, problem, "write the number of replicas to give back", false))
	}
	if spec.Floor || !k.Counted {
		return problems // ranges are its autoscaler's, or Fit has a word for all sizes
	}
	if spec.Schedule != nil {
		for _, r := range spec.Schedule.Rules() {
			if _, ranged := r.Size().High(); ranged {
				f := timewindow.Fault{Line: r.Line(), Column: r.Column(), Text: r.Text(), Problem: problem, Hint: cure}
				problems = append(problems, annotation.Problem{Key: annotation.Windows, Detail: f.Error(), Fault: f, Namespace: !own(annotation.Windows)})
			}
		}
	}
	for i, o := range spec.Overrides {
		if _, ranged := o.Size.High(); ranged {
			p := refusal(annotation.OverrideKey, problem, cure, true)
			p.Namespace = i > 0 || !own(annotation.OverrideKey)
			problems = append(problems, p)
		}
	}
	if len(problems) > 0 {
		spec.Overrides = slices.DeleteFunc(spec.Overrides, func(o annotation.Override) bool { _, ranged := o.Size.High(); return ranged })
	}
	return problems
}

// refusal is the problem with an annotation as a whole.
func refusal(key, problem, cure string, harmless bool) annotation.Problem {
	return annotation.Problem{
		Key: key, Detail: problem + "; " + cure, Harmless: harmless, Fault: timewindow.Fault{Problem: problem, Hint: cure},
	}
}
