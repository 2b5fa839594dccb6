package scaler

import (
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/observe"
)

// Objects is the cache of what may be scaled.
type Objects struct{ indexer cache.Indexer }

// NewObjects is the cache of an informer that has [observe.Trim] as its transform and an index by namespace, as those of
// a factory have.
func NewObjects(informer cache.SharedIndexInformer) Objects { return Objects{informer.GetIndexer()} }

// get returns an object; nil if it is gone.
func (o Objects) get(key cache.ObjectName) *observe.Object {
	if found, ok, err := o.indexer.GetByKey(key.String()); err == nil && ok {
		return found.(*observe.Object)
	}
	return nil
}

// in returns the objects of a namespace, or all if it is "".
func (o Objects) in(namespace string) []*observe.Object {
	var all []any
	if namespace == "" {
		all = o.indexer.List()
	} else {
		all, _ = o.indexer.ByIndex(cache.NamespaceIndex, namespace) // the error is that there is no such index
	}
	objects := make([]*observe.Object, len(all))
	for i, object := range all {
		objects[i] = object.(*observe.Object)
	}
	return objects
}
