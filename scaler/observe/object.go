package observe

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"curfew/scaler/decide"
)

// Object is what Curfew keeps of a Deployment, a quarter of what the type of the API takes even when it is empty: there is
// one in the memory for each Deployment of the cluster, whether Curfew has anything to do with it or not.
type Object struct {
	metav1.ObjectMeta // its name, version and dates, and Curfew's annotations

	Size      int32         // the replicas it asks for; absent is 1, as the API server would have it
	Available int32         // the replicas that are available
	Seen      int64         // the generation that its controller has seen
	Writer    decide.Writer // who set the size
	Woken     time.Time     // when Curfew gave it its size, to the second before; zero if that is 0 or somebody else's
}

// Of is what Curfew keeps of a Deployment.
func Of(d *appsv1.Deployment) *Object {
	o := &Object{
		ObjectMeta: trimMeta(&d.ObjectMeta),
		Size:       ptr.Deref(d.Spec.Replicas, 1),
		Available:  d.Status.AvailableReplicas,
		Seen:       d.Status.ObservedGeneration,
	}
	o.Generation = d.Generation
	owners := sizeOwners(d.ManagedFields)
	o.Writer = writerOf(owners)
	if o.Size > 0 && o.Writer.Curfew {
		o.Woken = woken(owners)
	}
	return o
}

// Up reports whether all replicas that an object asks for are available.
func (o *Object) Up() bool { return o.Seen >= o.Generation && o.Available >= o.Size }

// GetObjectKind says what an Object is to the API server, for the events that are about it.
func (o *Object) GetObjectKind() schema.ObjectKind {
	kind := metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}
	return &kind
}

// DeepCopyObject makes an Object a runtime.Object.
func (o *Object) DeepCopyObject() runtime.Object {
	deep := *o
	deep.ObjectMeta = *o.DeepCopy()
	return &deep
}
