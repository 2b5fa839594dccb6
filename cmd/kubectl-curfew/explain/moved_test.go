package explain

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"curfew/cmd/kubectl-curfew/live/livetest"
	"curfew/scaler/annotation"
)

// words is a text with one blank between its words, however wide the columns are.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestMoved looks at what lead and spread change in an explanation: the lines that name them, the rules and the first
// change. The share of this UID in ten minutes is 166 seconds.
func TestMoved(t *testing.T) {
	const uid = "e2f2b0c5-57cd-4d0b-8a43-8a1d6a2d9f01"
	nights := berlin(windows, "20:00-08:00 = 0", annotation.Lead, "15m", annotation.Replicas, "3")
	at := func(text string) time.Time {
		moment, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	for name, c := range map[string]struct {
		livetest.Scene
		now  time.Time
		want []string
	}{
		"before a night": {livetest.Scene{Own: nights, Namespace: annotations{annotation.Spread: "10m", annotation.Wave: "2"}, UID: uid, Size: 3, Kept: true}, evening, []string{
			"Decision:     3 replicas, which is normal, because no rule holds",
			"Until:        Fri 2026-06-05 20:02:46 CEST (in 32m)",
			"the rules say Fri 2026-06-05 20:00 CEST; it comes 2m46s later by its share of the spread",
			"Wave                   2                  curfew/wave of the Namespace",
			"Wakes early            by 15m             curfew/lead of the Deployment",
			"Comes later            by 2m46s of 10m    curfew/spread of the Namespace",
			"not now; starts Fri 2026-06-05 20:02:46 CEST (in 32m)",
			"Fri 2026-06-05 20:02:46 CEST   2026-06-05T18:02:46Z",
			"Sat 2026-06-06 07:47:46 CEST   2026-06-06T05:47:46Z",
		}},
		"in it": {livetest.Scene{Own: nights, Namespace: annotations{annotation.Spread: "10m"}, UID: uid, Size: 3, Kept: true}, at("2026-06-06T00:00:00Z"), []string{
			"Until:        Sat 2026-06-06 07:47:46 CEST (in 5h47m)",
			"the rules say Sat 2026-06-06 08:00 CEST; it comes 2m46s later by its share of the spread and 15m earlier by the lead",
			"holds now, until Sat 2026-06-06 07:47:46 CEST (in 5h47m), by the lead of what comes then",
		}},
		"while the lead runs": {livetest.Scene{Own: nights, Size: 3, Kept: true}, at("2026-06-06T05:50:00Z"), []string{
			"Decision:     3 replicas, which is normal, because no rule holds from Sat 2026-06-06 08:00 CEST on, and curfew/lead wakes it before that",
			"Until:        Sat 2026-06-06 20:00 CEST",
			"would hold, but the lead of what comes next has begun",
		}},
		"led to a rule": {livetest.Scene{Own: berlin(windows, "20:00-22:00 = 9", annotation.Lead, "1h"), Size: 3, Kept: true}, evening, []string{
			"Decision:     9 replicas, because rule 1 holds: 20:00-22:00 = 9 from Fri 2026-06-05 20:00 CEST on, and curfew/lead wakes it before that",
			"Until:        Fri 2026-06-05 22:00 CEST",
			"> 1.   20:00-22:00 = 9   holds by its lead; its time starts Fri 2026-06-05 20:00 CEST",
			"Sat 2026-06-06 19:00 CEST",
		}},
		"before that": {livetest.Scene{Own: berlin(windows, "20:00-22:00 = 9", annotation.Lead, "15m"), Size: 3, Kept: true}, evening, []string{
			"Until:        Fri 2026-06-05 19:45 CEST",
			"the rules say Fri 2026-06-05 20:00 CEST; it comes 15m earlier by the lead",
			"not now; starts Fri 2026-06-05 19:45 CEST (in 14m), by the lead",
		}},
		"an override ends when it says": {livetest.Scene{Own: berlin(windows, "20:00-22:00 = 9", annotation.Lead, "1h", override, "1 until 2026-06-05T21:00:00+02:00"), Size: 3, Kept: true}, evening, []string{
			"Decision:     1 replica, because the Deployment's override says so Until:",
			"Until:        Fri 2026-06-05 21:00 CEST (in 89m) Then:",
		}},
		"a lead that is none": {livetest.Scene{Own: berlin(windows, "20:00-22:00 = 9", annotation.Lead, "soon"), Size: 3}, evening, []string{
			"Wakes early            soon            curfew/lead of the Deployment",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := (printer{Of(c.Subject(c.now), nil, c.now), &out, false}).print(); err != nil {
				t.Fatal(err)
			}
			said := words(out.String())
			for _, want := range c.want {
				if !strings.Contains(said, words(want)) {
					t.Errorf("it does not say\n%s\nbut\n%s", want, out.String())
				}
			}
		})
	}
}
