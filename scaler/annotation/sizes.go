package annotation

import (
	"fmt"
	"slices"

	"curfew/timewindow"
)

// Resize makes something else of each size that rules and overrides ask for, for a workload to which some sizes mean that.
// The rules keep their texts.
func (s *Spec) Resize(to func(timewindow.Size) timewindow.Size) {
	if s.Schedule != nil {
		s.Schedule = s.Schedule.Resized(to)
	}
	s.Overrides = slices.Clone(s.Overrides)
	for i := range s.Overrides {
		s.Overrides[i].Size = to(s.Overrides[i].Size)
	}
}

// RefuseSizes reports each size in the workload's own rules and override that means nothing for it. wrong says what is
// wrong with a size and what to write instead, or nothing. An override that is refused is left out, as one that cannot be
// read. What a Namespace says is nobody's mistake here; own says whose a key is.
func (s *Spec) RefuseSizes(own func(key string) bool, wrong func(timewindow.Size) (problem, cure string)) Problems {
	var r reader
	if s.Schedule != nil && own(Windows) {
		for _, rule := range s.Schedule.Rules() {
			if problem, cure := wrong(rule.Size()); problem != "" {
				r.report(Windows, false, rule.SizeFault(problem, cure))
			}
		}
	}
	s.Overrides = slices.DeleteFunc(slices.Clone(s.Overrides), func(o Override) bool {
		problem, cure := wrong(o.Size)
		if problem == "" || o.inherited {
			return false
		}
		f := timewindow.Fault{Line: 1, Column: o.column, Text: o.text, Problem: problem, Hint: cure}
		r.report(OverrideKey, true, mistake{fmt.Sprintf("column %d: %q: %s; %s", f.Column, short(f.Text), problem, cure), f})
		return true
	})
	return r.problems
}
