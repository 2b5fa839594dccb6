// Package observe turns what the API server says of an object and its neighbours into what a decision depends on. It is
// pure, so the controller and whoever wants to know what the controller will do see the same.
package observe

import (
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// Settings are what a controller was told by its flags.
type Settings struct {
	Zone  *time.Location // the zone of rules that name none, where nobody names one; nil: UTC
	Grace time.Duration  // how long a new workload is left as it is, where it does not say so itself

	Schedules *annotation.Schedules // what has been read already; nil: everything is read anew
}

// Workload is an object in a Namespace with such annotations for its workloads, and the autoscaler that targets it, if any.
func Workload(o *Object, namespace map[string]string, autoscaler *decide.Autoscaler, s Settings) decide.Workload {
	w := decide.Workload{
		Size:       o.Size,
		Writer:     o.Writer,
		Status:     annotation.ParseStatus(o.Annotations[annotation.StatusKey]),
		Created:    o.CreationTimestamp.Time,
		Grace:      s.Grace,
		Autoscaler: autoscaler,
	}
	w.Spec, w.Problems = s.Schedules.ParseIn(namespace, o.Annotations, s.Zone)
	w.Shift = Shift(o.UID, w.Spec.Spread)
	return w
}

// SystemNamespaces are those that no default ever reaches.
func SystemNamespaces() sets.Set[string] {
	return sets.New("kube-system", "kube-public", "kube-node-lease")
}
