package override

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// outcome is what an edit comes to, in words.
type outcome struct {
	text     string   // about the object
	counts   bool     // what is asked for is what happens
	members  []string // about each object in a Namespace
	warnings []string
}

// outcome foretells what becomes of an object once the edit is written. It is pure.
func (r request) outcome(e edit, now time.Time) outcome {
	if e.namespace != nil {
		return r.ofNamespace(e, now)
	}
	was := e.subjects[0]
	f := r.foretell(e, was, now)
	o := outcome{text: f.text(now), counts: f.counts, warnings: f.warnings(was)}
	if e.because != "" {
		o.text += "; " + e.because
	}
	return o
}

func (r request) ofNamespace(e edit, now time.Time) outcome {
	o := outcome{text: e.endOf(e.zone(r.fallback), now), counts: true}
	if e.because != "" {
		o.text = e.because
	}
	reached := false
	for _, s := range e.subjects {
		f := r.foretell(e, s, now)
		reached = reached || f.counts
		text := memberName(s) + ": " + f.text(now)
		if message := f.spans[0].Message; message != "" {
			text += "; " + message
		}
		if f.contrary() {
			text += "; its own " + annotation.Paused + " is nearer"
		}
		o.members = append(o.members, text)
	}
	switch {
	case isProtected(e.namespace.Name):
		o.warnings = append(o.warnings, "nothing that this Namespace says reaches what is in it; name that instead")
	case !reached && e.value != nil:
		o.warnings = append(o.warnings, "nothing in it is reached")
	}
	return o
}

// isProtected reports whether objects in a namespace inherit nothing.
func isProtected(namespace string) bool { return observe.SystemNamespaces().Has(namespace) }

// memberName is the name of an object among others in its Namespace, most of which are Deployments.
func memberName(s live.Subject) string {
	if s.Object.Kind == kind.Deployment {
		return s.Object.Name
	}
	return s.Object.FullName()
}

// foretold is what becomes of one object.
type foretold struct {
	request
	edit    edit
	subject live.Subject  // with the edit written
	spans   []decide.Span // from now on
	end     time.Time     // of what was looked at
	counts  bool
}

// mostSeen is how many changes are looked at.
const mostSeen = 3

// horizon is how far to look for them: well past what is in sight, and no farther, for a schedule in which nothing is in
// sight takes long to look at.
func horizon(w decide.Workload, now time.Time) time.Time {
	from := now
	later := func(t time.Time) {
		if t.After(from) {
			from = t
		}
	}
	for _, o := range w.Spec.Overrides {
		later(o.Until)
	}
	later(w.Created.Add(ptr.Deref(w.Spec.Grace, w.Grace)))
	if next, ok := w.Timetable().Next(from); ok {
		return next.Add(farthest)
	}
	return from.Add(24 * time.Hour)
}

func (r request) foretell(e edit, s live.Subject, now time.Time) foretold {
	f := foretold{request: r, edit: e, subject: e.on(s)}
	f.end = horizon(f.subject.Workload, now)
	f.spans, _ = decide.Forecast(f.subject.Workload, now, f.end, mostSeen)
	f.counts = true
	switch {
	case e.wanted() != nil:
		f.counts = f.spans[0].State == annotation.StateOverride && f.own(now) == (e.namespace == nil) && (!f.autoscaled(f.spans[0]) || f.floored())
	case e.key == annotation.Paused && e.namespace != nil:
		_, own := s.Object.Annotations[annotation.Paused]
		f.counts = !own && !isProtected(e.namespace.Name)
	}
	return f
}

// contrary reports whether an object is paused though its Namespace is not to be, or the other way round, because it
// says so itself.
func (f foretold) contrary() bool {
	_, own := f.subject.Object.Annotations[annotation.Paused]
	paused := f.spans[0].State == annotation.StatePaused
	return own && (f.verb == unpause && paused || f.verb == pause && !paused && !f.subject.Workload.Problems.Grave())
}

// on is an object once the edit of it, or of its Namespace, is written.
func (e edit) on(s live.Subject) live.Subject {
	switch {
	case e.namespace == nil:
		return s.With(e.edited(s.Object.Annotations))
	case !isProtected(e.namespace.Name):
		return s.Under(annotation.Only(e.edited(e.namespace.Annotations)))
	}
	return s
}

