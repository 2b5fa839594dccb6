package manifest

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"curfew/scaler/kind"
)

// As is what Curfew would keep of an object of a kind, with all the annotations that are text. Its templates are left out,
// for that they are right is for an API server to judge, and so is what of its metadata may be no text.
func (o Object) As(k *kind.Kind) *kind.Object {
	own := o.Annotations()
	metadata := o.without("metadata", "labels", "managedFields", "annotations")
	if len(own) > 0 {
		texts := map[string]any{}
		for key, value := range own {
			texts[key] = value
		}
		metadata["annotations"] = texts
	}
	read := k.Of(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "metadata": metadata,
		"spec": o.without("spec", "template", "jobTemplate", "volumeClaimTemplates", "selector"),
	}})
	read.Annotations = own
	return read
}

// without is a field with fields of its own, without some of them.
func (o Object) without(name string, some ...string) map[string]any {
	above, _ := o.Object[name].(map[string]any)
	fields := maps.Clone(above)
	if fields == nil {
		fields = map[string]any{}
	}
	for _, field := range some {
		delete(fields, field)
	}
	return fields
}
