package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// measureIdle watches a Curfew that has nothing to do: every object is right and
// the next boundary is hours away.
func (s *stage) measureIdle(ctx context.Context, curfew *harness.Curfew, empty footprint) error {
	s.say("watching it idle for %v", s.idle())
	series, err := scrape(ctx, curfew)
	if err != nil {
		return err
	}
	counted := -restRequests(series)
	begun := time.Now()
	spent, err := cpuTime(curfew.PID())
	if err != nil {
		return err
	}
	spent = -spent
	if err := sleep(ctx, s.idle()); err != nil {
		return err
	}
	total, err := cpuTime(curfew.PID())
	if err != nil {
		return err
	}
	spent += total
	long := time.Since(begun)
	requests, err := s.cluster.Audit(ctx, byCurfew, cluster.Since(begun), cluster.Until(begun.Add(long)))
	if err != nil {
		return err
	}
	rss, _, err := resident(curfew.PID())
	if err != nil {
		return err
	}
	if series, err = scrape(ctx, curfew); err != nil {
		return err
	}
	counted += restRequests(series)
	if s.wants(partIdle) {
		s.reportIdle(requests, long, spent, counted)
	}
	if !s.wants(partMemory) {
		return nil
	}
	heap, err := s.liveHeap(ctx, curfew)
	if err != nil {
		return err
	}
	s.reportIdleMemory(empty, footprint{resident: rss, heap: heap})
	return nil
}

func (s *stage) reportIdle(requests []cluster.Request, long, spent time.Duration, counted float64) {
	kinds := map[string]int{}
	all, others := 0, 0
	for _, r := range requests {
		if r.Verb == "watch" && !r.Open {
			continue // this is its end
		}
		all++
		kinds[r.Verb+" "+r.Resource]++
		if !upkeep(r) {
			others++
		}
	}
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		words = append(words, fmt.Sprintf("%d %s", kinds[kind], kind))
	}
	note := fmt.Sprintf("in %v: %s; by its own metrics %.0f", long.Round(time.Second), strings.Join(words, ", "), counted)
	s.figure("idle: requests a minute", float64(all)/long.Minutes(), "", note)
	s.figure("idle: requests but watches and lease", float64(others), "", "").atMost(0)
	s.figure("idle: CPU of a core", 100*spent.Seconds()/long.Seconds(), "%", "").atMost(0.2)
	s.figure("idle: CPU an hour", spent.Seconds()/long.Hours(), "s", fmt.Sprintf("from %v in %v", spent, long.Round(time.Second)))
}

// restRequests is how many requests a Curfew has counted itself.
func restRequests(series map[string]float64) float64 {
	var sum float64
	for name, value := range series {
		if strings.HasPrefix(name, "rest_client_requests_total{") {
			sum += value
		}
	}
	return sum
}
