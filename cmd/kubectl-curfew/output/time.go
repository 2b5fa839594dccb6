package output

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// Layout is how the times of one table are written: with seconds only where one of them has any in zone.
func Layout(zone *time.Location, times ...time.Time) string {
	for _, t := range times {
		if t.In(zone).Second() != 0 {
			return "Mon 2006-01-02 15:04:05 MST"
		}
	}
	return "Mon 2006-01-02 15:04 MST"
}

// Local writes a time as a person in zone would, with the day of the week and the zone's abbreviation.
func Local(t time.Time, zone *time.Location) string { return t.In(zone).Format(Layout(zone, t)) }

// In says in how long something will be, as kubectl writes ages: "in 2h5m".
func In(now, then time.Time) string { return "in " + duration.HumanDuration(then.Sub(now)) }

// Duration writes a duration in whole seconds without what is 0 in it, as people write it in annotations: "15m", "1h0m30s".
func Duration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
