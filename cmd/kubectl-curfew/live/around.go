package live

import (
	"strings"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// Around is what has a say in the sizes of objects besides the objects themselves.
type Around struct {
	Namespaces  []*corev1.Namespace
	Autoscalers []*autoscalingv2.HorizontalPodAutoscaler
	Others      []*kind.Object // what may scale the objects, and what autoscalers among them scale
	Now         time.Time
}

// neighbours is the same, to look things up in.
type neighbours struct {
	namespaces  map[string]*corev1.Namespace
	autoscalers map[kind.Target][]*autoscalingv2.HorizontalPodAutoscaler // by what they target
	scalers     map[kind.Target][]*kind.Object                           // what is scaled instead, by what it targets
	targets     map[kind.Target]*kind.Object                             // by the name under which others target them
	now         time.Time
}

// index puts what is around some objects in order.
func (a Around) index(objects []Object) neighbours {
	n := neighbours{
		namespaces: map[string]*corev1.Namespace{}, autoscalers: map[kind.Target][]*autoscalingv2.HorizontalPodAutoscaler{},
		scalers: map[kind.Target][]*kind.Object{}, targets: map[kind.Target]*kind.Object{}, now: a.Now,
	}
	for _, ns := range a.Namespaces {
		n.namespaces[ns.Name] = ns
	}
	for _, h := range a.Autoscalers {
		target := kind.TargetOf(h)
		n.autoscalers[target] = append(n.autoscalers[target], h)
	}
	seen := map[kind.Key]bool{}
	add := func(o *kind.Object) {
		if key := o.Key(); !seen[key] {
			seen[key] = true
			n.targets[kind.AsTarget(key)] = o
			// Whether the controller looks after its kind nobody knows here. What it looks after it has written on.
			if o.Kind.Instead && o.Target != nil && annotation.Has(o.Annotations) {
				n.scalers[*o.Target] = append(n.scalers[*o.Target], o)
			}
		}
	}
	for _, o := range objects {
		add(o.Object)
	}
	for _, o := range a.Others {
		add(o)
	}
	return n
}

// inherited is what a Namespace says for an object in it; nil if nothing.
func (n neighbours) inherited(o *kind.Object) map[string]string {
	if !o.Kind.Inherits || o.Unfit != "" {
		return nil
	}
	return n.defaults(o.Namespace)
}

// with are the neighbours in a namespace if that were what it says for what is in it.
func (n neighbours) with(namespace string, defaults map[string]string) neighbours {
	n.namespaces = map[string]*corev1.Namespace{namespace: {ObjectMeta: metav1.ObjectMeta{Name: namespace, Annotations: defaults}}}
	return n
}

// defaults is what a Namespace says for what is in it; nil if nothing.
func (n neighbours) defaults(namespace string) map[string]string {
	ns := n.namespaces[namespace]
	if ns == nil || observe.SystemNamespaces().Has(namespace) {
		return nil
	}
	return annotation.Only(ns.Annotations)
}

// gather gathers what a decision about a subject depends on.
func (n neighbours) gather(s *Subject, settings observe.Settings) {
	o := s.Object.Object
	autoscaler := observe.Autoscaler(n.autoscalers[kind.AsTarget(o.Key())])
	s.Workload = observe.Workload(o, s.Inherited, autoscaler, settings)
	if o.Kind == kind.Autoscaler && o.Target != nil {
		target := n.targets[*o.Target]
		s.Leader, s.Inherited = nil, nil
		if target != nil && target.Unfit == "" && o.Unfit == "" && observe.IsFloor(target.Annotations) && !observe.SaysItself(o.Annotations) {
			s.Leader, s.Inherited = target, n.inherited(target)
			s.Workload = observe.Floor(s.Workload, o, target, s.Inherited, settings)
		}
	}
}

// flagged is what the controller was told by its flags as far as it has said so on an object, for nobody else knows: how
// long a new workload is left alone, and whether HorizontalPodAutoscalers are among its kinds.
func flagged(o *kind.Object, settings observe.Settings) observe.Settings {
	status := annotation.ParseStatus(o.Annotations[annotation.StatusKey])
	if status.State == annotation.StateWaiting && !decide.InTurn(status) {
		settings.Grace = status.Until.Sub(o.CreationTimestamp.Time)
	}
	settings.Floors = !strings.Contains(status.Message, kind.Autoscaler.String())
	return settings
}
