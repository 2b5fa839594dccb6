package live

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
	"curfew/timewindow"
)

// Subject is an object and what has a say in its size.
type Subject struct {
	Object    Object
	Namespace *corev1.Namespace // nil where it could not be read
	Inherited map[string]string // the Namespace's annotations that are defaults for the object
	Workload  decide.Workload   // what the controller would see
	Zone      *time.Location    // the one to show its times in
	Leader    *kind.Object      // what it does as, as an autoscaler does as its target says; nil: nothing

	neighbours neighbours
	settings   observe.Settings
}

// Key names the object.
func (s Subject) Key() kind.Key { return s.Object.Key() }

// Concerned reports whether Curfew has anything to do with the object: it has rules or an override, be they
// inherited, an opt-out, a mistake, or something that Curfew wrote.
func (s Subject) Concerned() bool {
	spec := s.Workload.Spec
	return annotation.Has(s.Object.Annotations) || spec.Schedule != nil || len(spec.Overrides) > 0 || len(s.Workload.Problems) > 0
}

// copied reports whether an object has its annotations from its owner, which Curfew looks after instead: a Deployment gives
// its ReplicaSets its own. Where it is the object's own mistake, Curfew has said so.
func copied(o *kind.Object) bool {
	if o.Owner == nil || strings.Contains(annotation.ParseStatus(o.Annotations[annotation.StatusKey]).Message, o.Unfit) {
		return false
	}
	return slices.ContainsFunc(kind.Known(), func(k *kind.Kind) bool { return k.Name == o.Owner.Kind })
}

// subjects joins what was read, by namespace, name and kind. It is pure.
func subjects(objects []Object, around Around, settings observe.Settings) []Subject {
	n := around.index(objects)
	all := make([]Subject, len(objects))
	for i, o := range objects {
		all[i] = n.subject(o, settings)
	}
	slices.SortFunc(all, func(x, y Subject) int { return x.Key().Compare(y.Key()) })
	return all
}

func (n neighbours) subject(o Object, settings observe.Settings) Subject {
	o.Object = observe.LeftTo(o.Object, n.scalers[kind.AsTarget(o.Key())], n.defaults(o.Namespace), n.now)
	if copied(o.Object) {
		own := *o.Object
		own.Annotations = nil
		o.Object = &own
	}
	s := Subject{Object: o, Namespace: n.namespaces[o.Namespace], Inherited: n.inherited(o.Object), neighbours: n}
	s.settings = flagged(o.Object, settings)
	n.gather(&s, s.settings)
	s.Zone = s.zone()
	return s
}

// With is the subject if these were its annotations.
func (s Subject) With(own map[string]string) Subject {
	o := *s.Object.Object
	o.Annotations = own
	s.Object.Object = &o
	s.neighbours.gather(&s, s.settings)
	return s
}

// Under is the subject if these were the annotations of its Namespace for what is in it.
func (s Subject) Under(defaults map[string]string) Subject {
	s.neighbours = s.neighbours.with(s.Object.Namespace, defaults)
	s.Inherited = s.neighbours.inherited(s.Object.Object)
	s.neighbours.gather(&s, s.settings)
	return s
}

func (s Subject) zone() *time.Location {
	spec := s.Workload.Spec
	_, own := s.Object.Annotations[annotation.Timezone]
	name, inherited := s.Inherited[annotation.Timezone]
	if !own && inherited && spec.Schedule == nil { // the Namespace's zone was of no use so far
		if zone, err := timewindow.LoadZone(strings.TrimSpace(name)); err == nil {
			return zone
		}
	}
	return ZoneOf(spec, own || inherited)
}

// ZoneOf is the zone to show times in: the one that an annotation names, or the one that all rules name, or the one that
// both are read in. named is whether an annotation does.
func ZoneOf(spec annotation.Spec, named bool) *time.Location {
	if !named && spec.Schedule != nil {
		if zone := spec.Schedule.Location(); zone != nil {
			return zone
		}
	}
	return spec.Zone
}
