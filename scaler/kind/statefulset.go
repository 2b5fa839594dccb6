package kind

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// StatefulSet keeps its volumes while its pods are gone, unless its persistentVolumeClaimRetentionPolicy says that they
// go with them.
var StatefulSet = &Kind{
	Resource: appsv1.SchemeGroupVersion.WithResource("statefulsets"), Name: "StatefulSet",
	Sizer: statefulSet{}, Counted: true, Inherits: true,
}

type statefulSet struct{ replicas }

// Read takes the size from spec.replicas.
func (statefulSet) Read(from runtime.Object, o *Object) error {
	var s *appsv1.StatefulSet
	if err := as(from, &s); err != nil {
		return err
	}
	o.Size = ptr.Deref(s.Spec.Replicas, 1)
	o.Available, o.Seen = s.Status.AvailableReplicas, s.Status.ObservedGeneration
	return nil
}
