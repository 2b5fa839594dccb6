package kind

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// as makes an object one of its type, to which to points then. What was read from a file, or by a client that knows no
// types, is converted.
func as[T any](from runtime.Object, to **T) error {
	if typed, ok := any(from).(*T); ok {
		*to = typed
		return nil
	}
	u, ok := from.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("it is a %T", from)
	}
	*to = new(T)
	return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, *to)
}