// edited is a copy of the annotations with the edit.
func (e edit) edited(annotations map[string]string) map[string]string {
	all := maps.Clone(annotations)
	switch {
	case e.same:
		return all
	case e.value == nil:
		delete(all, e.key)
		return all
	}
	if all == nil {
		all = map[string]string{}
	}
	all[e.key] = *e.value
	return all
}

// own reports whether an override that is running at an instant is the object's own or, of an autoscaler, its target's.
func (f foretold) own(at time.Time) bool {
	_, from := f.subject.Override(at)
	return from != "" && from != live.FromNamespace
}

// led reports whether it is the target's.
func (f foretold) led(at time.Time) bool {
	_, from := f.subject.Override(at)
	return f.own(at) && from != f.subject.Self()
}

// text says how things are from now on, until when, and what comes then.
func (f foretold) text(now time.Time) string {
	first := f.spans[0]
	text := f.like(first)
	if !first.To.Before(f.end) {
		return text
	}
	text += fmt.Sprintf(" until %s (%s)", f.local(first.To), output.In(now, first.To))
	if len(f.spans) < 2 {
		return text
	}
	then := f.spans[1]
	text += ", then " + f.like(then)
	if then.Size == first.Size && then.To.Before(f.end) { // so the end of the first is not what one waits for
		text += " until " + f.local(then.To)
	}
	return text
}

func (f foretold) local(t time.Time) string { return output.Local(t, f.subject.Zone) }

// longest keeps a rule from filling the screen, as in status. It is there in full by explain.
const longest = 60

// like says what a stretch of time is like.
func (f foretold) like(s decide.Span) string {
	spec := f.subject.Workload.Spec
	switch s.State {
	case annotation.StateWindow:
		return fmt.Sprintf("%s (%s)", f.size(s), output.Short(output.Safe(s.Rule), longest))
	case annotation.StateNormal:
		return fmt.Sprintf("normal (%s)", f.size(s))
	case annotation.StateOverride:
		return f.overridden(s)
	case annotation.StatePaused:
		if f.verb == pause {
			return "stays at " + f.size(s)
		}
		return "paused at " + f.size(s)
	case annotation.StateWaiting:
		return fmt.Sprintf("left at %s, being new,", f.size(s))
	case annotation.StateInvalid:
		return fmt.Sprintf("left at %s, for its annotations make no sense", f.size(s))
	}
	if spec.OptedOut {
		return fmt.Sprintf("%s (opted out)", f.size(s))
	}
	return fmt.Sprintf("%s (no rules)", f.size(s))
}

// size is that of a stretch of time.
func (f foretold) size(s decide.Span) string { return live.Size(f.subject.Object.Kind, s.Size, s.Max) }

// override is the one that counts during a stretch in which one does.
func (f foretold) override(s decide.Span) *annotation.Override {
	return running(f.subject.Workload.Spec.Overrides, s.From)
}

// autoscaled reports whether an autoscaler keeps an override from giving the size that it asks for.
func (f foretold) autoscaled(s decide.Span) bool {
	return s.State == annotation.StateOverride && !s.Held && !f.override(s).Size.IsNormal()
}

// floored reports whether that autoscaler does as the object says.
func (f foretold) floored() bool {
	w := f.subject.Workload
	return w.Spec.Floor && w.Floors && w.Autoscaler != nil && !w.Autoscaler.Own && w.Autoscaler.Owner == ""
}

// overridden says which size an override gives, and whose it is unless that is plain.
func (f foretold) overridden(s decide.Span) string {
	var more []string
	if f.autoscaled(s) && f.floored() {
		return f.override(s).Size.String() + " (for its HorizontalPodAutoscaler)"
	}
	if f.autoscaled(s) {
		return fmt.Sprintf("%s (by its HorizontalPodAutoscaler)", f.size(s))
	}
	size := f.override(s).Size.String()
	if replicas := f.size(s); replicas != size {
		more = append(more, replicas)
	}
	switch own, namespace := f.own(s.From), f.edit.namespace != nil; {
	case f.led(s.From):
		more = append(more, fmt.Sprintf("by the override of the %s %s", f.subject.Leader.Kind.Name, f.subject.Leader.Name))
	case own && namespace:
		more = append(more, "by its own override")
	case !own && !namespace:
		more = append(more, "by the Namespace's override")
	}
	if len(more) == 0 {
		return size
	}
	return size + " (" + strings.Join(more, ", ") + ")"
}
