package scaler

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"curfew/scaler/kind"
)

// TestAgenda: each key comes at its last turn, once, and of those that come together in their order.
func TestAgenda(t *testing.T) {
	type set struct {
		after time.Duration // from the start
		key   string
		at    time.Duration // from the start; negative: never
		rank  int32
	}
	const second = time.Second
	for name, c := range map[string]struct {
		sets []set
		want []string
	}{
		"at its time":        {[]set{{0, "a", 5 * second, 0}}, []string{"a at 5s"}},
		"in the past":        {[]set{{second, "a", 0, 0}}, []string{"a at 1s"}},
		"each at its own":    {[]set{{0, "a", 5 * second, 0}, {0, "b", 3 * second, 0}}, []string{"b at 3s", "a at 5s"}},
		"sooner than before": {[]set{{0, "a", 5 * second, 0}, {second, "a", 2 * second, 0}}, []string{"a at 2s"}},
		"later than before":  {[]set{{0, "a", 2 * second, 0}, {second, "a", 5 * second, 0}}, []string{"a at 5s"}},
		"no more":            {[]set{{0, "a", 2 * second, 0}, {0, "b", 3 * second, 0}, {second, "a", -1, 0}}, []string{"b at 3s"}},
		"again":              {[]set{{0, "a", 2 * second, 0}, {3 * second, "a", 4 * second, 0}}, []string{"a at 2s", "a at 4s"}},
		"no more, twice":     {[]set{{0, "a", 2 * second, 0}, {3 * second, "a", -1, 0}, {3 * second, "a", -1, 0}}, []string{"a at 2s"}},
		"by rank": {[]set{{0, "a", second, 0}, {0, "b", second, -1}, {0, "c", second, 7}, {0, "d", second, -2}},
			[]string{"d at 1s", "b at 1s", "a at 1s", "c at 1s"}},
		"by name of one rank": {[]set{{0, "b", second, 0}, {0, "c", second, 0}, {0, "a", second, 0}}, []string{"a at 1s", "b at 1s", "c at 1s"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				a := newAgenda(clock.RealClock{})
				ctx, end := context.WithCancel(t.Context())
				defer end()
				var got []string
				go a.run(ctx, func(key kind.Key) {
					got = append(got, fmt.Sprintf("%s at %v", key.Name, time.Since(start)))
				})
				for _, s := range c.sets {
					time.Sleep(time.Until(start.Add(s.after)))
					var at time.Time
					if s.at >= 0 {
						at = start.Add(s.at)
					}
					a.set(queueKey(s.key), turn{at, s.rank})
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if !slices.Equal(got, c.want) {
					t.Errorf("%v, want %v", got, c.want)
				}
			})
		})
	}
}
