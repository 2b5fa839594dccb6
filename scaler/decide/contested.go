package decide

import (
	"fmt"
	"strings"
	"time"

	"curfew/scaler/annotation"
)

// Contested is the decision for a workload whose size somebody else keeps changing. by is who did so last, or Curfew if
// it has been put back; was is the status before; until is when the contest is over if nothing more happens. Where the
// size is not at spec.replicas, path says where.
func (d Decision) Contested(by Writer, was annotation.Status, until time.Time, path ...string) Decision {
	d.Status.State = annotation.StateContested
	if by.Curfew && was.State == annotation.StateContested {
		d.Status.Message = was.Message
	} else {
		d.Status.Message = join(d.Status.Message, by.contests(d.bounded, path))
	}
	if d.Next.IsZero() || until.Before(d.Next) {
		d.Next = until
	}
	return d
}

// contests says who contests the size, and what to do about that one. bounded is whether the size has a maximum.
func (w Writer) contests(bounded bool, path []string) string {
	if len(path) == 0 {
		path = []string{"spec", "replicas"}
	}
	cure := w.cure(path)
	if bounded {
		cure = w.cureBounds()
	}
	return fmt.Sprintf("%s keeps changing the size, so it is put back more and more slowly; %s", w, cure)
}

// String names the field manager.
func (w Writer) String() string {
	switch {
	case w.Manager == "" || w.Curfew:
		return "somebody who left no name"
	case w.Scale:
		return fmt.Sprintf("%q (through scale)", w.Manager)
	}
	return fmt.Sprintf("%q", w.Manager)
}

// cure is what ends a contest with a writer that is known to be one of the usual tools. path is where the size is.
func (w Writer) cure(path []string) string {
	field, pointer := path[len(path)-1], ""
	for _, name := range path {
		pointer += "/" + escape.Replace(name)
	}
	switch w.Manager {
	case "argocd-controller", "argocd-application-controller", "argocd":
		return fmt.Sprintf("in the Argo CD Application ignore %s (ignoreDifferences, with the sync option RespectIgnoreDifferences=true), or leave %s out of the manifest in Git", pointer, field)
	case "kustomize-controller", "helm-controller":
		return "leave " + field + " out of the manifest in Git that Flux applies"
	case "helm", "Helm":
		return "leave " + field + " out of what the chart makes, or out of its values"
	case "keda-operator", "keda":
		return "remove the KEDA trigger, or the rules"
	case "kube-controller-manager":
		if w.Scale {
			return "a HorizontalPodAutoscaler that Curfew cannot see owns the size; give Curfew the right to read it, or remove the rules"
		}
	}
	if w.Scale {
		return "stop that, or say the size you want in " + annotation.OverrideKey
	}
	return "leave " + field + " out of what it applies, or remove the rules"
}

// escape makes a name part of a JSON pointer.
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// cureBounds is cure where the size is minReplicas, and a range maxReplicas too, without which there is no manifest.
func (w Writer) cureBounds() string {
	switch w.Manager {
	case "argocd-controller", "argocd-application-controller", "argocd":
		return "in the Argo CD Application ignore /spec/minReplicas and /spec/maxReplicas (ignoreDifferences, with the sync option RespectIgnoreDifferences=true)"
	case "keda-operator", "keda":
		return "remove the KEDA trigger, or the rules"
	}
	return "leave minReplicas out of what it applies, and write rules without a range, for maxReplicas cannot be left out; or remove the rules"
}
