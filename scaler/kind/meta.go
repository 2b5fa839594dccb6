package kind

import (
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/annotation"
)

// TrimMeta keeps of an object's metadata only what Curfew reads.
func TrimMeta(m metav1.Object) metav1.ObjectMeta {
	var own map[string]string
	for key, value := range annotation.Bounded(m.GetAnnotations()) {
		if own == nil {
			own = map[string]string{}
		}
		own[shared(key)] = shared(value)
	}
	return metav1.ObjectMeta{
		Name:              m.GetName(),
		Namespace:         shared(m.GetNamespace()),
		UID:               m.GetUID(),
		ResourceVersion:   m.GetResourceVersion(),
		CreationTimestamp: m.GetCreationTimestamp(),
		DeletionTimestamp: m.GetDeletionTimestamp(),
		Annotations:       own,
	}
}

// shared is the same text, of which there is one in the memory however many objects say it.
func shared(text string) string { return unique.Make(text).Value() }
