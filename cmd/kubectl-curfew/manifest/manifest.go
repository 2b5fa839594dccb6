// Package manifest reads Kubernetes objects from files, without a cluster.
package manifest

import (
	"errors"
	"io"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/cli-runtime/pkg/resource"
)

// Stdin as the name of a file stands for the standard input.
const Stdin = "-"

// Object is an object as somebody wrote it.
type Object struct {
	*unstructured.Unstructured
	Source string // the file it is from
}

// String says which object it is and where it is from; safe to print to a terminal.
func (o Object) String() string {
	name := Printable(o.GetName())
	if o.GetNamespace() != "" {
		name = Printable(o.GetNamespace()) + "/" + name
	}
	return Printable(o.Source) + ": " + Printable(o.GetKind()) + " " + name
}

// Printable quotes what an API server would refuse, but a file may hold.
func Printable(s string) string {
	if q := strconv.Quote(s); q != `"`+s+`"` {
		return q
	}
	return s
}

// Read returns every object in files, directories, URLs and, for [Stdin], stdin, in the order in which they stand there.
// Lists are taken apart. A document that cannot be read is an error and does not keep the others from being returned.
func Read(files []string, recursive bool, stdin io.Reader) ([]Object, []error) {
	b := resource.NewLocalBuilder().Unstructured().ContinueOnError()
	for _, file := range files {
		if file == Stdin { // the builder would take the one of the process
			b.StdinInUse().Stream(stdin, "stdin")
			continue
		}
		b.FilenameParam(false, &resource.FilenameOptions{Filenames: []string{file}, Recursive: recursive})
	}
	var objects []Object
	var errs []error
	// Not by the builder's own Flatten: that leaves a file at its first bad document.
	err := b.Do().Visit(func(info *resource.Info, err error) error {
		if err != nil {
			return err
		}
		return each(info.Object, func(u *unstructured.Unstructured) {
			objects = append(objects, Object{u, info.Source})
		})
	})
	if all := utilerrors.Aggregate(nil); errors.As(err, &all) {
		errs = utilerrors.Flatten(all).Errors()
	} else if err != nil {
		errs = []error{err}
	}
	return objects, errs
}

// each calls f with the object or, if it is a list, with every object in it. Lists may hold lists.
func each(object runtime.Object, f func(*unstructured.Unstructured)) error {
	switch object := object.(type) {
	case *unstructured.UnstructuredList:
		for i := range object.Items {
			if err := each(&object.Items[i], f); err != nil {
				return err
			}
		}
	case *unstructured.Unstructured:
		if !object.IsList() {
			f(object)
			return nil
		}
		list, err := object.ToList()
		if err != nil {
			return err
		}
		return each(list, f)
	}
	return nil
}
