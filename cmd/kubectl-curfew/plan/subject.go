package plan

import (
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/timewindow"
)

// subject is a text of rules or an object that carries some.
type subject struct {
	place           string     // where the rules stand, for messages
	kind            *kind.Kind // nil for a text
	namespace, name string     // empty for a text
	workload        decide.Workload
	uid             types.UID      // "" where it is not in the cluster
	zone            *time.Location // the zone its times are shown in, and its days start in
	normal          *int32         // its normal size, if anybody says so
	normalMax       int32          // its normal maximum; 0 where it has none, or nobody knows
	size            *int32         // the size that its manifest asks for, if it does
	request         request        // of one replica
	note            string         // why the plan will not come true
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
	case w.Autoscaler != nil && w.Spec.Floor && !w.Autoscaler.Own && w.Autoscaler.Owner == "":
		s.note = fmt.Sprintf("sizes above 0 are the minReplicas of the HorizontalPodAutoscaler %s", w.Autoscaler.Name)
	case w.Autoscaler != nil:
		s.note = fmt.Sprintf("the HorizontalPodAutoscaler %s owns every size above 0", w.Autoscaler.Name)
	}
}

// ofLive reads an object of a cluster. It reports false if a mistake leaves nothing to plan.
func ofLive(l live.Subject) (subject, bool, []error) { return of(l, l.Key().String()) }

// of reads an object whose rules stand in a place. It reports false if a mistake leaves nothing to plan.
func of(l live.Subject, place string) (s subject, ok bool, errs []error) {
	s = subject{
		place: place,
		kind:  l.Object.Kind, namespace: l.Object.Namespace, name: l.Object.Name,
		zone: l.Zone,
	}
	w := l.Workload
	windows, _ := l.Annotation(annotation.Windows)
	errs = s.mistakes(windows, w.Spec.Zone, w.Problems)
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
	s.normalMax, _ = w.NormalMax()
	return s, true, errs
}

// mistakes says what is wrong with an object's annotations, with a caret where there is a text to point into. Those of
// its Namespace are said of that, in the same words for all in it, so that nobody reads them a thousand times.
func (s subject) mistakes(windows string, zone *time.Location, problems annotation.Problems) []error {
	var errs []error
	for _, m := range live.Mistakes(windows, zone, problems) {
		place := s.place
		if m.Namespace {
			place = "Namespace " + manifest.Printable(s.namespace)
			m.Namespace = false
		}
		if m.Faults == nil {
			errs = append(errs, fmt.Errorf("%s: %w", place, m.Problem))
		} else {
			errs = append(errs, rendered(place+": annotation "+annotation.Windows, windows, m.Faults))
		}
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
