package observe

import (
	"bytes"
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/annotation"
)

// Trim is the informers' transform, which may be given an object that it has been given before: to trim twice is to trim
// once. It keeps of an object only what Curfew reads, for the cache holds every Deployment,
// Namespace and HorizontalPodAutoscaler of the cluster. So a cached object must never be sent back as a whole. Objects
// of other types pass as they are.
func Trim(obj any) (any, error) {
	switch o := obj.(type) {
	case *appsv1.Deployment:
		d := &appsv1.Deployment{ObjectMeta: trimMeta(&o.ObjectMeta), Spec: appsv1.DeploymentSpec{Replicas: o.Spec.Replicas}}
		d.ManagedFields = sizeOwners(o.ManagedFields)
		d.Generation, d.Status.ObservedGeneration, d.Status.AvailableReplicas = o.Generation, o.Status.ObservedGeneration, o.Status.AvailableReplicas
		return d, nil
	case *corev1.Namespace:
		return &corev1.Namespace{ObjectMeta: trimMeta(&o.ObjectMeta)}, nil
	case *autoscalingv2.HorizontalPodAutoscaler:
		h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: trimMeta(&o.ObjectMeta)}
		h.Spec.ScaleTargetRef, h.Spec.MinReplicas = o.Spec.ScaleTargetRef, o.Spec.MinReplicas
		return h, nil
	}
	return obj, nil
}

func trimMeta(m *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:              m.Name,
		Namespace:         m.Namespace,
		UID:               m.UID,
		ResourceVersion:   m.ResourceVersion,
		CreationTimestamp: m.CreationTimestamp,
		DeletionTimestamp: m.DeletionTimestamp,
		Annotations:       annotation.Only(m.Annotations),
	}
}

// replicasOnly is what is left of the fields that an owner of spec.replicas owns.
var replicasOnly = metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)

// sizeOwners keeps the entries that own spec.replicas, without what else they own.
func sizeOwners(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	var owners []metav1.ManagedFieldsEntry
	for _, e := range entries {
		if e.FieldsV1 == nil || !ownsReplicas(e.FieldsV1.GetRawBytes()) {
			continue
		}
		owners = append(owners, metav1.ManagedFieldsEntry{
			Manager: e.Manager, Operation: e.Operation, Subresource: e.Subresource, Time: e.Time, FieldsV1: replicasOnly,
		})
	}
	return owners
}

// ownsReplicas reads a set of fields, which looks like {"f:spec":{"f:replicas":{}, …}, …}.
func ownsReplicas(fields []byte) bool {
	if !bytes.Contains(fields, []byte(`"f:replicas"`)) { // most do not, and reading JSON costs
		return false
	}
	var set struct {
		Spec struct {
			Replicas *struct{} `json:"f:replicas"`
		} `json:"f:spec"`
	}
	return json.Unmarshal(fields, &set) == nil && set.Spec.Replicas != nil
}
