package explain

import (
	"fmt"
	"strings"
	"time"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/cmd/kubectl-curfew/status"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/timewindow"
)

// obstacle is what keeps every rule and override from giving the size; "" if nothing does.
func obstacle(s live.Subject, now time.Time) string {
	if s.Object.DeletionTimestamp != nil {
		return "the " + s.Object.Kind.Name + " is being deleted"
	}
	is := status.Decide(s.Workload, now).Status
	switch is.State {
	case annotation.StateInvalid:
		if s.Object.Unfit != "" {
			return s.Object.Unfit
		}
		return "there is a mistake"
	case annotation.StatePaused:
		return "Curfew is paused here"
	case annotation.StateWaiting:
		if decide.InTurn(is) {
			return inTurn(s.Workload.Spec.Wave)
		}
		return "the " + s.Object.Kind.Name + " is new"
	}
	return ""
}

// inTurn says what an object waits for that is to be woken. Who is on the way is for the others to say.
func inTurn(wave *int32) string {
	const limits = "for a place, where the controller limits how many wake at once or in a minute"
	if wave == nil {
		return "it waits for its turn to wake: " + limits
	}
	return fmt.Sprintf("it waits for its turn to wake: in wave %d, for all of lower waves that wake with it to be available or to have had their time, and %s", *wave, limits)
}

// overrides are those that anybody has written, with what becomes of each.
func overrides(s live.Subject, now time.Time) []Override {
	list := []Override{}
	_, running := s.Override(now)
	stop := obstacle(s, now)
	add := func(from live.Source, annotations map[string]string) {
		text, ok := annotations[annotation.OverrideKey]
		if !ok {
			return
		}
		v := Override{Text: output.Safe(text), Source: from}
		o, err := annotation.ParseOverride(text)
		switch {
		case err != nil:
			v.Verdict = "cannot be read, and counts as absent"
		case !now.Before(o.Until):
			v.Verdict = "ran out on " + output.Local(o.Until, s.Zone)
		case from == live.FromNamespace && s.Workload.Spec.OptedOut:
			v.Verdict = "does not reach what has opted out"
		case from != running:
			v.Verdict = fmt.Sprintf("runs too, but the %s's own comes first", running)
		case stop != "":
			v.Verdict = "runs, but " + stop
		default:
			v.Holds, v.Verdict = true, "holds now, until "+when(o.Until, s.Zone, now)
		}
		list = append(list, v)
	}
	add(s.Self(), s.Object.Annotations)
	if s.Leader != nil {
		add(live.Source(s.Leader.Kind.Name), s.Leader.Annotations)
	}
	add(live.FromNamespace, s.Inherited)
	return list
}

// rules are all of them, with what becomes of each.
func rules(s live.Subject, now time.Time) []Rule {
	list := []Rule{}
	schedule := s.Workload.Spec.Schedule
	if schedule == nil {
		return list
	}
	table, shift, lead := s.Workload.Timetable(), s.Workload.Shift, s.Workload.Spec.Lead
	first, plain := table.At(now).Rule, schedule.At(now.Add(-shift)).Rule // with the lead and without
	_, override := s.Override(now)
	stop := obstacle(s, now)
	for i, r := range schedule.Rules() {
		open, turn := alone(r, now.Add(-shift))
		if !turn.IsZero() {
			turn = turn.Add(shift)
		}
		early := ""
		switch {
		case lead == 0:
		case i == first && open:
			if next, ok := table.Next(now); ok && (turn.IsZero() || next.Before(turn)) {
				if _, led := table.Origin(next); led {
					turn, early = next, ", by the lead of what comes then"
				}
			}
		case !open && !turn.IsZero() && i != first && table.At(turn.Add(-lead)).Rule == i:
			turn, early = turn.Add(-lead), ", by the lead"
		}
		v := Rule{Line: r.Line(), Text: r.Text(), Open: open, Changes: turn.UTC()}
		switch {
		case !open && turn.IsZero():
			v.Verdict = "never again"
		case !open && i != first:
			v.Verdict = "not now; starts " + when(turn, s.Zone, now) + early
		case i == plain && i != first:
			v.Verdict = "would hold, but the lead of what comes next has begun"
		case i != first:
			v.Verdict = fmt.Sprintf("would hold too, but rule %d comes first", plain+1)
		case stop != "":
			v.Verdict = "would hold, but " + stop
		case override != "":
			v.Verdict = "would hold, but an override comes first"
		case !open:
			v.Holds, v.Verdict = true, "holds by its lead; its time starts "+when(turn, s.Zone, now)
		case turn.IsZero():
			v.Holds, v.Verdict = true, "holds now, without end"
		default:
			v.Holds, v.Verdict = true, "holds now, until "+when(turn, s.Zone, now)+early
		}
		list = append(list, v)
	}
	return list
}

// moved says how the end of what holds now comes about, where that is not what the rules say.
func moved(s live.Subject, until, now time.Time) string {
	if _, override := s.Override(now); override != "" || until.IsZero() || s.Workload.Spec.Schedule == nil {
		return ""
	}
	boundary, led := s.Workload.Timetable().Origin(until)
	var parts []string
	if shift := s.Workload.Shift; shift > 0 {
		parts = append(parts, output.Duration(shift)+" later by its share of the spread")
	}
	if led {
		parts = append(parts, output.Duration(boundary.Add(s.Workload.Shift).Sub(until))+" earlier by the lead")
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("the rules say %s; it comes %s", output.Local(boundary, s.Zone), strings.Join(parts, " and "))
}

// alone says whether a rule would hold if there were no other, and when that changes; zero if never.
func alone(r timewindow.Rule, now time.Time) (open bool, turn time.Time) {
	text := r.String()
	// Any size will do but normal, which is the same as no rule.
	text = text[:strings.LastIndex(text, "=")+1] + " 1"
	s, err := timewindow.Parse(text, r.Location())
	if err != nil { // what is printed parses again
		return false, time.Time{}
	}
	turn, _ = s.Next(now)
	return s.At(now).Rule >= 0, turn
}

// when is a time and how long it is until then.
func when(t time.Time, zone *time.Location, now time.Time) string {
	return fmt.Sprintf("%s (%s)", output.Local(t, zone), output.In(now, t))
}
