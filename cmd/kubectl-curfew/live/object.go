package live

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"curfew/scaler/kind"
)

// Object is an object that has a size, as it was read.
type Object struct {
	*kind.Object                            // what Curfew sees of it
	Ready        int32                      // how many of its replicas are ready
	Raw          *unstructured.Unstructured // as the server has it; nil where it is watched, for then it is not kept
}

// Read is an object of a kind as the server has it.
func Read(k *kind.Kind, u *unstructured.Unstructured) Object {
	o := of(k, source(k, u))
	o.Raw = u
	return o
}

func of(k *kind.Kind, from kind.Source) Object {
	o := Object{Object: k.Of(from)}
	switch is := from.(type) {
	case *appsv1.Deployment:
		o.Ready = is.Status.ReadyReplicas
	case *appsv1.StatefulSet:
		o.Ready = is.Status.ReadyReplicas
	case *unstructured.Unstructured:
		o.Ready = o.Available
		if ready, there, err := unstructured.NestedInt64(is.Object, "status", "readyReplicas"); err == nil && there {
			o.Ready = int32(ready) //nolint:gosec // as the API server has it
		}
	}
	return o
}

// source is the object of its type, where it has one: else all that is read of it would be converted for itself.
func source(k *kind.Kind, u *unstructured.Unstructured) kind.Source {
	if !kind.IsKnown(k) {
		return u
	}
	typed, err := scheme.Scheme.New(k.GroupVersionKind())
	if err != nil || runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed) != nil {
		return u
	}
	if from, ok := typed.(kind.Source); ok {
		return from
	}
	return u
}

// FullName is the object as kubectl prints it where there are several kinds, such as deployment.apps/web.
func (o Object) FullName() string { return FullName(o.Kind, o.Name) }

// FullName is an object of a kind as kubectl prints it where there are several kinds.
func FullName(k *kind.Kind, name string) string {
	text := strings.ToLower(k.Name)
	if group := k.Resource.Group; group != "" {
		text += "." + group
	}
	return text + "/" + name
}

// Arg is the object as a person would type it, such as deploy/web.
func (o Object) Arg() string {
	return words(o.Kind)[0] + "/" + o.Name
}
