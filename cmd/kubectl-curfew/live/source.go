package live

import (
	"slices"
	"time"

	"curfew/scaler/annotation"
	"curfew/scaler/observe"
)

// NewSubjects joins objects that were read otherwise than by [Access.Load], by namespace, name and kind. It is pure.
func NewSubjects(objects []Object, around Around, settings observe.Settings) []Subject {
	return subjects(objects, around, settings)
}

// Source is where an input comes from, as the kind of that object; "" where nobody says anything.
type Source string

// FromNamespace is what comes from the Namespace.
const FromNamespace Source = "Namespace"

// Self is what comes from the object itself.
func (s Subject) Self() Source { return Source(s.Object.Kind.Name) }

// led are the annotations that mean the same for who does as another says.
var led = []string{annotation.Windows, annotation.Timezone, annotation.OverrideKey, annotation.Paused, annotation.Grace, annotation.Wave, annotation.Lead, annotation.Spread}

// Annotation is the value that counts of an annotation, and where it comes from: the object, or what it does as, or
// else its Namespace as far as that is a default. For overrides see [Subject.Override].
func (s Subject) Annotation(key string) (string, Source) {
	if value, ok := s.Object.Annotations[key]; ok {
		return value, s.Self()
	}
	if s.Leader != nil {
		if value, ok := s.Leader.Annotations[key]; ok && slices.Contains(led, key) {
			return value, Source(s.Leader.Kind.Name)
		}
	}
	if value, ok := s.Inherited[key]; ok && slices.Contains(annotation.NamespaceKeys(), key) {
		return value, FromNamespace
	}
	return "", ""
}

// Override is the override that is running at an instant, and where it comes from; "" if there is none.
func (s Subject) Override(now time.Time) (annotation.Override, Source) {
	if o, err := annotation.ParseOverride(s.Object.Annotations[annotation.OverrideKey]); err == nil && now.Before(o.Until) {
		return o, s.Self()
	}
	if s.Leader != nil {
		if o, err := annotation.ParseOverride(s.Leader.Annotations[annotation.OverrideKey]); err == nil && now.Before(o.Until) {
			return o, Source(s.Leader.Kind.Name)
		}
	}
	if s.Workload.Spec.OptedOut {
		return annotation.Override{}, ""
	}
	if o, err := annotation.ParseOverride(s.Inherited[annotation.OverrideKey]); err == nil && now.Before(o.Until) {
		return o, FromNamespace
	}
	return annotation.Override{}, ""
}
