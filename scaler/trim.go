package scaler

import (
	"bytes"
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/annotation"
)

// Trim is the informer's transform. It keeps of a Deployment only what Curfew reads, for the cache holds every
// Deployment of the cluster: who it is, its curfew/… annotations, its size, and who set that. So a cached object must
// never be sent back as a whole. Objects of other types pass as they are.
func Trim(obj any) (any, error) {
	d, ok := obj.(*appsv1.Deployment)
	if !ok {
		return obj, nil
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Name:              d.Name,
			Namespace:         d.Namespace,
			UID:               d.UID,
			ResourceVersion:   d.ResourceVersion,
			DeletionTimestamp: d.DeletionTimestamp,
			Annotations:       annotation.Only(d.Annotations),
			ManagedFields:     sizeOwners(d.ManagedFields),
		},
		Spec: appsv1.DeploymentSpec{Replicas: d.Spec.Replicas},
	}, nil
}

// sizeOwners keeps the entries that own spec.replicas, without their lists of fields.
func sizeOwners(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	var owners []metav1.ManagedFieldsEntry
	for _, e := range entries {
		if e.FieldsV1 == nil || !ownsReplicas(e.FieldsV1.Raw) {
			continue
		}
		owners = append(owners, metav1.ManagedFieldsEntry{
			Manager: e.Manager, Operation: e.Operation, Subresource: e.Subresource, Time: e.Time,
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
