package override

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// target is an object to write to: a Deployment, or a Namespace as the default for those in it.
type target struct {
	namespace *corev1.Namespace // nil: a Deployment
	subjects  []live.Subject    // the Deployment, or those in the Namespace
}

// targetsOf pairs the objects that the arguments name with what was read about them. Of everything, it keeps only what
// Curfew is concerned with.
func targetsOf(objects []runtime.Object, subjects []live.Subject, everything bool) []target {
	deployments := map[cache.ObjectName]live.Subject{}
	namespaces := map[string][]live.Subject{}
	for _, s := range subjects {
		if _, twice := deployments[s.Name()]; !twice {
			deployments[s.Name()] = s
			namespaces[s.Deployment.Namespace] = append(namespaces[s.Deployment.Namespace], s)
		}
	}
	var targets []target
	seen := sets.New[string]()
	for _, object := range objects {
		var t target
		concerned := true
		switch o := object.(type) {
		case *appsv1.Deployment:
			s, ok := deployments[cache.MetaObjectToName(o)]
			if !ok {
				continue
			}
			t, concerned = target{subjects: []live.Subject{s}}, s.Concerned()
		case *corev1.Namespace:
			t, concerned = target{o, namespaces[o.Name]}, annotation.Has(o.Annotations)
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
	return t.subjects[0].Deployment
}

// name is the target as kubectl writes it.
func (t target) name() string {
	if t.namespace != nil {
		return "namespace/" + t.namespace.Name
	}
	return "deployment.apps/" + t.subjects[0].Deployment.Name
}

// arg is the target as a person would type it.
func (t target) arg() string {
	if t.namespace != nil {
		return namespaceArg(t.namespace.Name)
	}
	d := t.subjects[0].Deployment
	return "deploy/" + d.Name + " -n " + d.Namespace
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
