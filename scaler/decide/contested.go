package decide

import (
	"fmt"
	"time"

	"curfew/scaler/annotation"
)

// Contested is the decision for a workload whose size somebody else keeps changing. by is who did so last, or Curfew if
// it has been put back; was is the status before; until is when the contest is over if nothing more happens.
func (d Decision) Contested(by Writer, was annotation.Status, until time.Time) Decision {
	d.Status.State = annotation.StateContested
	if by.Curfew && was.State == annotation.StateContested {
		d.Status.Message = was.Message
	} else {
		d.Status.Message = join(d.Status.Message, by.contests(d.bounded))
	}
	if d.Next.IsZero() || until.Before(d.Next) {
		d.Next = until
	}
	return d
}

// contests says who contests the size, and what to do about that one. bounded is whether the size has a maximum.
func (w Writer) contests(bounded bool) string {
	cure := w.cure()
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

// cure is what ends a contest with a writer that is known to be one of the usual tools.
func (w Writer) cure() string {
	switch w.Manager {
	case "argocd-controller", "argocd-application-controller", "argocd":
		return "in the Argo CD Application ignore /spec/replicas (ignoreDifferences, with the sync option RespectIgnoreDifferences=true), or leave replicas out of the manifest in Git"
	case "kustomize-controller", "helm-controller":
		return "leave replicas out of the manifest in Git that Flux applies"
	case "helm", "Helm":
		return "leave replicas out of the chart's Deployment, or out of its values"
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
	return "leave replicas out of what it applies, or remove the rules"
}

// cureBounds is cure where the size is minReplicas, and a range maxReplicas too, without which there is no manifest.
func (w Writer) cureBounds() string {
	switch w.Manager {
	case "argocd-controller", "argocd-application-controller", "argocd":
		return "in the Argo CD Application ignore /spec/minReplicas and /spec/maxReplicas (ignoreDifferences, with the sync option RespectIgnoreDifferences=true)"
	case "keda-operator", "keda":
		return w.cure()
	}
	return "leave minReplicas out of what it applies, and write rules without a range, for maxReplicas cannot be left out; or remove the rules"
}
