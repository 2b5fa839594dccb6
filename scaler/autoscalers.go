package scaler

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// Autoscalers finds the HorizontalPodAutoscaler of an object. The zero Autoscalers finds none, as where there is no
// right to read them.
type Autoscalers struct{ indexer cache.Indexer }

// byTarget is the index of autoscalers by what they scale.
const byTarget = "target"

// NewAutoscalers adds the index to the informer of HorizontalPodAutoscalers, which must not run yet.
func NewAutoscalers(informer cache.SharedIndexInformer) (Autoscalers, error) {
	err := informer.AddIndexers(cache.Indexers{byTarget: func(obj any) ([]string, error) {
		if h, ok := obj.(*autoscalingv2.HorizontalPodAutoscaler); ok {
			return []string{kind.TargetOf(h).String()}, nil
		}
		return nil, nil
	}})
	return Autoscalers{informer.GetIndexer()}, err
}

// Of returns the autoscaler that targets an object; nil if there is none.
func (a Autoscalers) Of(key kind.Key) *decide.Autoscaler {
	return observe.Autoscaler(a.targeting(key))
}

// targeting are the autoscalers that target an object.
func (a Autoscalers) targeting(key kind.Key) []*autoscalingv2.HorizontalPodAutoscaler {
	if a.indexer == nil {
		return nil
	}
	found, err := a.indexer.ByIndex(byTarget, kind.AsTarget(key).String())
	if err != nil || len(found) == 0 {
		return nil
	}
	autoscalers := make([]*autoscalingv2.HorizontalPodAutoscaler, len(found))
	for i, h := range found {
		autoscalers[i] = h.(*autoscalingv2.HorizontalPodAutoscaler)
	}
	return autoscalers
}
