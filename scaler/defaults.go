package scaler

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corelisters "k8s.io/client-go/listers/core/v1"
)

// Defaults are what Namespaces say for the workloads in them. The zero Defaults say nothing.
type Defaults struct {
	Namespaces corelisters.NamespaceLister // empty where there is no right to read Namespaces; nil: there are none
	Protected  sets.Set[string]            // the Namespaces whose workloads inherit nothing
}

// Of returns the annotations that a Namespace has for its workloads, or nil.
func (d Defaults) Of(namespace string) map[string]string {
	if ns := d.get(namespace); ns != nil && !d.Protected.Has(namespace) {
		return ns.Annotations // Trim has left none but Curfew's
	}
	return nil
}

// Terminating reports whether a Namespace is being deleted, and all that is in it with it.
func (d Defaults) Terminating(namespace string) bool {
	ns := d.get(namespace)
	return ns != nil && ns.DeletionTimestamp != nil
}

func (d Defaults) get(namespace string) *corev1.Namespace {
	if d.Namespaces == nil {
		return nil
	}
	ns, err := d.Namespaces.Get(namespace)
	if err != nil {
		return nil // not there, or not in the cache yet; its arrival wakes its workloads
	}
	return ns
}
