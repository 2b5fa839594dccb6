// Package observe turns what the API server says of an object and its neighbours into what a decision depends on. It is
// pure, so the controller and whoever wants to know what the controller will do see the same.
package observe

import (
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/timewindow"
)

// Settings are what a controller was told by its flags.
type Settings struct {
	Zone   *time.Location // the zone of rules that name none, where nobody names one; nil: UTC
	Grace  time.Duration  // how long a new workload is left as it is, where it does not say so itself
	Floors bool           // HorizontalPodAutoscalers are among the kinds

	Schedules *annotation.Schedules // what has been read already; nil: everything is read anew
}

// Workload is an object in a Namespace with such annotations for its workloads, and the autoscaler that targets it, if any.
func Workload(o *kind.Object, namespace map[string]string, autoscaler *decide.Autoscaler, s Settings) decide.Workload {
	w := decide.Workload{
		Size:       o.Size,
		Writer:     o.Writer,
		Status:     annotation.ParseStatus(o.Annotations[annotation.StatusKey]),
		Created:    o.CreationTimestamp.Time,
		Grace:      s.Grace,
		Autoscaler: autoscaler,
		Floors:     s.Floors,
		Ceiling:    o.Ceiling,
	}
	if !o.Kind.Inherits || o.Unfit != "" {
		namespace = nil
	}
	w.Spec, w.Problems = s.Schedules.ParseIn(namespace, o.Annotations, s.Zone)
	own := func(key string) bool { _, ok := o.Annotations[key]; return ok }
	w.Problems = append(w.Problems, unfit(o, own)...)
	w.Problems = append(w.Problems, o.Kind.Fit(&w.Spec, own)...)
	w.Problems = append(w.Problems, o.Kind.FitBounds(&w.Spec, own)...)
	w.Shift = Shift(o.UID, w.Spec.Spread)
	return w
}

// unfit reports that an object asks for what it cannot have.
func unfit(o *kind.Object, own func(key string) bool) annotation.Problems {
	if o.Unfit == "" {
		return nil
	}
	for _, key := range []string{annotation.Windows, annotation.OverrideKey, annotation.Replicas} {
		if optedOut := key == annotation.Windows && annotation.IsOptOut(o.Annotations[key]); own(key) && !optedOut {
			return annotation.Problems{{Key: key, Detail: o.Unfit, Fault: timewindow.Fault{Problem: o.Unfit}}}
		}
	}
	return nil
}

// SystemNamespaces are those that no default ever reaches.
func SystemNamespaces() sets.Set[string] {
	return sets.New("kube-system", "kube-public", "kube-node-lease")
}
