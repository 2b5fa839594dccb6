package lint

import (
	"time"

	"k8s.io/client-go/tools/cache"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// surroundings are what the other objects say about one.
type surroundings struct {
	told        Options
	namespaces  map[string]map[string]string   // annotations, by name
	autoscalers map[kind.Target][]*kind.Object // HorizontalPodAutoscalers, by what they scale
	instead     map[kind.Target][]*kind.Object // what is scaled in the stead of its target, by that
	kinds       manifest.Kinds
	said        map[*kind.Kind]bool // that the controller has to be told of them
}

// survey looks at all objects for what they say of each other.
func survey(objects []manifest.Object, told Options) *surroundings {
	s := &surroundings{
		told: told, kinds: manifest.Kinds{Told: told.Kinds}, namespaces: map[string]map[string]string{}, said: map[*kind.Kind]bool{},
		autoscalers: map[kind.Target][]*kind.Object{}, instead: map[kind.Target][]*kind.Object{},
	}
	for _, o := range objects {
		if is(o, "Namespace") {
			if _, ok := s.namespaces[o.GetName()]; !ok && !observe.SystemNamespaces().Has(o.GetName()) {
				s.namespaces[o.GetName()] = o.Annotations()
			}
			continue
		}
		k := kind.Called(kind.Known(), groupKind(o))
		if k == nil || k != kind.Autoscaler && !k.Instead {
			continue
		}
		by := s.autoscalers
		if k.Instead {
			by = s.instead
		}
		if is := o.As(k); is.Target != nil {
			by[*is.Target] = append(by[*is.Target], is)
		}
	}
	return s
}

// asTarget is an object as autoscalers name it.
func asTarget(o manifest.Object) kind.Target {
	return kind.Target{Kind: o.GetKind(), ObjectName: cache.NewObjectName(o.GetNamespace(), o.GetName())}
}

// inherited are the annotations of its Namespace that reach an object, as far as Curfew looks after it.
func (s *surroundings) inherited(o manifest.Object, k *kind.Kind) map[string]string {
	if !k.Inherits || !s.kinds.Meant(o, k) {
		return nil
	}
	return s.namespaces[o.GetNamespace()]
}

// leftTo is an object as a decision is to see it among those of which it is the target.
func (s *surroundings) leftTo(o *kind.Object) *kind.Object {
	target := kind.AsTarget(o.Key())
	var namespace map[string]string
	if s.kinds.Watched(kind.ScaledObject) {
		namespace = s.namespaces[o.Namespace]
	}
	return observe.LeftTo(o, s.instead[target], namespace, time.Time{}) // be an override over or not
}
