package annotation

import (
	"time"

	"k8s.io/utils/lru"

	"curfew/timewindow"
)

// Schedules remembers what it has read, so that rules that stand on thousands of objects are read once and are there
// once. It may be used by many at the same time; nil remembers nothing.
type Schedules struct{ read *lru.Cache }

// How much is remembered, so that nobody's rules take the memory of all: so many schedules, each of so many bytes of text
// at the most. What is longer is read each time.
const (
	mostRemembered    = 1000
	longestRemembered = 4 << 10
)

// NewSchedules returns an empty memory.
func NewSchedules() *Schedules { return &Schedules{lru.New(mostRemembered)} }

// scheduleKey is all that a schedule depends on.
type scheduleKey struct{ text, zone string }

// scheduleRead is what came of reading it.
type scheduleRead struct {
	schedule *timewindow.Schedule
	err      error
}

func (s *Schedules) parse(text string, zone *time.Location) (*timewindow.Schedule, error) {
	if s == nil || len(text) > longestRemembered {
		return timewindow.Parse(text, zone)
	}
	key := scheduleKey{text, zone.String()}
	if known, ok := s.read.Get(key); ok {
		read := known.(scheduleRead)
		return read.schedule, read.err
	}
	schedule, err := timewindow.Parse(text, zone)
	s.read.Add(key, scheduleRead{schedule, err})
	return schedule, err
}
