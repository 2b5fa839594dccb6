package scaler

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/client-go/tools/cache"

	"curfew/scaler/kind"
)

// Objects is the cache of what may be scaled.
type Objects struct {
	mu     sync.RWMutex
	caches map[*kind.Kind]cache.Indexer
}

// NewObjects is the cache of what some informers bring.
func NewObjects(all ...Workloads) *Objects {
	o := &Objects{caches: map[*kind.Kind]cache.Indexer{}}
	for _, w := range all {
		o.Add(w)
	}
	return o
}

// Add adds the cache of an informer. A kind may come while others are in use.
func (o *Objects) Add(w Workloads) {
	indexTargets(w)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.caches[w.Kind] = w.Informer.GetIndexer()
}

// remove removes the cache of a kind, and returns what was in it.
func (o *Objects) remove(k *kind.Kind) []*kind.Object {
	o.mu.Lock()
	indexer := o.caches[k]
	delete(o.caches, k)
	o.mu.Unlock()
	if indexer == nil {
		return nil
	}
	var objects []*kind.Object
	for _, object := range indexer.List() {
		objects = append(objects, object.(*kind.Object))
	}
	return objects
}

// Kinds are those that there is a cache of.
func (o *Objects) Kinds() []*kind.Kind {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return slices.Collect(maps.Keys(o.caches))
}

// Has reports whether there is a cache of a kind.
func (o *Objects) Has(k *kind.Kind) bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.caches[k] != nil
}

// target returns what an autoscaler scales; nil if that is none of the objects, or o is no autoscaler.
func (o *Objects) target(of *kind.Object) *kind.Object {
	if of.Kind != kind.Autoscaler || of.Target == nil {
		return nil
	}
	for _, key := range o.called(*of.Target) {
		if target := o.get(key); target != nil {
			return target
		}
	}
	return nil
}

// called are the keys that a name may stand for.
func (o *Objects) called(name kind.Target) []kind.Key {
	o.mu.RLock()
	defer o.mu.RUnlock()
	var keys []kind.Key
	for k := range o.caches {
		if k.Name == name.Kind {
			keys = append(keys, kind.Key{Kind: k, ObjectName: name.ObjectName})
		}
	}
	return keys
}

// get returns an object; nil if it is gone.
func (o *Objects) get(key kind.Key) *kind.Object {
	o.mu.RLock()
	indexer := o.caches[key.Kind]
	o.mu.RUnlock()
	if indexer == nil {
		return nil
	}
	if found, ok, err := indexer.GetByKey(key.ObjectName.String()); err == nil && ok {
		return found.(*kind.Object)
	}
	return nil
}

// in returns the objects of a namespace, or all if it is "".
func (o *Objects) in(namespace string) []*kind.Object {
	o.mu.RLock()
	defer o.mu.RUnlock()
	var objects []*kind.Object
	for _, indexer := range o.caches {
		var all []any
		if namespace == "" {
			all = indexer.List()
		} else {
			all, _ = indexer.ByIndex(cache.NamespaceIndex, namespace) // the error is that there is no such index
		}
		for _, object := range all {
			objects = append(objects, object.(*kind.Object))
		}
	}
	return objects
}
