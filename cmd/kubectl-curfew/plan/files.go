package plan

import (
	"fmt"
	"strings"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// files are manifests, and what they say of each other.
type files struct {
	objects     []manifest.Object
	namespaces  map[string]map[string]string // their annotations, by name
	autoscalers map[kind.Target][]*autoscalingv2.HorizontalPodAutoscaler
	instead     map[kind.Target][]*kind.Object // what is scaled in the stead of what
	targets     map[kind.Target]*kind.Object   // all there is that has a size
	kinds       *manifest.Kinds
	zone        *time.Location // nil if none was given
	now         time.Time
}

// newFiles looks at all objects. kinds are those that the controller looks after, as far as that is known.
func newFiles(objects []manifest.Object, kinds *manifest.Kinds, zone *time.Location, now time.Time) *files {
	f := &files{
		objects: objects, kinds: kinds, zone: zone, now: now,
		namespaces: map[string]map[string]string{}, autoscalers: map[kind.Target][]*autoscalingv2.HorizontalPodAutoscaler{},
		instead: map[kind.Target][]*kind.Object{}, targets: map[kind.Target]*kind.Object{},
	}
	for _, object := range objects {
		if object.GetAPIVersion() == "v1" && object.GetKind() == "Namespace" && !observe.SystemNamespaces().Has(object.GetName()) {
			f.namespaces[object.GetName()] = object.GetAnnotations()
		}
		k := f.kinds.Of(object)
		if k == nil {
			continue
		}
		is := object.As(k)
		f.targets[kind.AsTarget(is.Key())] = is
		switch {
		case is.Target == nil:
		case k.Instead && f.kinds.Meant(object, k):
			f.instead[*is.Target] = append(f.instead[*is.Target], is)
		case k == kind.Autoscaler:
			f.autoscalers[*is.Target] = append(f.autoscalers[*is.Target], &autoscalingv2.HorizontalPodAutoscaler{
				ObjectMeta: metav1.ObjectMeta{Name: is.Name, Namespace: is.Namespace, Annotations: is.Annotations},
				Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: ptr.To(is.Size)},
			})
		}
	}
	return f
}

// planned are the objects to plan, with their kinds.
func (f *files) planned(yield func(manifest.Object, *kind.Kind) bool) {
	for _, object := range f.objects {
		if k := f.kinds.Of(object); k != nil && f.kinds.Meant(object, k) && !yield(object, k) {
			return
		}
	}
}

// subjects picks the objects with rules, be they inherited from a Namespace among them. The errors are the mistakes in
// them; those that are not harmless leave an object out.
func (f *files) subjects() ([]subject, []error) {
	var subjects []subject
	var errs []error
	for object, k := range f.planned {
		s, ok, mistakes := f.subject(object, k, f.namespaces[object.GetNamespace()])
		errs = append(errs, mistakes...)
		if ok && s.asks() {
			subjects = append(subjects, s)
		}
	}
	return subjects, errs
}

// subject reads an object whose Namespace has such annotations. It reports false if a mistake leaves nothing to plan.
func (f *files) subject(object manifest.Object, k *kind.Kind, namespace map[string]string) (s subject, ok bool, errs []error) {
	place := object.String()
	for _, m := range object.NotText(annotation.Prefix) {
		errs = append(errs, fmt.Errorf("%s: annotation %s: %s", object, manifest.Printable(m.Key), m))
	}
	if len(errs) > 0 {
		return s, false, errs
	}
	is := object.As(k)
	around := live.Around{Now: f.now}
	if namespace != nil {
		around.Namespaces = []*corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: is.Namespace, Annotations: namespace}}}
	}
	me := kind.AsTarget(is.Key())
	around.Others = append(around.Others, f.instead[me]...)
	for _, h := range f.autoscalers[me] {
		h.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{Kind: me.Kind, Name: me.Name}
		around.Autoscalers = append(around.Autoscalers, h)
	}
	if is.Target != nil && f.targets[*is.Target] != nil {
		around.Others = append(around.Others, f.targets[*is.Target])
	}
	l := live.NewSubjects([]live.Object{{Object: is, Raw: object.Unstructured}}, around, observe.Settings{Zone: f.zone})[0]
	s, ok, errs = of(l, place)
	s.uid = ""
	// What Curfew remembers is not for a manifest to say, and normal is what its next apply makes it.
	s.normal, s.size = l.Workload.Spec.Replicas, nil
	if live.IsSwitch(k) || saysSize(object, k) {
		s.size = &is.Size
	}
	if f.zone != nil {
		s.zone = live.ZoneOf(l.Workload.Spec, true)
	}
	return s, ok, errs
}

// saysSize reports whether a manifest says the size, rather than to leave it to the API server.
func saysSize(object manifest.Object, k *kind.Kind) bool {
	for _, field := range k.Fields() {
		path := make([]string, len(field))
		for i, name := range field {
			path[i] = strings.TrimPrefix(name, "f:")
		}
		if value, there, err := unstructured.NestedFieldNoCopy(object.Object, path...); err == nil && there && value != nil {
			return true
		}
	}
	return false
}
