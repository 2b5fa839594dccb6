package plan

import (
	"errors"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/observe"
	"curfew/timewindow"
)

// subject is a text of rules or an object that carries some.
type subject struct {
	place                 string // where the rules stand, for messages
	kind, namespace, name string // empty for a text
	workload              decide.Workload
	uid                   types.UID      // "" where it is not in the cluster
	zone                  *time.Location // the zone its times are shown in, and its days start in
	normal                *int32         // its normal size, if anybody says so
	size                  *int32         // the size that its manifest asks for, if it does
	request               request        // of one replica
	note                  string         // why the plan will not come true
}

// ofText reads rules from the command line. zone is nil if none was given.
func ofText(text string, zone *time.Location) (subject, error) {
	s := subject{place: "--windows"}
	spec := &s.workload.Spec
	spec.OptedOut, spec.Zone = annotation.IsOptOut(text), zone
	if zone == nil {
		spec.Zone = time.UTC
	}
	if !spec.OptedOut {
		schedule, err := timewindow.Parse(text, zone)
		if err != nil {
			return s, rendered(s.place, text, err)
		}
		spec.Schedule = schedule
	}
	s.zone = live.ZoneOf(*spec, zone != nil)
	return s, nil
}

// asks reports whether there is anything to plan.
func (s subject) asks() bool {
	spec := s.workload.Spec
	return spec.Schedule != nil || spec.OptedOut || len(spec.Overrides) > 0
}

// normalSize is the normal size in replicas as far as it is known: as somebody says, or as the manifest asks, or one, as
// the API server would have it.
func (s subject) normalSize() int32 {
	if s.normal != nil {
		return *s.normal
	}
	return ptr.Deref(s.size, 1)
}

// about takes the workload, and what a plan of it has to say besides.
func (s *subject) about(w decide.Workload) {
	s.workload = w
	switch {
	case w.Spec.Paused:
		s.note = "paused: none of this happens until " + annotation.Paused + " is removed"
	case w.Autoscaler != nil:
		s.note = fmt.Sprintf("the HorizontalPodAutoscaler %s owns every size above 0", w.Autoscaler.Name)
	}
}

// ofObjects picks the Deployments with rules, be they inherited from a Namespace among the objects. The errors are the
// mistakes in them; those that are not harmless leave a Deployment out.
func ofObjects(objects []manifest.Object, zone *time.Location) ([]subject, []error) {
	namespaces := namespacesIn(objects)
	var subjects []subject
	var errs []error
	for _, object := range objects {
		if !isDeployment(object) {
			continue
		}
		s, ok, mistakes := ofObject(object, namespaces[object.GetNamespace()], zone)
		errs = append(errs, mistakes...)
		if ok && s.asks() {
			subjects = append(subjects, s)
		}
	}
	return subjects, errs
}

func isDeployment(object manifest.Object) bool {
	return object.GetAPIVersion() == "apps/v1" && object.GetKind() == "Deployment"
}

// namespacesIn are the annotations of the Namespaces among objects, by name, without those from which nothing is inherited.
func namespacesIn(objects []manifest.Object) map[string]map[string]string {
	namespaces := map[string]map[string]string{}
	for _, object := range objects {
		if object.GetAPIVersion() == "v1" && object.GetKind() == "Namespace" && !observe.SystemNamespaces().Has(object.GetName()) {
			namespaces[object.GetName()] = object.GetAnnotations()
		}
	}
	return namespaces
}

// ofObject reads a Deployment. It reports false if a mistake leaves nothing to plan.
func ofObject(object manifest.Object, namespace map[string]string, zone *time.Location) (s subject, ok bool, errs []error) {
	s = subject{
		place: object.String(),
		kind:  object.GetKind(), namespace: object.GetNamespace(), name: object.GetName(),
	}
	for _, m := range object.NotText(annotation.Prefix) {
		errs = append(errs, fmt.Errorf("%s: annotation %s: %s", object, manifest.Printable(m.Key), m))
	}
	if len(errs) > 0 {
		return s, false, errs
	}
	d := &appsv1.Deployment{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, d); err != nil {
		return s, false, []error{fmt.Errorf("%s: %w", s.place, err)}
	}
	own := object.GetAnnotations()
	spec, problems := annotation.ParseIn(namespace, own, zone)
	errs = s.mistakes(windowsOf(namespace, own), spec.Zone, problems)
	if problems.Grave() {
		return s, false, errs
	}
	s.about(decide.Workload{Size: ptr.Deref(d.Spec.Replicas, 1), Spec: spec})
	s.normal, s.size, s.request = spec.Replicas, d.Spec.Replicas, requestOf(d.Spec.Template)
	s.zone = live.ZoneOf(spec, zone != nil || says(annotation.Timezone, namespace, own))
	return s, true, errs
}

// ofLive reads a Deployment of a cluster. It reports false if a mistake leaves nothing to plan.
func ofLive(l live.Subject) (s subject, ok bool, errs []error) {
	s = subject{
		place: l.Key().String(),
		kind:  l.Object.Kind.Name, namespace: l.Object.Namespace, name: l.Object.Name,
		zone: l.Zone,
	}
	w := l.Workload
	errs = s.mistakes(windowsOf(l.Inherited, l.Object.Annotations), w.Spec.Zone, w.Problems)
	if w.Problems.Grave() {
		return s, false, errs
	}
	s.about(w)
	s.uid = l.Object.UID
	if template, ok, _ := unstructured.NestedMap(l.Object.Raw.Object, "spec", "template"); ok {
		var pod corev1.PodTemplateSpec
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(template, &pod); err != nil {
			return s, false, append(errs, fmt.Errorf("%s: %w", s.place, err))
		}
		s.request = requestOf(pod)
	}
	if normal, known := w.Normal(); known {
		s.normal = &normal
	}
	return s, true, errs
}

// windowsOf is the text of the rules that count.
func windowsOf(namespace, own map[string]string) string {
	if text, ok := own[annotation.Windows]; ok {
		return text
	}
	return namespace[annotation.Windows]
}

// says reports whether the key is on the object or its Namespace.
func says(key string, namespace, own map[string]string) bool {
	_, inherited := namespace[key]
	_, has := own[key]
	return has || inherited
}

// mistakes says what is wrong with an object's annotations, with a caret where there is a text to point into. Those of
// its Namespace are said of that, in the same words for all in it, so that nobody reads them a thousand times.
func (s subject) mistakes(windows string, zone *time.Location, problems annotation.Problems) []error {
	var errs []error
	rules := false
	for _, p := range problems {
		place := s.place
		if p.Namespace {
			place = "Namespace " + manifest.Printable(s.namespace)
			p.Namespace = false
		}
		if p.Key != annotation.Windows {
			errs = append(errs, fmt.Errorf("%s: %w", place, p))
			continue
		}
		if rules { // they are all said by now
			continue
		}
		rules = true
		_, err := timewindow.Parse(windows, zone)
		errs = append(errs, rendered(place+": annotation "+annotation.Windows, windows, err))
	}
	return errs
}

// rendered is an error from the parser with carets under the text.
func rendered(place, text string, err error) error {
	if faults := (timewindow.Faults)(nil); errors.As(err, &faults) {
		return fmt.Errorf("%s:\n%s", place, strings.TrimRight(faults.Render(text), "\n"))
	}
	return fmt.Errorf("%s: %w", place, err)
}
