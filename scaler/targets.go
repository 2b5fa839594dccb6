package scaler

import (
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/kind"
)

// byScaled is the index of objects by what they scale in turn.
const byScaled = "scaled"

// indexTargets adds that index to the informer of a kind whose objects are scaled instead of what they scale.
func indexTargets(w Workloads) {
	if !w.Kind.Instead {
		return
	}
	_ = w.Informer.AddIndexers(cache.Indexers{byScaled: func(obj any) ([]string, error) { // the error is that there is one
		if o, ok := obj.(*kind.Object); ok && o.Target != nil {
			return []string{o.Target.String()}, nil
		}
		return nil, nil
	}})
}

// scaling returns the objects that are scaled instead of another one.
func (o *Objects) scaling(key kind.Key) []*kind.Object {
	o.mu.RLock()
	defer o.mu.RUnlock()
	var found []*kind.Object
	for k, indexer := range o.caches {
		if !k.Instead {
			continue
		}
		all, _ := indexer.ByIndex(byScaled, kind.AsTarget(key).String()) // the error is that there is no such index
		for _, object := range all {
			found = append(found, object.(*kind.Object))
		}
	}
	return found
}

// wakeTarget looks again at what an object scales, which depends on whether the object has rules.
func (c *Controller) wakeTarget(o *kind.Object) {
	if o.Kind.Instead && o.Target != nil {
		c.wake(*o.Target)
	}
}

// wake looks again at the objects that go by a name.
func (c *Controller) wake(target kind.Target) {
	for _, key := range c.reconciler.Objects.called(target) {
		c.queue.Add(key)
	}
}

// deleted is the object that an informer tells of when it is gone; nil if it does not know.
func deleted(obj any) *kind.Object {
	if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = unknown.Obj
	}
	o, _ := obj.(*kind.Object)
	return o
}
