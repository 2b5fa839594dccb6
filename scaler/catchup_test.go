package scaler

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/wave"
)

// TestCatchUp: with waves or limits a new leader waits until its cache has all that the API server has, but not for ever.
func TestCatchUp(t *testing.T) {
	waved := map[string]string{annotation.Windows: "always = 0", annotation.Wave: "1"}
	plain := map[string]string{annotation.Windows: "always = 0"}
	type versions = map[string]string
	for name, c := range map[string]struct {
		annotations map[string]string
		limits      wave.Limits
		cached      versions // "web" is always there
		later       versions // after a second
		server      versions
		err         error
		want        time.Duration
	}{
		"current":                  {waved, wave.Limits{}, versions{"web": "7"}, nil, versions{"web": "7"}, nil, 0},
		"ahead":                    {waved, wave.Limits{}, versions{"web": "10"}, nil, versions{"web": "9"}, nil, 0},
		"behind":                   {waved, wave.Limits{}, versions{"web": "9"}, versions{"web": "10"}, versions{"web": "10"}, nil, time.Second},
		"one is not there yet":     {waved, wave.Limits{}, versions{"web": "7"}, versions{"new": "8"}, versions{"web": "7", "new": "8"}, nil, time.Second},
		"one is gone meanwhile":    {waved, wave.Limits{}, versions{"web": "7"}, nil, versions{"web": "7", "gone": "6"}, nil, longestCatchUp},
		"limits":                   {plain, wave.Limits{Concurrency: 1}, versions{"web": "9"}, versions{"web": "10"}, versions{"web": "10"}, nil, time.Second},
		"neither waves nor limits": {plain, wave.Limits{}, versions{"web": "9"}, nil, versions{"web": "10"}, nil, 0},
		"no answer":                {waved, wave.Limits{}, versions{"web": "9"}, nil, nil, errors.New("refused"), 0},
		"none about some":          {waved, wave.Limits{}, versions{"web": "9"}, versions{"web": "10"}, versions{"web": "10"}, errors.New("refused"), time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
				put := func(all versions) {
					for name, version := range all {
						if err := indexer.Add(&kind.Object{Kind: kind.Deployment, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, ResourceVersion: version, Annotations: c.annotations}}); err != nil {
							t.Error(err)
						}
					}
				}
				put(c.cached)
				r := &Reconciler{Objects: &Objects{caches: map[*kind.Kind]cache.Indexer{kind.Deployment: indexer}}, Limits: c.limits, Versions: func(_ context.Context, tell func(kind.Key, string)) error {
					for name, version := range c.server {
						tell(queueKey(name), version)
					}
					return c.err
				}}
				time.AfterFunc(time.Second, func() { put(c.later) })
				begun := time.Now()
				r.catchUp(t.Context())
				if took := time.Since(begun); took < c.want || took > c.want+catchUpAgain {
					t.Errorf("it took %v, want %v", took, c.want)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}
