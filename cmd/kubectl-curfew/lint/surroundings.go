package lint

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// surroundings are what the other objects say about one.
type surroundings struct {
	told        Options
	namespaces  map[string]map[string]string // annotations, by name
	autoscalers map[target][]string          // names of HorizontalPodAutoscalers, by what they scale
	objects     map[target][]manifest.Object // ScaledObjects, by what they scale
	scaled      []*kind.Kind                 // kinds that are known by nothing but their names
	said        map[*kind.Kind]bool          // that the controller has to be told of them
}

// target is what an autoscaler scales. Its group and version are left out, as those who write manifests are not particular
// about them.
type target struct{ kind, namespace, name string }

// survey looks at all objects for what they say of each other.
func survey(objects []manifest.Object, told Options) *surroundings {
	s := &surroundings{told: told, namespaces: map[string]map[string]string{}, autoscalers: map[target][]string{}, objects: map[target][]manifest.Object{}, said: map[*kind.Kind]bool{}}
	for _, o := range objects {
		switch {
		case is(o, "Namespace"):
			if _, ok := s.namespaces[o.GetName()]; !ok && !observe.SystemNamespaces().Has(o.GetName()) {
				s.namespaces[o.GetName()] = o.Annotations()
			}
		case is(o, "HorizontalPodAutoscaler.autoscaling"):
			t := targetOf(o, "")
			s.autoscalers[t] = append(s.autoscalers[t], o.GetName())
		case groupKind(o) == scaledObject:
			t := targetOf(o, "Deployment")
			s.objects[t] = append(s.objects[t], o)
		}
	}
	return s
}

var scaledObject = schema.GroupKind{Group: "keda.sh", Kind: "ScaledObject"}

// targetOf is what an autoscaler scales, of a kind that is the usual one where it does not say.
func targetOf(o manifest.Object, usual string) target {
	name, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "name")
	kind, _, _ := unstructured.NestedString(o.Object, "spec", "scaleTargetRef", "kind")
	if kind == "" {
		kind = usual
	}
	return target{kind, o.GetNamespace(), name}
}

// asTarget is an object as autoscalers name it.
func asTarget(o manifest.Object) target { return target{o.GetKind(), o.GetNamespace(), o.GetName()} }

// inherited are the annotations of its Namespace that reach an object: what Curfew looks after, and what speaks to it, so
// that it will be told to.
func (s *surroundings) inherited(o manifest.Object, k *kind.Kind) map[string]string {
	if !k.Inherits || !s.watched(k) && (s.told.Kinds != nil || !annotation.Has(o.Annotations())) {
		return nil
	}
	return s.namespaces[o.GetNamespace()]
}

// ruled reports whether Curfew holds an object to rules, its own or its Namespace's.
func (s *surroundings) ruled(o manifest.Object) bool {
	own := o.Annotations()
	if windows, ok := own[annotation.Windows]; ok {
		return !annotation.IsOptOut(windows)
	}
	if _, ok := own[annotation.OverrideKey]; ok {
		return true
	}
	k := s.kindOf(o)
	if k == nil {
		return false
	}
	windows, ok := s.inherited(o, k)[annotation.Windows]
	return ok && !annotation.IsOptOut(windows)
}
