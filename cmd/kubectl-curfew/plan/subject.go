package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// subject is a text of rules or an object that carries one.
type subject struct {
	place                 string               // where the rules stand, for messages
	kind, namespace, name string               // empty for a text
	schedule              *timewindow.Schedule // nil if opted out
	zone                  *time.Location       // the zone its times are shown in, and its days start in
	replicas              *int32               // its normal size, if it is known
}

// ofText reads rules from the command line. zone is nil if none was given.
func ofText(text string, zone *time.Location) (subject, error) {
	s := subject{place: "--windows"}
	if !annotation.IsOptOut(text) {
		schedule, err := timewindow.Parse(text, zone)
		if err != nil {
			return s, rendered(s.place, text, err)
		}
		s.schedule = schedule
	}
	s.zone = shown(s.schedule, zone)
	return s, nil
}

// ofObjects picks the Deployments with rules. The errors are the mistakes in the others.
func ofObjects(objects []manifest.Object, zone *time.Location) ([]subject, []error) {
	var subjects []subject
	var errs []error
	for _, object := range objects {
		if object.GetAPIVersion() != "apps/v1" || object.GetKind() != "Deployment" {
			continue
		}
		s, mistakes := ofObject(object, zone)
		_, has := object.GetAnnotations()[annotation.Windows]
		switch {
		case len(mistakes) > 0:
			errs = append(errs, mistakes...)
		case has:
			subjects = append(subjects, s)
		}
	}
	return subjects, errs
}

func ofObject(object manifest.Object, zone *time.Location) (subject, []error) {
	s := subject{
		place: object.String(),
		kind:  object.GetKind(), namespace: object.GetNamespace(), name: object.GetName(),
	}
	if errs := notText(object); len(errs) > 0 {
		return s, errs
	}
	annotations := object.GetAnnotations()
	spec, problems := annotation.Parse(annotations, zone)
	if len(problems) > 0 {
		return s, mistakes(s.place, annotations[annotation.Windows], spec.Zone, problems)
	}
	if _, ok := annotations[annotation.Timezone]; ok {
		zone = spec.Zone
	}
	s.schedule, s.replicas = spec.Schedule, spec.Replicas
	s.zone = shown(s.schedule, zone)
	return s, nil
}

// mistakes says what is wrong with an object's annotations, with a caret where there is a text to point into.
func mistakes(place, windows string, zone *time.Location, problems annotation.Problems) []error {
	var errs []error
	rules := false
	for _, p := range problems {
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

// notText finds the annotations that an API server would refuse, the usual one being a number without quotes. An
// unstructured object does not give any of its annotations then.
func notText(object manifest.Object) []error {
	metadata, _ := object.Object["metadata"].(map[string]any)
	annotations, ok := metadata["annotations"].(map[string]any)
	ours := func(key string) bool { return strings.HasPrefix(key, annotation.Prefix) }
	if !ok || !slices.ContainsFunc(slices.Collect(maps.Keys(annotations)), ours) {
		return nil // whatever it is, it is none of ours
	}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		value := annotations[key]
		if _, ok := value.(string); ok {
			continue
		}
		cure := "write text"
		switch value := value.(type) {
		case nil:
			cure = "it has no value; write one, or remove it"
		case bool, float64:
			cure = fmt.Sprintf("%v is no text; write it in quotes: %s", value, strconv.Quote(fmt.Sprint(value)))
		}
		errs = append(errs, fmt.Errorf("%s: annotation %s: %s", object, manifest.Printable(key), cure))
	}
	return errs
}

// shown is the zone to show a schedule's times in: the one that was given; else the one that all its rules name; else UTC.
func shown(s *timewindow.Schedule, given *time.Location) *time.Location {
	switch {
	case given != nil:
		return given
	case s == nil:
		return time.UTC
	}
	if zone := s.Location(); zone != nil {
		return zone
	}
	return time.UTC
}
