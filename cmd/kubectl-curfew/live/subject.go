package live

import (
	"slices"
	"strings"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
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
}

// Key names the object.
func (s Subject) Key() kind.Key { return s.Object.Key() }

// Concerned reports whether Curfew has anything to do with the object: it has rules or an override, be they
// inherited, an opt-out, a mistake, or something that Curfew wrote.
func (s Subject) Concerned() bool {
	spec := s.Workload.Spec
	return annotation.Has(s.Object.Annotations) || spec.Schedule != nil || len(spec.Overrides) > 0 || len(s.Workload.Problems) > 0
}

// neighbours is what was read besides what has a size.
type neighbours struct {
	namespaces  map[string]*corev1.Namespace
	autoscalers map[observe.Target][]*autoscalingv2.HorizontalPodAutoscaler // by what they target
}

func newNeighbours(namespaces []*corev1.Namespace, autoscalers []*autoscalingv2.HorizontalPodAutoscaler) neighbours {
	n := neighbours{map[string]*corev1.Namespace{}, map[observe.Target][]*autoscalingv2.HorizontalPodAutoscaler{}}
	for _, ns := range namespaces {
		n.namespaces[ns.Name] = ns
	}
	for _, h := range autoscalers {
		target := observe.TargetOf(h)
		n.autoscalers[target] = append(n.autoscalers[target], h)
	}
	return n
}

// subjects joins what was read, by namespace, name and kind. It is pure.
func subjects(objects []Object, n neighbours, settings observe.Settings) []Subject {
	all := make([]Subject, len(objects))
	for i, o := range objects {
		all[i] = n.subject(o, settings)
	}
	slices.SortFunc(all, func(x, y Subject) int { return x.Key().Compare(y.Key()) })
	return all
}

// inherited is what a Namespace says for an object in it; nil if nothing.
func (n neighbours) inherited(o *kind.Object) map[string]string {
	if !o.Kind.Inherits || o.Unfit != "" {
		return nil
	}
	return n.defaults(o.Namespace)
}

// defaults is what a Namespace says for what is in it; nil if nothing.
func (n neighbours) defaults(namespace string) map[string]string {
	ns := n.namespaces[namespace]
	if ns == nil || observe.SystemNamespaces().Has(namespace) {
		return nil
	}
	return annotation.Only(ns.Annotations)
}

func (n neighbours) subject(o Object, settings observe.Settings) Subject {
	s := Subject{Object: o, Namespace: n.namespaces[o.Namespace], Inherited: n.inherited(o.Object)}
	// The controller was told by a flag how long a new workload is left alone. Nobody else knows; but it says so.
	if status := annotation.ParseStatus(o.Annotations[annotation.StatusKey]); status.State == annotation.StateWaiting && !decide.InTurn(status) {
		settings.Grace = status.Until.Sub(o.CreationTimestamp.Time)
	}
	s.Workload = observe.Workload(o.Object, s.Inherited, observe.Autoscaler(n.autoscalers[observe.AsTarget(o.Key())]), settings)
	s.Zone = s.zone()
	return s
}

// With is the subject if these were the annotations of the object, and those of its Namespace for what is in it, where the
// controller's own zone is this.
func (s Subject) With(own, defaults map[string]string, zone *time.Location) Subject {
	o := *s.Object.Object
	o.Annotations = own
	s.Object.Object = &o
	if o.Kind.Inherits && o.Unfit == "" {
		s.Inherited = defaults
	}
	s.Workload = observe.Workload(&o, s.Inherited, s.Workload.Autoscaler, observe.Settings{Zone: zone, Grace: s.Workload.Grace})
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
