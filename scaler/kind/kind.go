// Package kind knows what is particular to each kind of object that has a size: where it keeps that, what it means there,
// and what else Curfew has to know of it. What all kinds have in common is in [Object], so nobody else has to know which
// kind an object is of. A kind is a file here and a row in the table of [Known]. The package is pure.
package kind

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/annotation"
)

// Kind is a kind of objects that have a size. There is one of each in a process, so that kinds are compared by address.
type Kind struct {
	Resource schema.GroupVersionResource // what the API server has them under
	Name     string                      // as manifests have it, such as Deployment
	Sizer

	Counted  bool // the size is a number of pods, so that what is below normal is saved
	Inherits bool // what a Namespace says for its workloads is meant for them too
	Instead  bool // its objects scale others, which are left to them where they are asked for anything: never both
}

// Sizer is what is particular to a kind.
type Sizer interface {
	// Read fills in what an object has of the kind, its metadata aside. The object is of its type in k8s.io/api where it
	// has one, or unstructured. The error says why it cannot be understood.
	Read(from runtime.Object, o *Object) error
	// Fields are those that hold the size, as managedFields name them: f:spec, f:replicas.
	Fields() [][]string
	// Write adds to a JSON merge patch what gives an object a size.
	Write(o *Object, size int32, patch Patch)
	// Fit makes what rules and overrides ask for what it means for the kind, and reports what means nothing there.
	// own is whether a rule or an override is the object's own: nobody is to blame for what a Namespace says for all kinds.
	Fit(spec *annotation.Spec, own func(key string) bool) annotation.Problems
}

// GroupKind is what its objects are in manifests, whatever the version.
func (k *Kind) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: k.Resource.Group, Kind: k.Name}
}

// GroupVersionKind is what its objects are in manifests.
func (k *Kind) GroupVersionKind() schema.GroupVersionKind {
	return k.Resource.GroupVersion().WithKind(k.Name)
}

// Path is where its objects have their size.
func (k *Kind) Path() []string {
	path := slices.Clone(k.Fields()[0])
	for i := range path {
		path[i] = strings.TrimPrefix(path[i], "f:")
	}
	return path
}

// String is the resource and its group, such as deployments.apps, as --kinds names it.
func (k *Kind) String() string { return k.Resource.GroupResource().String() }

// Logged is the key under which the log has an object, such as deployment.
func (k *Kind) Logged() string { return strings.ToLower(k.Name[:1]) + k.Name[1:] }

// Key names an object of any kind.
type Key struct {
	Kind *Kind
	cache.ObjectName
}

// String is the kind and the name, for messages.
func (k Key) String() string { return k.Kind.Name + " " + k.ObjectName.String() }

// Compare orders keys: by namespace and name, for a kind means nothing to anybody who waits.
func (k Key) Compare(other Key) int {
	return cmp.Or(
		cmp.Compare(k.Namespace, other.Namespace),
		cmp.Compare(k.Name, other.Name),
		cmp.Compare(k.Kind.Resource.Group, other.Kind.Resource.Group),
		cmp.Compare(k.Kind.Resource.Resource, other.Kind.Resource.Resource))
}

// Patch is a JSON merge patch.
type Patch map[string]any

// Set gives the field at a path a value; nil removes it.
func (p Patch) Set(value any, path ...string) {
	at := map[string]any(p)
	for _, name := range path[:len(path)-1] {
		below, ok := at[name].(map[string]any)
		if !ok {
			below = map[string]any{}
			at[name] = below
		}
		at = below
	}
	at[path[len(path)-1]] = value
}
