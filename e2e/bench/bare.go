package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"curfew/e2e/cluster"
)

// atOnce are the numbers of requests at once that are tried for the bare client.
var atOnce = []int{8, 16, 32, 64}

// bareLimit is how many writes a second the API server takes from a client that
// does nothing but send the PATCHes that Curfew has just sent, and with how many
// at once. It undoes them first. In the end the objects are as Curfew left them.
func (s *stage) bareLimit(ctx context.Context, before, after []object) (best float64, workers int, err error) {
	s.say("the bare client")
	now, err := s.list(ctx)
	if err != nil {
		return 0, 0, err
	}
	// On the way back each number has its share of the objects.
	found := 0.0
	for i, n := range atOnce {
		from, to := len(now)*i/len(atOnce), len(now)*(i+1)/len(atOnce)
		rate, err := s.change(ctx, now[from:to], before[from:to], n)
		if err != nil {
			return 0, 0, err
		}
		if rate > found {
			found, workers = rate, n
		}
	}
	passes := [][]object{after}
	if !s.Quick {
		passes = [][]object{after, before, after}
	}
	for _, to := range passes {
		if now, err = s.list(ctx); err != nil {
			return 0, 0, err
		}
		rate, err := s.change(ctx, now, to, workers)
		if err != nil {
			return 0, 0, err
		}
		best = max(best, rate)
	}
	return best, workers, nil
}

// change makes one state of the objects into another and gives the writes a second.
func (s *stage) change(ctx context.Context, from, to []object, workers int) (float64, error) {
	if len(from) == 0 {
		return 0, nil
	}
	bodies := make([][]byte, len(from))
	for i := range from {
		var err error
		if bodies[i], err = json.Marshal(from[i].change(to[i])); err != nil {
			return 0, err
		}
	}
	begun := time.Now()
	err := each(ctx, len(from), workers, func(ctx context.Context, i int) error {
		return s.bare.Patch(types.MergePatchType).Namespace(from[i].namespace).Resource("deployments").Name(from[i].name).
			Param("fieldManager", "curfew").Body(bodies[i]).Do(ctx).Error()
	})
	if err != nil {
		return 0, err
	}
	writes, err := s.cluster.Audit(ctx, byBare, cluster.Succeeded, cluster.Since(begun))
	if err != nil {
		return 0, err
	}
	if len(writes) != len(from) {
		return 0, fmt.Errorf("the bare client: %d writes for %d objects", len(writes), len(from))
	}
	return float64(len(from)) / lastDone(writes).Sub(begun).Seconds(), nil
}
