package kind

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ReplicasPath is where a resource with a scale subresource has its size, if Curfew is to look after it.
const ReplicasPath = ".spec.replicas"

// NewScaled is a kind of which nothing is known but that it has a scale subresource whose size is [ReplicasPath]. As there
// is to be one of each, who makes it keeps it.
func NewScaled(resource schema.GroupVersionResource, name string) *Kind {
	return &Kind{Resource: resource, Name: name, Sizer: scaled{}, Counted: true, Inherits: true}
}

type scaled struct{ replicas }

// Read takes the size from spec.replicas, 1 if that is absent, as the kinds in use have it. How much of that is there is in
// status.availableReplicas, readyReplicas or replicas, whichever the kind has.
func (scaled) Read(from runtime.Object, o *Object) error {
	u, ok := from.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("it is a %T", from)
	}
	size, there, err := unstructured.NestedInt64(u.Object, "spec", "replicas")
	switch {
	case err != nil:
		return fmt.Errorf("%s is no number; Curfew cannot scale it", ReplicasPath)
	case !there:
		size = 1
	case size < 0 || size > maxSize:
		return fmt.Errorf("%s is %d; Curfew cannot scale it", ReplicasPath, size)
	}
	o.Size = int32(size)
	for _, field := range []string{"availableReplicas", "readyReplicas", "replicas"} {
		if n, there, err := unstructured.NestedInt64(u.Object, "status", field); err == nil && there {
			o.Available = int32(min(max(n, 0), maxSize))
			break
		}
	}
	o.Seen = seen(u)
	return nil
}

// maxSize is the largest that the API has room for.
const maxSize = 1<<31 - 1

// seen is status.observedGeneration, which some kinds have as text and some have not; then it counts as seen.
func seen(u *unstructured.Unstructured) int64 {
	value, there, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "observedGeneration")
	switch n := value.(type) {
	case int64:
		return n
	case string:
		if n, err := strconv.ParseInt(n, 10, 64); err == nil {
			return n
		}
	}
	if !there {
		return u.GetGeneration()
	}
	return 0
}
