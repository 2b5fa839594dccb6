package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// round is one boundary of all objects.
type round struct {
	delays     []time.Duration
	early      int
	rate, bare float64       // writes a second
	workers    int           // how many requests at once served the bare client best
	cpu        time.Duration // of Curfew
	peak, heap float64       // bytes
	verdict
}

// measureBoundary lets all objects have their boundary at one moment, and then
// the bare client do the same.
func (s *stage) measureBoundary(ctx context.Context, curfew *harness.Curfew, empty footprint) (*harness.Curfew, error) {
	var rounds []round
	defer func() {
		if len(rounds) > 0 { // also of a bench that is interrupted
			s.reportBoundary(rounds, empty)
		}
	}()
	for i := range s.Rounds {
		r, before, after, err := s.boundary(ctx, curfew, fmt.Sprintf("boundary-%d", i+1))
		if err != nil {
			return curfew, err
		}
		// The bare client has the machine for itself.
		if err := s.end(ctx, curfew); err != nil {
			return curfew, err
		}
		if r.bare, r.workers, err = s.bareLimit(ctx, before, after); err != nil {
			return curfew, err
		}
		s.say("%.0f writes a second, the bare client %.0f with %d at once", r.rate, r.bare, r.workers)
		rounds = append(rounds, r)
		if curfew, err = s.startLeader(ctx); err != nil {
			return curfew, err
		}
	}
	return curfew, nil
}

// boundary is one boundary of all objects, with how they were before it and after.
func (s *stage) boundary(ctx context.Context, curfew *harness.Curfew, name string) (r round, before, after []object, err error) {
	window, armed, before, err := s.arm(ctx)
	if err != nil {
		return r, nil, nil, err
	}
	if err := sleep(ctx, time.Until(window.Start.Add(-500*time.Millisecond))); err != nil {
		return r, nil, nil, err
	}
	if err := forgetPeak(curfew.PID()); err != nil {
		return r, nil, nil, err
	}
	spent, err := cpuTime(curfew.PID())
	if err != nil {
		return r, nil, nil, err
	}
	profiled := s.profile(ctx, curfew, name, s.settle)
	writes, err := s.awaitWrites(ctx, s.objects, byCurfew, armed)
	if err != nil {
		return r, nil, nil, err
	}
	if _, r.peak, err = resident(curfew.PID()); err != nil {
		return r, nil, nil, err
	}
	series, err := scrape(ctx, curfew)
	if err != nil {
		return r, nil, nil, err
	}
	if r.heap, err = value(series, "go_gc_heap_goal_bytes"); err != nil {
		return r, nil, nil, err
	}
	if _, err := s.awaitQuiet(ctx, window.Start); err != nil {
		return r, nil, nil, err
	}
	total, err := cpuTime(curfew.PID())
	if err != nil {
		return r, nil, nil, err
	}
	if err := profiled(); err != nil {
		return r, nil, nil, err
	}
	r.cpu = total - spent
	r.delays = delays(writes, window.Start)
	r.rate = float64(s.objects) / rank(r.delays, 100).Seconds()
	r.early = len(slices.DeleteFunc(slices.Clone(writes), func(r cluster.Request) bool { return !r.Received.Before(window.Start) }))
	r.verdict, after, err = s.judge(ctx, armed, func(o object, i int) bool { return o.isDown(i, window) })
	return r, before, after, err
}

func (s *stage) reportBoundary(rounds []round, empty footprint) {
	var all []time.Duration
	var firsts, rates, bares, ratios, cpus []float64
	var peak, heap float64
	var early int
	var v verdict
	workers := map[int]bool{}
	for _, r := range rounds {
		all = append(all, r.delays...)
		firsts = append(firsts, milliseconds(r.delays[0]))
		rates, bares, ratios = append(rates, r.rate), append(bares, r.bare), append(ratios, r.rate/r.bare)
		cpus = append(cpus, r.cpu.Seconds()/float64(s.objects)*1000)
		peak, heap = max(peak, r.peak), max(heap, r.heap)
		early += r.early
		v = v.add(r.verdict)
		workers[r.workers] = true
	}
	slices.Sort(all)
	s.figure("boundary: delay of the first write", slices.Max(firsts), "ms", fmt.Sprintf("the worst of %d", len(rounds)))
	s.figure("boundary: delay, median", milliseconds(rank(all, 50)), "ms", "")
	s.figure("boundary: delay, p99", milliseconds(rank(all, 99)), "ms", "")
	s.figure("boundary: delay of the last write", milliseconds(rank(all, 100)), "ms", "")
	s.figure("boundary: writes a second", median(rates), "", fmt.Sprintf("of %s", numbers(rates)))
	s.figure("boundary: writes a second, bare client", median(bares), "", fmt.Sprintf("of %s", numbers(bares)))
	s.figure("boundary: rate against the bare client", median(ratios), "", fmt.Sprintf("of %s", numbers(ratios))).atLeast(0.9)
	s.figure("boundary: CPU for 1,000 transitions", median(cpus), "s", "its events included")
	s.figure("boundary: RSS, peak", peak/mebibyte, "MiB", "")
	s.figure("boundary: heap, peak", heap/mebibyte, "MiB", "the size at which the next collection would have begun")
	if empty.resident > 0 {
		n := float64(s.objects)
		s.figure("boundary: RSS per object, peak", (peak-empty.resident)/n/kibibyte, "KiB", "more than without objects")
	}
	s.figure("boundary: early writes", float64(early), "", "").mustBe(0)
	s.report("boundary", v)
}
