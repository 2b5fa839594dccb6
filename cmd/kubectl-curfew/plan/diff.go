package plan

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/timewindow"
)

// Difference is a stretch of time in which two schedules ask for different sizes.
type Difference struct {
	From    time.Time `json:"from"` // in UTC
	To      time.Time `json:"to"`   // in UTC, not included
	OldSize string    `json:"oldSize"`
	OldRule string    `json:"oldRule"` // "" when none holds
	NewSize string    `json:"newSize"`
	NewRule string    `json:"newRule"` // "" when none holds
}

// sized is a workload and its normal size; nil where it is not known.
type sized struct {
	workload decide.Workload
	normal   *int32
	uid      types.UID  // "" where it is not in the cluster
	kind     *kind.Kind // nil where there is none
}

// is reports whether two sizes come to the same.
func (a sized) is(size timewindow.Size, b sized, other timewindow.Size) bool {
	_, ranged := size.High()
	_, otherRanged := other.High()
	if a.normal == nil || b.normal == nil || ranged || otherRanged {
		return size == other
	}
	return size.Of(*a.normal) == other.Of(*b.normal)
}

// in is a size in replicas where that is known, and else as a rule says it.
func (a sized) in(size timewindow.Size) string {
	_, ranged := size.High()
	switch {
	case a.normal == nil || ranged:
		return size.String()
	case a.kind != nil:
		return live.Size(a.kind, size.Of(*a.normal), 0)
	}
	return timewindow.Replicas(size.Of(*a.normal)).String()
}

// compare lists the stretches from one instant to another in which two schedules differ, up to so many, and reports
// whether these are all.
func compare(was, is sized, from, to time.Time, most int) (differences []Difference, all bool) {
	differences = []Difference{}
	for now := from; now.Before(to); {
		oldSize, oldRule := at(was.workload, now)
		newSize, newRule := at(is.workload, now)
		then := earlier(next(was.workload, now, to), next(is.workload, now, to))
		if !was.is(oldSize, is, newSize) {
			d := Difference{now.UTC(), then.UTC(), was.in(oldSize), oldRule, is.in(newSize), newRule}
			if last := len(differences) - 1; last >= 0 && differences[last].continues(d) {
				differences[last].To = d.To
			} else if len(differences) == most {
				return differences, false
			} else {
				differences = append(differences, d)
			}
		}
		now = then
	}
	return differences, true
}

// continues reports whether d follows at once and says the same.
func (d Difference) continues(next Difference) bool {
	touch := d.To.Equal(next.From)
	next.From, next.To = d.From, d.To
	return touch && d == next
}
