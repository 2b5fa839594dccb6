package model_test

import "time"

// wall is a clock on a wall, and what was seen of it, tick by tick: the latest reading so far, as a time in UTC. So a
// reading that spring skips is seen when the clock has passed it, and one that autumn repeats is not seen again.
type wall struct {
	from  time.Time
	grain time.Duration
	seen  []time.Time

	struck map[string][]bool // by cron: whether it came up at a tick
	turned map[string][]bool // by two crons: whether the first came up later than the second
}

// watch looks at the clock of a zone from one time to another.
func watch(zone string, from, to time.Time, grain time.Duration) *wall {
	location, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	w := &wall{from: from, grain: grain, struck: map[string][]bool{}, turned: map[string][]bool{}}
	var latest time.Time
	for at := from; !at.After(to); at = at.Add(grain) {
		// This is the same reading, of a clock that knows no summer.
		_, offset := at.In(location).Zone()
		if shown := at.UTC().Add(time.Duration(offset) * time.Second); shown.After(latest) {
			latest = shown
		}
		w.seen = append(w.seen, latest)
	}
	return w
}

func (w *wall) tick(at time.Time) int { return int(at.Sub(w.from) / w.grain) }

func (w *wall) reads(tick int) time.Time { return w.seen[tick] }

// strikes tells whether a cron's time came at that tick.
func (w *wall) strikes(cron string, tick int) bool {
	struck, known := w.struck[cron]
	if !known {
		struck = make([]bool, len(w.seen))
		for i := 1; i < len(w.seen); i++ {
			for at := w.seen[i-1].Truncate(time.Minute).Add(time.Minute); !at.After(w.seen[i]); at = at.Add(time.Minute) {
				struck[i] = struck[i] || occurs(cron, at)
			}
		}
		w.struck[cron] = struck
	}
	return tick > 0 && struck[tick]
}

// turnedOn tells whether the last time of one cron is not followed by one of another yet.
func (w *wall) turnedOn(cron, until string, tick int) bool {
	turned, known := w.turned[cron+until]
	if !known {
		turned = make([]bool, len(w.seen))
		on, at := false, w.seen[0].Truncate(time.Minute).Add(-8*day) // each comes up within a week
		for i, now := range w.seen {
			for ; !at.After(now); at = at.Add(time.Minute) {
				if occurs(cron, at) {
					on = true
				} else if occurs(until, at) {
					on = false
				}
			}
			turned[i] = on
		}
		w.turned[cron+until] = turned
	}
	return turned[tick]
}
