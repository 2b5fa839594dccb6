package kind

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// Deployment is the kind that Curfew looks after if nobody says otherwise.
var Deployment = &Kind{
	Resource: appsv1.SchemeGroupVersion.WithResource("deployments"), Name: "Deployment",
	Sizer: deployment{}, Counted: true, Inherits: true,
}

type deployment struct{ replicas }

// Read takes the size from spec.replicas.
func (deployment) Read(from runtime.Object, o *Object) error {
	var d *appsv1.Deployment
	if err := as(from, &d); err != nil {
		return err
	}
	o.Size = ptr.Deref(d.Spec.Replicas, 1)
	o.Available, o.Seen = d.Status.AvailableReplicas, d.Status.ObservedGeneration
	return nil
}
