package bench

import (
	"context"
	"time"

	"curfew/e2e/harness"
)

// footprint is the memory of a Curfew in bytes: its resident set, and what is
// live on its heap.
type footprint struct{ resident, heap float64 }

const (
	kibibyte = 1 << 10
	mebibyte = 1 << 20
)

// forcedCollection is how long the Go runtime waits at the most between two
// collections: after that nothing on the heap is garbage of before.
const forcedCollection = 125 * time.Second

// measureEmpty is the footprint of a Curfew that has nothing to look after.
func (s *stage) measureEmpty(ctx context.Context) (footprint, error) {
	s.say("measuring a Curfew without any")
	curfew, err := s.startLeader(ctx)
	if err != nil {
		return footprint{}, err
	}
	defer curfew.Kill()
	if err := sleep(ctx, s.pause()); err != nil {
		return footprint{}, err
	}
	var empty footprint
	if empty.resident, _, err = resident(curfew.PID()); err != nil {
		return empty, err
	}
	if empty.heap, err = s.liveHeap(ctx, curfew); err != nil {
		return empty, err
	}
	return empty, s.end(ctx, curfew)
}

// liveHeap is what the last garbage collection found to be in use, after one
// that found nothing but what stays. A Curfew that serves profiles collects when
// asked to; another one does it by itself in two minutes without work. A quick
// bench makes it collect by asking for metrics, which are then part of what is
// found, so it takes the least of several.
func (s *stage) liveHeap(ctx context.Context, curfew *harness.Curfew) (float64, error) {
	live := func() (bytes, cycles float64, err error) {
		series, err := scrape(ctx, curfew)
		if err != nil {
			return 0, 0, err
		}
		if bytes, err = value(series, "go_gc_heap_live_bytes"); err != nil {
			return 0, 0, err
		}
		cycles, err = value(series, "go_gc_cycles_total_gc_cycles_total")
		return bytes, cycles, err
	}
	if s.profiles {
		profile := func() error { return s.save(ctx, curfew, "idle-heap", "heap?gc=1") }
		if s.Profiles == "" {
			profile = func() error { _, err := curfew.Profile(ctx, "heap?gc=1"); return err }
		}
		if err := profile(); err != nil {
			return 0, err
		}
		bytes, _, err := live()
		return bytes, err
	}
	if !s.Quick {
		s.say("waiting two minutes for a garbage collection")
		if err := sleep(ctx, forcedCollection); err != nil {
			return 0, err
		}
		bytes, _, err := live()
		return bytes, err
	}
	least, first, err := live()
	for cycles := first; err == nil && cycles < first+5; {
		var bytes float64
		if bytes, cycles, err = live(); err == nil {
			least = min(least, bytes)
		}
	}
	return least, err
}

// reportIdleMemory reports what an idle Curfew takes, and what of that is the objects'.
func (s *stage) reportIdleMemory(empty, full footprint) {
	n := float64(s.objects)
	s.figure("memory without objects: RSS", empty.resident/mebibyte, "MiB", "")
	s.figure("memory without objects: heap in use", empty.heap/mebibyte, "MiB", "")
	rss := s.figure("memory idle: RSS", full.resident/mebibyte, "MiB", "")
	if s.objects == 10000 {
		rss.atMost(80)
	}
	s.figure("memory idle: heap in use", full.heap/mebibyte, "MiB", "")
	s.figure("memory idle: RSS per object", (full.resident-empty.resident)/n/kibibyte, "KiB", "more than without objects")
	s.figure("memory idle: heap per object", (full.heap-empty.heap)/n/kibibyte, "KiB", "more than without objects").atMost(3)
}
