package timeline

import "time"

// Sum is what the clock saves over a stretch of time, against running at the normal size all along.
type Sum struct {
	Saved    int64 `json:"saved"`    // in replica-seconds; below 0 where more ran than normal
	AlwaysOn int64 `json:"alwaysOn"` // what the normal size comes to, in replica-seconds
}

// Add returns both together.
func (s Sum) Add(other Sum) Sum { return Sum{s.Saved + other.Saved, s.AlwaysOn + other.AlwaysOn} }

// sumOf adds up spans of a workload, the last of which ends at end. A replica that does not run though it does normally
// is saved; one that runs beyond normal counts against it.
func sumOf(spans []Span, normal int32, end time.Time) Sum {
	var sum Sum
	for i, s := range spans {
		until := end.Unix()
		if i+1 < len(spans) {
			until = spans[i+1].At
		}
		seconds := until - s.At
		sum.Saved += int64(normal-s.Size) * seconds
		sum.AlwaysOn += int64(normal) * seconds
	}
	return sum
}
