package scaler

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/decide"
	"curfew/scaler/observe"
)

// Autoscalers finds the HorizontalPodAutoscaler of a Deployment. The zero Autoscalers finds none, as where there is no
// right to read them.
type Autoscalers struct{ indexer cache.Indexer }

// byTarget is the index of autoscalers by the Deployment they scale.
const byTarget = "deployment"

// NewAutoscalers adds the index to the informer of HorizontalPodAutoscalers, which must not run yet.
func NewAutoscalers(informer cache.SharedIndexInformer) (Autoscalers, error) {
	err := informer.AddIndexers(cache.Indexers{byTarget: func(obj any) ([]string, error) {
		if h, ok := obj.(*autoscalingv2.HorizontalPodAutoscaler); ok {
			if deployment, ok := observe.Target(h); ok {
				return []string{deployment.String()}, nil
			}
		}
		return nil, nil
	}})
	return Autoscalers{informer.GetIndexer()}, err
}

// Of returns the autoscaler that targets a Deployment; nil if there is none.
func (a Autoscalers) Of(deployment cache.ObjectName) *decide.Autoscaler {
	if a.indexer == nil {
		return nil
	}
	found, err := a.indexer.ByIndex(byTarget, deployment.String())
	if err != nil || len(found) == 0 {
		return nil
	}
	autoscalers := make([]*autoscalingv2.HorizontalPodAutoscaler, len(found))
	for i, h := range found {
		autoscalers[i] = h.(*autoscalingv2.HorizontalPodAutoscaler)
	}
	return observe.Autoscaler(autoscalers)
}
