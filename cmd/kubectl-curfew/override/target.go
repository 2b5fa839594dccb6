package override

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// target is an object to write to: one that has a size, or a Namespace as the default for what is in it.
type target struct {
	namespace *corev1.Namespace // nil: an object that has a size
	subjects  []live.Subject    // that object, or those in the Namespace
}

// targetsOf pairs the objects that the arguments name with what was read about them. Of everything, it keeps only what
// Curfew is concerned with.
func targetsOf(found []live.Found, subjects []live.Subject, everything bool) []target {
	objects := map[kind.Key]live.Subject{}
	namespaces := map[string][]live.Subject{}
	for _, s := range subjects {
		if _, twice := objects[s.Key()]; !twice {
			objects[s.Key()] = s
			namespaces[s.Object.Namespace] = append(namespaces[s.Object.Namespace], s)
		}
	}
	var targets []target
	seen := sets.New[string]()
	for _, f := range found {
		var t target
		var concerned bool
		if ns := f.Namespace; ns != nil {
			t, concerned = target{ns, namespaces[ns.Name]}, annotation.Has(ns.Annotations)
		} else {
			s, ok := objects[f.Object.Key()]
			if !ok {
				continue
			}
			t, concerned = target{subjects: []live.Subject{s}}, s.Concerned()
		}
		if id := t.object().GetNamespace() + " " + t.name(); !seen.Has(id) && (concerned || !everything) {
			seen.Insert(id)
			targets = append(targets, t)
		}
	}
	return targets
}

func (t target) object() metav1.Object {
	if t.namespace != nil {
		return t.namespace
	}
	return t.subjects[0].Object
}

// name is the target as kubectl writes it.
func (t target) name() string {
	if t.namespace != nil {
		return "namespace/" + t.namespace.Name
	}
	return t.subjects[0].Object.FullName()
}

// arg is the target as a person would type it.
func (t target) arg() string {
	if t.namespace != nil {
		return namespaceArg(t.namespace.Name)
	}
	o := t.subjects[0].Object
	return o.Arg() + " -n " + o.Namespace
}

func namespaceArg(name string) string { return "ns/" + name }

// spec is what the target asks for now; of a Namespace, what it asks of those in it.
func (t target) spec(fallback *time.Location) annotation.Spec {
	if t.namespace == nil {
		return t.subjects[0].Workload.Spec
	}
	spec, _ := annotation.Parse(t.namespace.Annotations, fallback) // as its own, so that its zone counts without rules too
	return spec
}

// timetable is what the target's rules ask for. Those of a Namespace are moved for each Deployment in it by another share
// of the spread; here they are not moved by it.
func (t target) timetable(fallback *time.Location) decide.Timetable {
	if t.namespace == nil {
		return t.subjects[0].Workload.Timetable()
	}
	return decide.Workload{Size: 1, Spec: t.spec(fallback)}.Timetable()
}

// zone is the one in which a time means something for the target.
func (t target) zone(fallback *time.Location) *time.Location {
	if t.namespace == nil {
		return t.subjects[0].Zone
	}
	_, named := t.namespace.Annotations[annotation.Timezone]
	return live.ZoneOf(t.spec(fallback), named)
}

// override is the target's own override; nil if there is none that can be read.
func (t target) override() *annotation.Override { return overrideOn(t.object().GetAnnotations()) }

func overrideOn(annotations map[string]string) *annotation.Override {
	text, ok := annotations[annotation.OverrideKey]
	if !ok {
		return nil
	}
	o, err := annotation.ParseOverride(text)
	if err != nil {
		return nil
	}
	return &o
}

// running is the one of the overrides that counts at an instant; nil if none does.
func running(overrides []annotation.Override, at time.Time) *annotation.Override {
	i := slices.IndexFunc(overrides, func(o annotation.Override) bool { return at.Before(o.Until) })
	if i < 0 {
		return nil
	}
	return &overrides[i]
}
