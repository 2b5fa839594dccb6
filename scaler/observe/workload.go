// Package observe turns what the API server says of an object and its neighbours into what a decision depends on. It is
// pure, so the controller and whoever wants to know what the controller will do see the same.
package observe

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// Settings are what a controller was told by its flags.
type Settings struct {
	Zone  *time.Location // the zone of rules that name none, where nobody names one; nil: UTC
	Grace time.Duration  // how long a new workload is left as it is, where it does not say so itself

	Schedules *annotation.Schedules // what has been read already; nil: everything is read anew
}

// Workload is a Deployment, as [Trim] leaves it, in a Namespace with such annotations for its workloads, and the
// autoscaler that targets it, if any. An absent size is one replica, as the API server would have it.
func Workload(d *appsv1.Deployment, namespace map[string]string, autoscaler *decide.Autoscaler, s Settings) decide.Workload {
	w := decide.Workload{
		Size:       ptr.Deref(d.Spec.Replicas, 1),
		Writer:     WriterOf(d.ManagedFields),
		Status:     annotation.ParseStatus(d.Annotations[annotation.StatusKey]),
		Created:    d.CreationTimestamp.Time,
		Grace:      s.Grace,
		Autoscaler: autoscaler,
	}
	w.Spec, w.Problems = s.Schedules.ParseIn(namespace, d.Annotations, s.Zone)
	w.Shift = Shift(d.UID, w.Spec.Spread)
	return w
}

// SystemNamespaces are those that no default ever reaches.
func SystemNamespaces() sets.Set[string] {
	return sets.New("kube-system", "kube-public", "kube-node-lease")
}
