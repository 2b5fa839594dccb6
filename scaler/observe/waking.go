package observe

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"
)

// Woken is when Curfew gave a Deployment its size, to the second before; zero if that is 0 or somebody else's.
func Woken(d *appsv1.Deployment) time.Time {
	if ptr.Deref(d.Spec.Replicas, 1) == 0 || !WriterOf(d.ManagedFields).Curfew {
		return time.Time{}
	}
	for _, e := range d.ManagedFields {
		if e.Manager == FieldManager && e.Subresource == "" && e.Time != nil {
			return e.Time.Time
		}
	}
	return time.Time{}
}

// Up reports whether all replicas that a Deployment asks for are available.
func Up(d *appsv1.Deployment) bool {
	return d.Status.ObservedGeneration >= d.Generation && d.Status.AvailableReplicas >= ptr.Deref(d.Spec.Replicas, 1)
}
