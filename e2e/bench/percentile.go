package bench

import (
	"cmp"
	"slices"
	"time"

	"curfew/e2e/cluster"
)

// rank is the value that so many percent are not above, the nearest rank: of 50
// the 99th percentile is the largest. The values are in order.
func rank[T cmp.Ordered](values []T, percent int) T {
	var none T
	if len(values) == 0 {
		return none
	}
	return values[max(0, (len(values)*percent+99)/100-1)]
}

// median is the middle one, or the lower of the two.
func median(values []float64) float64 { return rank(slices.Sorted(slices.Values(values)), 50) }

// delays are how long after a moment the writes had been carried out, in order.
func delays(writes []cluster.Request, moment time.Time) []time.Duration {
	var found []time.Duration
	for _, write := range writes {
		found = append(found, write.Done.Sub(moment))
	}
	slices.Sort(found)
	return found
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
