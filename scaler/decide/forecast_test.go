package decide_test

import (
	"fmt"
	"testing"
	"time"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// forecast is Forecast for a workload with such annotations, from Friday evening, in words.
func forecast(w decide.Workload, annotations map[string]string, to time.Time) []string {
	w.Spec, w.Problems = annotation.Parse(annotations, time.UTC)
	w.Status = annotation.ParseStatus(annotations[annotation.StatusKey])
	spans, _ := decide.Forecast(w, friday, to, 100)
	var said []string
	for _, s := range spans {
		held := ""
		if s.Held {
			held = " held"
		}
		said = append(said, fmt.Sprintf("%s %s %d%s", s.From.Format("Mon 15:04"), s.State, s.Size, held))
	}
	return said
}

var friday = time.Date(2026, 6, 5, 18, 0, 0, 0, time.UTC)

func TestForecast(t *testing.T) {
	const night = "20:00-06:00 = 0"
	owned := decide.Workload{Size: 3, Writer: owner}
	for name, c := range map[string]struct {
		w           decide.Workload
		annotations map[string]string
		want        []string
	}{
		"a night": {owned, map[string]string{annotation.Windows: night},
			[]string{"Fri 18:00 normal 3", "Fri 20:00 window 0 held", "Sat 06:00 normal 3"}},
		"normal held": {owned, map[string]string{annotation.Windows: night, annotation.Replicas: "2"},
			[]string{"Fri 18:00 normal 2 held", "Fri 20:00 window 0 held", "Sat 06:00 normal 2 held"}},
		"an override that ends in a window": {owned, map[string]string{annotation.Windows: night, annotation.OverrideKey: "5 until 2026-06-05T22:00:00Z"},
			[]string{"Fri 18:00 override 5 held", "Fri 22:00 window 0 held", "Sat 06:00 normal 3"}},
		"paused":  {owned, map[string]string{annotation.Windows: night, annotation.Paused: "true"}, []string{"Fri 18:00 paused 3"}},
		"invalid": {owned, map[string]string{annotation.Windows: "nonsense"}, []string{"Fri 18:00 invalid 3"}},
		"nothing": {owned, nil, []string{"Fri 18:00  3"}},
		"new": {decide.Workload{Size: 3, Created: friday.Add(-time.Hour), Grace: 3*time.Hour + 30*time.Minute}, map[string]string{annotation.Windows: night},
			[]string{"Fri 18:00 waiting 3", "Fri 20:30 window 0 held", "Sat 06:00 normal 3"}},
		"two rules of one size": {owned, map[string]string{annotation.Windows: "20:00-22:00 = 0; 22:00-23:00 = 0"},
			[]string{"Fri 18:00 normal 3", "Fri 20:00 window 0 held", "Fri 23:00 normal 3"}},
		"an autoscaler": {decide.Workload{Size: 5, Autoscaler: &decide.Autoscaler{Name: "web", Min: 2}}, map[string]string{annotation.Windows: night},
			[]string{"Fri 18:00 normal 5", "Fri 20:00 window 0 held", "Sat 06:00 normal 5"}},
		"a memory": {decide.Workload{Size: 0, Writer: decide.Writer{Manager: "curfew", Curfew: true}},
			map[string]string{annotation.Windows: "17:00-20:00 = 0", annotation.Remembered: "4"},
			[]string{"Fri 18:00 window 0 held", "Fri 20:00 normal 4"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := forecast(c.w, c.annotations, friday.Add(14*time.Hour)); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestForecastLimit(t *testing.T) {
	w := decide.Workload{Size: 3}
	w.Spec, _ = annotation.Parse(map[string]string{annotation.Windows: "cron(* * * * *) for 30s = 0"}, time.UTC)
	spans, complete := decide.Forecast(w, friday, friday.Add(24*time.Hour), 10)
	if len(spans) != 10 || complete {
		t.Errorf("%d spans, complete %v", len(spans), complete)
	}
}

// Rules of one size that take turns have no end in sight. A forecast of years is not made of a day's steps.
func TestForecastOfTurns(t *testing.T) {
	w := decide.Workload{Size: 3, Writer: owner}
	w.Spec, _ = annotation.Parse(map[string]string{annotation.Windows: "20:00-06:00 = 0; 06:00-20:00 = 0; cron(* * * * *) for 1m = 1"}, time.UTC)
	end := friday.AddDate(40, 0, 0)
	spans, complete := decide.Forecast(w, friday, end, 10)
	if len(spans) != 1 || !complete || spans[0].Size != 0 || !spans[0].To.Equal(end) {
		t.Errorf("complete %v: %v", complete, spans)
	}
}

// A month's forecast is what a controller comes to that looks every minute.
func TestForecastIsWhatComes(t *testing.T) {
	for name, annotations := range map[string]map[string]string{
		"nights":    {annotation.Windows: "12-24..12-26 = 1; Mon-Fri 20:00-06:00 Europe/Berlin = 0; Sat,Sun = 50%"},
		"held":      {annotation.Windows: "cron(0 22 * * 1-5) to cron(0 6 * * *) = 0; 12:00-13:00 = 200%", annotation.Replicas: "3"},
		"override":  {annotation.Windows: "20:00-06:00 = 0", annotation.OverrideKey: "normal until 2026-06-06T02:17:00Z"},
		"no rules":  {annotation.OverrideKey: "0 until 2026-06-07T02:17:00Z"},
		"neighbour": {annotation.Windows: "20:00-22:00 = 2; 22:00-23:00 = 50%; 23:00-24:00 = 0"},
	} {
		t.Run(name, func(t *testing.T) {
			w := decide.Workload{Size: 4, Writer: owner}
			w.Spec, w.Problems = annotation.Parse(annotations, time.UTC)
			spans, _ := decide.Forecast(w, friday, friday.AddDate(0, 1, 0), 1000)
			s := begin(t, 4, friday.Format(time.RFC3339), annotations)
			for _, span := range spans {
				for now := span.From; now.Before(span.To); now = now.Add(time.Minute) {
					s.now = now
					d := s.look()
					if s.size != span.Size || d.Status.State != span.State {
						t.Fatalf("%v: %s %d, forecast %s %d", now, d.Status.State, s.size, span.State, span.Size)
					}
				}
			}
			if last := spans[len(spans)-1].To; !last.Equal(friday.AddDate(0, 1, 0)) {
				t.Errorf("ends at %v", last)
			}
		})
	}
}
