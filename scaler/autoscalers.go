package scaler

import (
	"cmp"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"curfew/scaler/decide"
)

// Autoscalers finds the HorizontalPodAutoscaler of a Deployment. The zero Autoscalers finds none, as where there is no
// right to read them.
type Autoscalers struct{ indexer cache.Indexer }

// byTarget is the index of autoscalers by the Deployment they scale.
const byTarget = "deployment"

// NewAutoscalers adds the index to the informer of HorizontalPodAutoscalers, which must not run yet.
func NewAutoscalers(informer cache.SharedIndexInformer) (Autoscalers, error) {
	err := informer.AddIndexers(cache.Indexers{byTarget: func(obj any) ([]string, error) {
		if h, ok := obj.(*autoscalingv2.HorizontalPodAutoscaler); ok && targetsDeployment(h) {
			return []string{targetOf(h).String()}, nil
		}
		return nil, nil
	}})
	return Autoscalers{informer.GetIndexer()}, err
}

// Of returns the autoscaler that targets a Deployment; nil if there is none. Of several, which is a mistake that the
// autoscalers report themselves, it is the first by name.
func (a Autoscalers) Of(deployment cache.ObjectName) *decide.Autoscaler {
	if a.indexer == nil {
		return nil
	}
	found, err := a.indexer.ByIndex(byTarget, deployment.String())
	if err != nil || len(found) == 0 {
		return nil
	}
	first := slices.MinFunc(found, func(x, y any) int {
		return cmp.Compare(x.(*autoscalingv2.HorizontalPodAutoscaler).Name, y.(*autoscalingv2.HorizontalPodAutoscaler).Name)
	}).(*autoscalingv2.HorizontalPodAutoscaler)
	return &decide.Autoscaler{Name: first.Name, Min: ptr.Deref(first.Spec.MinReplicas, 1)}
}

func targetsDeployment(h *autoscalingv2.HorizontalPodAutoscaler) bool {
	return h.Spec.ScaleTargetRef.Kind == "Deployment"
}

func targetOf(h *autoscalingv2.HorizontalPodAutoscaler) cache.ObjectName {
	return cache.ObjectName{Namespace: h.Namespace, Name: h.Spec.ScaleTargetRef.Name}
}
