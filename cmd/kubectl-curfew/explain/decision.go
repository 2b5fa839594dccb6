package explain

import (
	"fmt"

	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/cmd/kubectl-curfew/status"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// decision is what should be, and why, in a sentence.
func decision(s live.Subject, e Explanation, d decide.Decision) string {
	w := s.Workload
	size, has := sized(s, e.Size, e.Max), sized(s, w.Size, live.MaxOf(w))
	asItStands := "left as it stands, at " + has + ", because "
	switch e.State {
	case annotation.StateInvalid, annotation.StatePaused, annotation.StateWaiting, status.StateDeleting:
		return asItStands + obstacle(s, e.now)
	case status.StateOptedOut:
		return released(s, d, "its rules are \""+annotation.OptOut+"\"")
	case status.StateNone:
		if s.Object.Unfit != "" {
			return released(s, d, s.Object.Unfit)
		}
		return released(s, d, "it has neither rules nor an override")
	}
	if status.Unseen(s) {
		return size + ", as Curfew last said, for what the Namespace says may not be read"
	}
	why := "no rule holds"
	number, asked := held(e, s)
	switch o, from := s.Override(e.now); {
	case from != "":
		why, asked = fmt.Sprintf("the %s's override says so", from), o.Size.String()
	case number > 0:
		why = fmt.Sprintf("rule %d holds: %s", number, e.Rules[number-1].Text)
	}
	if boundary, led := w.Timetable().Origin(e.now); led {
		if _, from := s.Override(e.now); from == "" {
			why += fmt.Sprintf(" from %s on, and %s wakes it before that", output.Local(boundary.Add(w.Shift), s.Zone), annotation.Lead)
		}
	}
	contest := ""
	if e.State == annotation.StateContested {
		contest, _ = e.Why()
		contest = ", " + contest
	}
	switch {
	case w.Autoscaler != nil && e.Size > 0 && d.Status.Size == nil && asked != "normal":
		return fmt.Sprintf("left to the HorizontalPodAutoscaler %s, which owns every size above 0, though %s", w.Autoscaler.Name, why)
	case d.Size == nil && live.IsSwitch(s.Object.Kind):
		return fmt.Sprintf("left alone, %s, because %s", has, why)
	case d.Size == nil:
		return fmt.Sprintf("left alone, at %s, because %s and %s is not there", has, why, annotation.Replicas)
	case len(asked) > 0 && asked[len(asked)-1] == '%':
		return fmt.Sprintf("%s, which is %s of normal, because %s%s", size, asked, why, contest)
	case asked == "normal":
		return fmt.Sprintf("%s, which is normal, because %s%s", size, why, contest)
	}
	return fmt.Sprintf("%s, because %s%s", size, why, contest)
}

// held is the number of the rule that gives the size, or 0, and the size that is asked for.
func held(e Explanation, s live.Subject) (number int, asked string) {
	for i, r := range e.Rules {
		if r.Holds {
			return i + 1, s.Workload.Spec.Schedule.Rules()[i].Size().String()
		}
	}
	return 0, "normal"
}

// released is what becomes of what Curfew lets go.
func released(s live.Subject, d decide.Decision, why string) string {
	w := s.Workload
	if c := d.Change(w.Size, s.Object.Annotations); c.Resizes() {
		back := sized(s, ptr.Deref(c.Size, w.Size), ptr.Deref(c.Max, live.MaxOf(w)))
		return fmt.Sprintf("given back %s, because %s", back, why)
	}
	return "none of Curfew's business, because " + why
}

// sized is a size in words.
func sized(s live.Subject, size, most int32) string {
	return live.SizeInWords(s.Object.Kind, size, most)
}
