package live

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"curfew/scaler/annotation"
	"curfew/scaler/observe"
)

// NewSubjects joins objects that were read otherwise than by [Access.Load], by namespace and name. It is pure.
func NewSubjects(deployments []*appsv1.Deployment, namespaces []*corev1.Namespace, autoscalers []*autoscalingv2.HorizontalPodAutoscaler, settings observe.Settings) []Subject {
	return subjects(deployments, newNeighbours(namespaces, autoscalers), settings)
}

// Source is where an input comes from; "" where nobody says anything.
type Source string

// The objects that people annotate.
const (
	FromDeployment Source = "Deployment"
	FromNamespace  Source = "Namespace"
)

// Annotation is the value that counts of an annotation, and where it comes from: the Deployment, or else its Namespace as
// far as that is a default. For overrides see [Subject.Override].
func (s Subject) Annotation(key string) (string, Source) {
	if value, ok := s.Deployment.Annotations[key]; ok {
		return value, FromDeployment
	}
	if value, ok := s.Inherited[key]; ok && slices.Contains(annotation.NamespaceKeys(), key) {
		return value, FromNamespace
	}
	return "", ""
}

// Override is the override that is running at an instant, and where it comes from; "" if there is none.
func (s Subject) Override(now time.Time) (annotation.Override, Source) {
	if o, err := annotation.ParseOverride(s.Deployment.Annotations[annotation.OverrideKey]); err == nil && now.Before(o.Until) {
		return o, FromDeployment
	}
	if s.Workload.Spec.OptedOut {
		return annotation.Override{}, ""
	}
	if o, err := annotation.ParseOverride(s.Inherited[annotation.OverrideKey]); err == nil && now.Before(o.Until) {
		return o, FromNamespace
	}
	return annotation.Override{}, ""
}
