package override

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/timewindow"
)

// request is what a command line asks for, of whichever object.
type request struct {
	verb     verb
	size     *timewindow.Size // of --replicas; nil: what the verb means
	end      *ending          // of --for or --until; nil: the next change of the schedule
	fallback *time.Location   // the controller's --timezone; nil: UTC
	many     bool             // the objects were not named one by one
}

// edit is what is to be written to one object.
type edit struct {
	target
	key     string
	value   *string // nil: the annotation goes
	same    bool    // nothing has to be written
	because string  // why that is so, where it is not plain
}

// edit is what a request comes to for one object. It is pure.
func (r request) edit(t target, now time.Time) (edit, error) {
	e := edit{target: t, key: r.verb.key}
	own, has := t.object().GetAnnotations()[e.key]
	switch r.verb {
	case resume:
		e.same = !has
	case pause:
		e.value, e.same = ptr.To("true"), own == "true"
	case unpause:
		e.value = t.unpaused()
		e.same = own == "false" || !has && e.value == nil
		if e.value != nil {
			e.because = `its own "false" beats what its Namespace says, now and later`
		}
	default:
		return r.override(e, now)
	}
	return e, nil
}

// unpaused is the value that makes sure the target is not paused: none, or "false" where its Namespace says otherwise.
func (t target) unpaused() *string {
	if t.namespace == nil {
		if inherited, ok := t.subjects[0].Inherited[annotation.Paused]; ok && inherited != "false" {
			return ptr.To("false")
		}
	}
	return nil
}

// override completes an edit that sets an override.
func (r request) override(e edit, now time.Time) (edit, error) {
	if r.many && e.spec(r.fallback).OptedOut {
		e.same, e.because = true, "it has opted out; name it to have it done all the same"
		return e, nil
	}
	size, err := r.sizeOf(e.target)
	if err != nil {
		return e, fmt.Errorf("%s: %w", e.name(), err)
	}
	o := annotation.Override{Size: size}
	own := e.override()
	switch {
	case r.end != nil:
		if o.Until, err = r.end.at(now, e.zone(r.fallback)); err != nil {
			return e, err
		}
	case own != nil && now.Before(own.Until) && own.Size == size:
		o = *own // who asks again does not ask for less
	default:
		until, asked, err := r.nextChange(e.target, size, now)
		if err != nil {
			return e, fmt.Errorf("%s: %w", e.name(), err)
		}
		if asked {
			e.same, e.because = true, "its rules say so; give --for or --until to have it so for longer"
			return e, nil
		}
		o.Until = until
	}
	e.value = ptr.To(o.String())
	if why := e.refused(); why != nil {
		return e, fmt.Errorf("%s: %w", e.name(), why)
	}
	e.same = own != nil && own.Size == o.Size && own.Until.Equal(o.Until)
	return e, nil
}

// refused says why the object cannot have the size that the edit asks for, which Curfew would find a mistake.
func (e edit) refused() error {
	if e.namespace != nil {
		return nil // each in it makes of that what it can
	}
	s := e.subjects[0]
	if s.Object.Unfit != "" {
		return errors.New(s.Object.Unfit)
	}
	for _, p := range e.on(s).Workload.Problems {
		if p.Key == annotation.OverrideKey {
			return fmt.Errorf("%s; %s", p.Fault.Problem, p.Fault.Hint)
		}
	}
	return nil
}

func (r request) sizeOf(t target) (timewindow.Size, error) {
	switch {
	case r.size != nil:
		return *r.size, nil
	case r.verb == wake:
		return timewindow.Normal, nil
	case r.verb == sleep:
		return timewindow.Replicas(0), nil
	case t.namespace != nil:
		return timewindow.Size{}, errors.New("the objects in it have sizes of their own; say with --replicas which one to hold, such as --replicas 2")
	}
	return sizeNow(t.subjects[0]), nil
}

// sizeNow is the size that an object has, as an override would ask for it.
func sizeNow(s live.Subject) timewindow.Size {
	w := s.Workload
	switch {
	case live.IsSwitch(s.Object.Kind) && w.Size > 0:
		return timewindow.Normal
	case w.Ceiling != nil:
		return timewindow.Range(w.Size, w.Ceiling.Max)
	}
	return timewindow.Replicas(w.Size)
}

// nextChange is when the schedule next asks for something else, which ends an override that has no other end. It also
// reports whether the schedule asks for the size already, so that there is nothing to override.
func (r request) nextChange(t target, size timewindow.Size, now time.Time) (time.Time, bool, error) {
	const cure = "say how long with --for 2h or --until 22:00"
	if t.spec(r.fallback).Schedule == nil {
		return time.Time{}, false, errors.New("it has no rules whose next change could end this; " + cure)
	}
	rules := t.timetable(r.fallback)
	next, ok := rules.Next(now)
	if rules.At(now).Size == size {
		switch {
		case t.namespace == nil && t.followsRules(now):
			return next, true, nil
		case t.namespace != nil:
			return next, false, errors.New("its rules ask for that already, and the objects in it may have others; " + cure)
		}
	}
	if !ok {
		return next, false, errors.New("its rules never change, so nothing would end this; " + cure)
	}
	return next.In(t.zone(r.fallback)), false, nil
}

// followsRules reports whether an object is as its rules say.
func (t target) followsRules(now time.Time) bool {
	switch decide.Decide(t.subjects[0].Workload, now).Status.State {
	case annotation.StateWindow, annotation.StateNormal:
		return true
	}
	return false
}

// parseSize reads --replicas.
func parseSize(text string) (timewindow.Size, error) {
	size, err := timewindow.ParseSize(text)
	if faults := (timewindow.Faults)(nil); errors.As(err, &faults) {
		return size, fmt.Errorf("%q: %s; %s", text, faults[0].Problem, faults[0].Hint)
	}
	return size, err
}

// endOf says when the edit's override ends; "" if it is none.
func (e edit) endOf(zone *time.Location, now time.Time) string {
	if o := e.wanted(); o != nil {
		return fmt.Sprintf("%s until %s (%s)", o.Size, output.Local(o.Until, zone), output.In(now, o.Until))
	}
	return ""
}

// wanted is the override to be written; nil if it is none.
func (e edit) wanted() *annotation.Override {
	if e.key != annotation.OverrideKey || e.value == nil {
		return nil
	}
	return overrideOn(map[string]string{e.key: *e.value})
}
