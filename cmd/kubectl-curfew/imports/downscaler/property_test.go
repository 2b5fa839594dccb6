package downscaler

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"curfew/scaler/annotation"
)

// TestRandomSchedules: whatever the annotations of a Namespace and a Deployment are, in zones whose clocks are never
// changed, every minute of a week has the size that the oracle gives it; and so has every second around each hour.
func TestRandomSchedules(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	moment := func() string { return fmt.Sprintf("%02d:%02d", random.IntN(25), pick60(random)) }
	zones := []string{"UTC", "Asia/Kolkata", "Asia/Tokyo"}
	spans := func(tool Tool) string {
		if random.IntN(8) == 0 {
			return pick("always", "never")
		}
		var parts []string
		for range 1 + random.IntN(3) {
			from, to := moment(), moment()
			if strings.HasPrefix(from, "24") {
				from = "24:00"
			}
			if strings.HasPrefix(to, "24") {
				to = "24:00"
			}
			if tool == Python && random.IntN(4) > 0 && from > to {
				from, to = to, from
			}
			day := func() string { return dayNames[random.IntN(7)] }
			parts = append(parts, fmt.Sprintf("%s-%s %s-%s %s", day(), day(), from, to, pick(zones...)))
		}
		return strings.Join(parts, pick(",", ", "))
	}
	said := map[mode]int{}
	for n := range 50 {
		tool := Tool(pick(string(Python), string(Go)))
		keys := []string{uptime, downtime, tool.floorKey()}
		zones = zones[:3]
		if n%2 == 0 {
			zones = zones[:1] // two would be unsaid
			keys = []string{upscalePeriod, downscalePeriod, tool.floorKey()}
		}
		some := func(more ...string) map[string]string {
			scope := map[string]string{}
			for _, key := range append(keys[:len(keys):len(keys)], more...) {
				switch {
				case random.IntN(3) == 0:
				case key == tool.floorKey():
					scope[key] = pick("0", "1", "2")
				default:
					scope[key] = spans(tool)
				}
			}
			return scope
		}
		more := []string{}
		if n%6 == 1 {
			more = []string{forceUptime, forceDowntime}
		}
		o := Options{Tool: tool, Now: now}
		own, namespace := some(more[:0]...), some(more...)
		m := resolve(tool, []map[string]string{own, namespace, o.scope()}, o)
		// Where both force it, GoKubeDownscaler does nothing; that is told as a difference.
		if len(m.unsaid) > 0 || m.mode == unset || tool == Go && !m.forceUp.never() && !m.forceDown.never() {
			continue
		}
		w := windowsOf(tool, m, now)
		if len(w.unsaid) > 0 {
			continue
		}
		said[m.mode]++
		set := map[string]string{}
		w.set(set)
		spec, problems := annotation.Parse(set, nil)
		if len(problems) > 0 {
			t.Fatalf("%v and %v: %v", own, namespace, problems)
		}
		old := &workload{replicas: 5, own: own, over: namespace, flags: o}
		look := old.lookPython
		if tool == Go {
			look = old.lookGo
		}
		start := now.Add(-8 * 24 * time.Hour)
		for at := start; at.Before(now.Add(8 * 24 * time.Hour)); at = at.Add(time.Minute) {
			for _, second := range []time.Duration{0, 59}[:1+at.Minute()%15/14] {
				at := at.Add(second * time.Second)
				look(at)
				if at.Before(now) {
					continue
				}
				if got := (under{spec, 5}).size(at); got != old.replicas {
					t.Fatalf("%d: at %s it has %d, not %d, by %s:\n%v\n%v\n%s", n, at.Format(time.RFC3339), got, old.replicas, tool, own, namespace, w.text)
				}
			}
		}
	}
	if said[times] < 8 || said[periods] < 8 {
		t.Errorf("only %d schedules were looked at, and %d with periods", said[times], said[periods])
	}
}

func pick60(random *rand.Rand) int { return []int{0, 0, 15, 30, 59, random.IntN(60)}[random.IntN(6)] }

// FuzzTranslate: whatever the annotations are, what comes out Curfew understands.
func FuzzTranslate(f *testing.F) {
	for _, text := range []string{
		"Mon-Fri 07:30-20:30 Europe/Berlin", "always", "never, Sat-Sun 20:00-06:00 UTC", "24:00-00:00", "from 2027-01-01T00:00:00Z", "until 2027-01-01T00:00:00.5Z",
		"2026-12-24T00:00:00+01:00-2027-01-02T00:00:00+01:00", "2199-12-31T00:00:00Z - 2199-12-31T23:59:59Z", "0001-01-01T00:00:00Z-9999-12-31T23:59:59Z", "true", "50%", "-1", "1h",
	} {
		f.Add(text, text, uint8(0))
		f.Add(text, "1", uint8(5))
		f.Add("Mon-Fri 07:30-20:30 Europe/Berlin", text, uint8(9))
	}
	f.Fuzz(func(t *testing.T, first, second string, n uint8) {
		i := int(n) % len(known)
		scope := map[string]string{known[i]: first, known[(i+1+int(n)/len(known))%len(known)]: second}
		for _, tool := range []Tool{Python, Go} {
			o := Options{Tool: tool, Now: now, Timezone: "Europe/Paris", Weekdays: "Mon-Fri"}
			m := resolve(tool, []map[string]string{scope, nil, nil}, o)
			if len(m.unsaid) > 0 || m.mode == unset && !m.excluded && m.forceDown.never() {
				continue
			}
			w := windowsOf(tool, m, now)
			if len(w.unsaid) > 0 {
				continue
			}
			set := map[string]string{}
			w.set(set)
			if _, problems := annotation.Parse(set, nil); len(problems) > 0 {
				t.Errorf("%v became %v: %v", scope, set, problems)
			}
		}
	})
}
