package kind

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FuzzOwners reads any set of fields. Whoever does not own the size is not taken for its writer.
func FuzzOwners(f *testing.F) {
	f.Add([]byte(`{"f:spec":{"f:replicas":{}}}`), "kubectl", "scale")
	f.Add([]byte(`{"f:spec":{"f:template":{"f:replicas":{}}}}`), "curfew", "")
	f.Add([]byte(`{"f:spec":{"f:replicas":`), "", "")
	f.Add([]byte(`{"f:spec":{"f:replicas":null}}`), "a", "status")
	f.Fuzz(func(t *testing.T, fields []byte, manager, subresource string) {
		d := &appsv1.Deployment{}
		d.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Subresource: subresource, FieldsV1: metav1.NewFieldsV1(string(fields))}}
		w := Deployment.Of(d).Writer
		if w.Manager != "" && (w.Manager != manager || !owns(fields, sizeInReplicas[0])) {
			t.Errorf("%q is said to be the writer", w.Manager)
		}
		if w.Curfew && (w.Scale || manager != FieldManager) {
			t.Errorf("%+v is taken for Curfew", w)
		}
	})
}
