package live

import (
	"cmp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
	"curfew/timewindow"
)

// Subject is a Deployment and what has a say in its size.
type Subject struct {
	Deployment *appsv1.Deployment // as the server has it
	Namespace  *corev1.Namespace  // nil where it could not be read
	Inherited  map[string]string  // the Namespace's annotations that are defaults for the Deployment
	Workload   decide.Workload    // what the controller would see
	Zone       *time.Location     // the one to show its times in
}

// Name is the name of the Deployment with its namespace.
func (s Subject) Name() cache.ObjectName { return cache.MetaObjectToName(s.Deployment) }

// Concerned reports whether Curfew has anything to do with the Deployment: it has rules or an override, be they
// inherited, an opt-out, a mistake, or something that Curfew wrote.
func (s Subject) Concerned() bool {
	spec := s.Workload.Spec
	return annotation.Has(s.Deployment.Annotations) || spec.Schedule != nil || len(spec.Overrides) > 0 || len(s.Workload.Problems) > 0
}

// neighbours is what was read besides Deployments.
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

// subjects joins what was read, by namespace and name. It is pure.
func subjects(deployments []*appsv1.Deployment, n neighbours, settings observe.Settings) []Subject {
	all := make([]Subject, len(deployments))
	for i, d := range deployments {
		all[i] = n.subject(d, settings)
	}
	slices.SortFunc(all, func(x, y Subject) int {
		return cmp.Or(cmp.Compare(x.Deployment.Namespace, y.Deployment.Namespace), cmp.Compare(x.Deployment.Name, y.Deployment.Name))
	})
	return all
}

// inherited is what a Namespace says for the Deployments in it; nil if nothing.
func (n neighbours) inherited(namespace string) map[string]string {
	ns := n.namespaces[namespace]
	if ns == nil || observe.SystemNamespaces().Has(namespace) {
		return nil
	}
	return annotation.Only(ns.Annotations)
}

func (n neighbours) subject(d *appsv1.Deployment, settings observe.Settings) Subject {
	s := Subject{Deployment: d, Namespace: n.namespaces[d.Namespace], Inherited: n.inherited(d.Namespace)}
	// The controller was told by a flag how long a new Deployment is left alone. Nobody else knows; but it says so.
	if status := annotation.ParseStatus(d.Annotations[annotation.StatusKey]); status.State == annotation.StateWaiting && !decide.InTurn(status) {
		settings.Grace = status.Until.Sub(d.CreationTimestamp.Time)
	}
	o := kind.Deployment.Of(d)
	s.Workload = observe.Workload(o, s.Inherited, observe.Autoscaler(n.autoscalers[observe.AsTarget(o.Key())]), settings)
	s.Zone = s.zone()
	return s
}

func (s Subject) zone() *time.Location {
	spec := s.Workload.Spec
	_, own := s.Deployment.Annotations[annotation.Timezone]
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
