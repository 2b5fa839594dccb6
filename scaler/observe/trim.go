package observe

import (
	"bytes"
	"encoding/json"
	"unique"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/annotation"
)

// Trim is the informers' transform. It keeps of an object only what Curfew reads, for the cache holds every Deployment,
// Namespace and HorizontalPodAutoscaler of the cluster. Of a Deployment it makes an [Object]; a cached Namespace or
// autoscaler must never be sent back as a whole. Objects of other types pass as they are.
func Trim(obj any) (any, error) {
	switch o := obj.(type) {
	case *appsv1.Deployment:
		return Of(o), nil
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
	var own map[string]string
	for key, value := range annotation.Bounded(m.Annotations) {
		if own == nil {
			own = map[string]string{}
		}
		own[shared(key)] = shared(value)
	}
	return metav1.ObjectMeta{
		Name:              m.Name,
		Namespace:         shared(m.Namespace),
		UID:               m.UID,
		ResourceVersion:   m.ResourceVersion,
		CreationTimestamp: m.CreationTimestamp,
		DeletionTimestamp: m.DeletionTimestamp,
		Annotations:       own,
	}
}

// shared is the same text, of which there is one in the memory however many objects say it.
func shared(text string) string { return unique.Make(text).Value() }

// sizeOwners are the entries that own spec.replicas.
func sizeOwners(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	var owners []metav1.ManagedFieldsEntry
	for _, e := range entries {
		if e.FieldsV1 != nil && ownsReplicas(e.FieldsV1.GetRawBytes()) {
			owners = append(owners, e)
		}
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
