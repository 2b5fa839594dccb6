package annotation

import (
	"errors"
	"time"

	"k8s.io/utils/lru"

	"curfew/timewindow"
)

// Schedules remembers what it has read, so that rules that stand on thousands of objects are read once and are there
// once. It may be used by many at the same time; nil remembers nothing.
type Schedules struct{ read, large *lru.Cache }

// How much is remembered, so that nobody's rules take the memory of all: so many schedules, each of so many bytes of text
// and of so many rules or mistakes at the most, of which each takes up to some 300 bytes. Of what is larger there are few.
const (
	mostRemembered    = 1000
	longestRemembered = 4 << 10
	rulesRemembered   = 32
	largeRemembered   = 64
)

// NewSchedules returns an empty memory.
func NewSchedules() *Schedules { return &Schedules{lru.New(mostRemembered), lru.New(largeRemembered)} }

// scheduleKey is all that a schedule depends on.
type scheduleKey struct{ text, zone string }

// scheduleRead is what came of reading it.
type scheduleRead struct {
	schedule *timewindow.Schedule
	err      error
}

func (s *Schedules) parse(text string, zone *time.Location) (*timewindow.Schedule, error) {
	if s == nil {
		return timewindow.Parse(text, zone)
	}
	key := scheduleKey{text, zone.String()}
	for _, memory := range []*lru.Cache{s.read, s.large} {
		if known, ok := memory.Get(key); ok {
			read := known.(scheduleRead)
			return read.schedule, read.err
		}
	}
	schedule, err := timewindow.Parse(text, zone)
	memory := s.large
	if len(text) <= longestRemembered && parts(schedule, err) <= rulesRemembered {
		memory = s.read
	}
	memory.Add(key, scheduleRead{schedule, err})
	return schedule, err
}

// parts is how many rules or mistakes there are.
func parts(schedule *timewindow.Schedule, err error) int {
	var faults timewindow.Faults
	if errors.As(err, &faults) {
		return len(faults)
	}
	return len(schedule.Rules())
}
