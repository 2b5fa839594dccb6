package decide

import (
	"strings"
	"testing"
	"time"

	"curfew/scaler/annotation"
)

func TestContestedNamesTheWriterAndItsCure(t *testing.T) {
	for name, c := range map[string]struct {
		by   Writer
		want []string
	}{
		"Argo CD":            {Writer{Manager: "argocd-controller"}, []string{`"argocd-controller"`, "ignoreDifferences"}},
		"Flux":               {Writer{Manager: "kustomize-controller"}, []string{"kustomize-controller", "Git", "Flux"}},
		"Helm":               {Writer{Manager: "helm"}, []string{"helm", "chart"}},
		"an autoscaler":      {Writer{Manager: "kube-controller-manager", Scale: true}, []string{"through scale", "HorizontalPodAutoscaler"}},
		"kubectl scale":      {Writer{Manager: "kubectl", Scale: true}, []string{"kubectl", "through scale", "curfew/override"}},
		"kubectl apply":      {Writer{Manager: "kubectl-client-side-apply"}, []string{"kubectl-client-side-apply", "leave replicas out"}},
		"somebody":           {Writer{}, []string{"no name"}},
		"a hostile manager":  {Writer{Manager: "a\x1b[31m"}, []string{`"a\x1b[31m"`}},
		"the same as before": {Writer{Manager: "curfew", Curfew: true}, []string{"as before"}},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
			was := annotation.Status{State: annotation.StateContested, Message: "as before"}
			d := Decision{Next: now.Add(time.Hour)}.Contested(c.by, was, now.Add(time.Minute))
			if d.Status.State != annotation.StateContested || !d.Next.Equal(now.Add(time.Minute)) {
				t.Errorf("%+v", d)
			}
			for _, want := range c.want {
				if !strings.Contains(d.Status.Message, want) {
					t.Errorf("%q does not say %q", d.Status.Message, want)
				}
			}
		})
	}
}

// TestTheCureNamesTheField: what is to be left out is what holds the size.
func TestTheCureNamesTheField(t *testing.T) {
	suspend := []string{"spec", "suspend"}
	pause := []string{"metadata", "annotations", "autoscaling.keda.sh/paused-replicas"}
	for name, c := range map[string]struct {
		by   string
		path []string
		want string
	}{
		"replicas":                 {"argocd", nil, "ignore /spec/replicas ("},
		"suspend, by Argo CD":      {"argocd", suspend, "ignore /spec/suspend (ignoreDifferences, with the sync option RespectIgnoreDifferences=true), or leave suspend out of"},
		"an annotation, by it":     {"argocd", pause, "ignore /metadata/annotations/autoscaling.keda.sh~1paused-replicas ("},
		"suspend, by Helm":         {"helm", suspend, "leave suspend out of what the chart makes"},
		"suspend, by Flux":         {"helm-controller", suspend, "leave suspend out of the manifest"},
		"an annotation, by others": {"kubectl", pause, "leave autoscaling.keda.sh/paused-replicas out of what it applies"},
	} {
		t.Run(name, func(t *testing.T) {
			d := Decision{}.Contested(Writer{Manager: c.by}, annotation.Status{}, time.Time{}, c.path...)
			if !strings.Contains(d.Status.Message, c.want) {
				t.Errorf("%q does not say %q", d.Status.Message, c.want)
			}
		})
	}
}
