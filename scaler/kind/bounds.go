package kind

import (
	"fmt"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// Bounded is a Sizer whose size is a minimum, so that there is a maximum as well. Ranges mean something for such kinds only.
type Bounded interface {
	// MaxFields are those that hold the maximum, as Fields are those that hold the size.
	MaxFields() [][]string
	// WriteMax adds to a JSON merge patch what gives an object a maximum.
	WriteMax(most int32, patch Patch)
}

// Bounded is the kind as one whose sizes are minima; nil if they are not.
func (k *Kind) Bounded() Bounded {
	bounded, _ := k.Sizer.(Bounded)
	return bounded
}

// FitBounds reports what means nothing for a kind whose size is no minimum, which are ranges, and for one that no
// autoscaler scales, which is [annotation.HPA]. own is as for Fit, and of what a Namespace says for all kinds the lower
// end counts.
func (k *Kind) FitBounds(spec *annotation.Spec, own func(key string) bool) annotation.Problems {
	var problems annotation.Problems
	if spec.Floor && !k.Counted {
		problems = append(problems, refusal(annotation.HPA, "a HorizontalPodAutoscaler does not scale a "+k.Name, "put it on what one scales"))
	}
	if k.Bounded() != nil {
		return problems
	}
	problem := fmt.Sprintf("a %s has one size and no range", k.Name)
	const cure = "write a number, or put the range on its HorizontalPodAutoscaler"
	if c := spec.Ceiling; c != nil && c.Replicas != nil {
		problems = append(problems, refusal(annotation.Replicas, problem, cure))
	}
	if c := spec.Ceiling; c != nil && c.Remembered != nil {
		problems = append(problems, refusal(annotation.Remembered, problem, "write the number of replicas to give back, or remove the annotation"))
	}
	if !spec.Floor { // else ranges are the autoscaler's
		problems = append(problems, spec.RefuseSizes(own, func(size timewindow.Size) (string, string) {
			if _, ranged := size.High(); ranged {
				return problem, cure
			}
			return "", ""
		})...)
	}
	return problems
}

// refusal is the problem with an annotation as a whole.
func refusal(key, problem, cure string) annotation.Problem {
	return annotation.Problem{Key: key, Detail: problem + "; " + cure, Fault: timewindow.Fault{Problem: problem, Hint: cure}}
}
