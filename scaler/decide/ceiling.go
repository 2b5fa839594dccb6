package decide

import (
	"fmt"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// Ceiling is the maximum of a workload whose size is a minimum.
type Ceiling struct {
	Max    int32
	Writer Writer // who set it, which need not be who set the minimum
}

// NormalMax is Normal for the maximum. It reports false where there is none.
func (w Workload) NormalMax() (int32, bool) {
	if w.Ceiling == nil {
		return 0, false
	}
	given, remembered := w.ceilings()
	_, before, held := w.Status.HoldingMax()
	switch {
	case given != nil:
		return *given, true
	case w.restatedMax():
		return w.Ceiling.Max, true
	case remembered != nil:
		return *remembered, true
	case held:
		return before, true
	}
	return w.Ceiling.Max, true
}

// ceilings are the normal maximum as given, and as Curfew found it.
func (w Workload) ceilings() (given, remembered *int32) {
	if w.Spec.Ceiling == nil {
		return nil, nil
	}
	return w.Spec.Ceiling.Replicas, w.Spec.Ceiling.Remembered
}

// restatedMax is restated for the maximum: who says anew what one of the two is says nothing of the other.
func (w Workload) restatedMax() bool {
	held, _, ok := w.Status.HoldingMax()
	if _, remembered := w.ceilings(); !ok && remembered == nil || ok && held == w.Ceiling.Max {
		return false
	}
	return w.Ceiling.Writer.isOwner()
}

// takenMax is taken for the maximum.
func (w Workload) takenMax() bool {
	if w.Ceiling == nil {
		return false
	}
	held, normal, ok := w.Status.HoldingMax()
	_, remembered := w.ceilings()
	return remembered != nil || ok && held != normal
}

// holdsMax reports whether the status says of the maximum what a size does.
func (w Workload) holdsMax(asked timewindow.Size) bool {
	held, _, ok := w.Status.HoldingMax()
	high, ranged := asked.High()
	return ok == ranged && held == high
}

// bound decides about the maximum of a workload that has one, for whom a size is asked for: a range is held at both ends,
// and all else is about the minimum. That never exceeds the maximum.
func (w Workload) bound(d *Decision, asked timewindow.Size) {
	if w.Ceiling == nil {
		return
	}
	d.bounded = true
	normal, _ := w.NormalMax()
	most := w.Ceiling.Max
	given, remembered := w.ceilings()
	high, ranged := asked.High()
	switch {
	case ranged:
		most = high
		d.Status.Max, d.Status.NormalMax = &most, &normal
		if given == nil && (high != normal || remembered != nil) {
			least, _ := w.Normal()
			least = min(least, normal) // as it will be given back: a range that ends below its start is none
			d.Remembered, d.RememberedMax = &least, &normal
			if w.Spec.Replicas == nil && d.Status.Normal != nil { // else it is what is given, whatever is remembered
				d.Status.Normal = &least
			}
		}
	case given != nil && d.Status.State != "":
		most = normal
		d.Status.Max = &most
	case w.takenMax():
		most = normal
	}
	if most != w.Ceiling.Max {
		d.Max = &most
	}
	w.clamp(d, most)
	if back := d.Status.Normal; back != nil && *back > normal {
		d.Status.Message = join(d.Status.Message, fmt.Sprintf("%d is what it gets back, and not %d, for its maximum is no more", normal, *back))
	}
}

// clamp keeps the minimum within the maximum that there will be, which the API server insists on.
func (w Workload) clamp(d *Decision, most int32) {
	size := w.Size
	if d.Size != nil {
		size = *d.Size
	}
	if size <= most || d.Size == nil && d.Max == nil {
		return
	}
	d.Size = &most
	if d.Status.Size != nil {
		d.Status.Size = &most
		d.Status.Message = join(d.Status.Message, fmt.Sprintf(
			"%d is more than its maximum, so it is held at that, %d; raise the maximum, or say both, as in %[1]d..%[1]d", size, most))
	}
}

// keepMax keeps of the maximum what is known of it, as asItStands does of the size.
func (w Workload) keepMax(d *Decision) {
	if w.Ceiling == nil {
		return
	}
	_, d.RememberedMax = w.ceilings()
	if most, normal, ok := w.Status.HoldingMax(); ok {
		d.Status.Max, d.Status.NormalMax = &most, &normal
	}
}

// afterMax is after for the maximum.
func (w *Workload) afterMax(d Decision) {
	if w.Ceiling == nil {
		return
	}
	given, remembered := w.ceilings()
	if remembered != d.RememberedMax {
		w.Spec.Ceiling = &annotation.Ceiling{Replicas: given, Remembered: d.RememberedMax}
	}
	if d.Max != nil {
		w.Ceiling = &Ceiling{*d.Max, Writer{Manager: "curfew", Curfew: true}}
	}
}
