// Package manifest reads Kubernetes objects from files, without a cluster.
//
// The resource builder of cli-runtime does so too. It does not say where in a file a mistake is, leaves a file at the
// first document that it cannot parse, and names no object whose annotations hold a number, which here is the commonest
// mistake of all.
package manifest

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object is an object as somebody wrote it.
type Object struct {
	*unstructured.Unstructured
	Place Place // where its document is

	position position // zero if it comes from no file
}

// Place is where something stands.
type Place struct {
	File   string
	Line   int // counted from 1; 0 if it is not known
	Column int // counted from 1, in characters; 0 if it is not known
}

// String is the place as compilers write it; safe to print to a terminal.
func (p Place) String() string {
	switch {
	case p.Line == 0:
		return Printable(p.File)
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", Printable(p.File), p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", Printable(p.File), p.Line, p.Column)
}

// Name is the kind, namespace and name of the object; safe to print to a terminal.
func (o Object) Name() string {
	name := Printable(o.GetName())
	if o.GetNamespace() != "" {
		name = Printable(o.GetNamespace()) + "/" + name
	}
	return Printable(o.GetKind()) + " " + name
}

// String is the place and the name of the object; safe to print to a terminal.
func (o Object) String() string { return o.Place.String() + ": " + o.Name() }

// Printable quotes what an API server would refuse as a name, but a file may hold.
func Printable(s string) string {
	if q := strconv.Quote(s); q != `"`+s+`"` {
		return q
	}
	return s
}
