package explain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/cmd/kubectl-curfew/live/livetest"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// evening is a Friday, 19:30:12 in Berlin.
var evening = time.Date(2026, 6, 5, 17, 30, 12, 345, time.UTC)

type annotations = map[string]string

// berlin are annotations in that zone.
func berlin(more ...string) annotations {
	all := annotations{annotation.Timezone: "Europe/Berlin"}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

const (
	windows  = annotation.Windows
	override = annotation.OverrideKey
	day      = "12-24..12-26 = 0\n# work\nMon-Fri 07:00-19:00 = normal\n18:00-23:00 = 50%\nalways = 0"
	once     = "2026-06-05 = 1; 2026-06-01 = 2"
)

func TestText(t *testing.T) {
	events := []Event{
		{evening.Add(-time.Hour), "Normal", "WindowStarted", "Scaled from 3 to 2"},
		{evening.Add(-time.Minute), "Warning", "ReplicasContested", "somebody \x1b[31m"},
	}
	for name, c := range map[string]struct {
		livetest.Scene
		events []Event
		want   string
	}{
		"a window": {livetest.Scene{Own: berlin(windows, day), Size: 3, Kept: true}, events, `
Name:         web
Namespace:    shop
Time:         Fri 2026-06-05 19:30:12 CEST, 2026-06-05T17:30:12Z
Decision:     2 replicas, which is 50% of normal, because rule 3 holds: 18:00-23:00 = 50%
Until:        Fri 2026-06-05 23:00 CEST (in 3h29m)
Then:         0 (always = 0)
Size:         asks for 2, 1 ready
Inputs:
  WHAT                   VALUE           FROM
  Rules                  4               curfew/windows of the Deployment
  Time zone              Europe/Berlin   curfew/timezone of the Deployment
  Normal size            3               what Curfew remembers
  Size it asks for       2               spec.replicas, set by Curfew
  Remembered size        3               curfew/remembered-replicas, which Curfew wrote
  Paused                 no
  Left alone when new    no              curfew/grace is not there; it was created 24h ago
  Autoscaler             none
  Namespace's defaults   none
Overrides:    <none>
Rules:
    1.   12-24..12-26 = 0               not now; starts Thu 2026-12-24 00:00 CET (in 201d)
    2.   Mon-Fri 07:00-19:00 = normal   not now; starts Mon 2026-06-08 07:00 CEST (in 2d11h)
  > 3.   18:00-23:00 = 50%              holds now, until Fri 2026-06-05 23:00 CEST (in 3h29m)
    4.   always = 0                     would hold too, but rule 3 comes first
Curfew said:  window, 2 replicas, normal is 3, 18:00-23:00 = 50%, until Fri 2026-06-05 23:00 CEST, and so it is
Changes:
  LOCAL                       UTC                    IN      SIZE   WHY
  Fri 2026-06-05 23:00 CEST   2026-06-05T21:00:00Z   3h29m   0      always = 0
  Sat 2026-06-06 18:00 CEST   2026-06-06T16:00:00Z   22h     2      18:00-23:00 = 50%
  Sat 2026-06-06 23:00 CEST   2026-06-06T21:00:00Z   27h     0      always = 0
  Sun 2026-06-07 18:00 CEST   2026-06-07T16:00:00Z   46h     2      18:00-23:00 = 50%
  Sun 2026-06-07 23:00 CEST   2026-06-07T21:00:00Z   2d3h    0      always = 0
  Mon 2026-06-08 07:00 CEST   2026-06-08T05:00:00Z   2d11h   3      normal
  Mon 2026-06-08 19:00 CEST   2026-06-08T17:00:00Z   2d23h   2      18:00-23:00 = 50%
  Mon 2026-06-08 23:00 CEST   2026-06-08T21:00:00Z   3d3h    0      always = 0
  Tue 2026-06-09 07:00 CEST   2026-06-09T05:00:00Z   3d11h   3      normal
  Tue 2026-06-09 19:00 CEST   2026-06-09T17:00:00Z   3d23h   2      18:00-23:00 = 50%
Events:
  Fri 2026-06-05 18:30:12 CEST   60m ago   WindowStarted       Scaled from 3 to 2
  Fri 2026-06-05 19:29:12 CEST   60s ago   ReplicasContested   somebody \x1b[31m
`},
		"mistakes": {livetest.Scene{
			Own:       berlin(windows, "Mon-Fri 8-20 = normal; foo = 3\nalways = 0", annotation.Paused, "yes\x1b", annotation.Remembered, "x"),
			Namespace: annotations{windows: "always = 0", annotation.Paused: "true"}, Size: 3,
		}, nil, `
Name:         web
Namespace:    shop
Time:         Fri 2026-06-05 19:30:12 CEST, 2026-06-05T17:30:12Z
Decision:     left as it stands, at 3 replicas, because there is a mistake
Size:         asks for 3, 1 ready
Inputs:
  WHAT                   VALUE           FROM
  Rules                  unreadable      curfew/windows of the Deployment, which replaces the Namespace's
  Time zone              Europe/Berlin   curfew/timezone of the Deployment
  Normal size            3               what it asks for; curfew/replicas is not there
  Size it asks for       3               spec.replicas, set by somebody who left no name
  Remembered size        x               curfew/remembered-replicas, which is no number
  Paused                 yes\x1b         curfew/paused of the Deployment, which replaces the Namespace's
  Left alone when new    no              curfew/grace is not there; it was created 24h ago
  Autoscaler             none
  Namespace's defaults   2               annotations of the Namespace shop
Overrides:    <none>
Rules:        <none>
Problems:
  annotation curfew/windows of the Deployment:
    line 1, column 9: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00
        Mon-Fri 8-20 = normal; foo = 3
                ^
    line 1, column 24: "foo": this is not a day of the week; the days are Mon Tue Wed Thu Fri Sat Sun
        Mon-Fri 8-20 = normal; foo = 3
                               ^
  annotation curfew/paused: "yes\x1b" is neither "true" nor "false"; write one of them or remove the annotation
  annotation curfew/remembered-replicas: "x" is not a number from 0 to 1000000; write the number of replicas to give back, or remove the annotation
Curfew said:  nothing
              not applied yet: Curfew has said nothing about it; is Curfew running, and does it look after this namespace?; annotation curfew/windows: line 1, column 9: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00 (and 3 more)
Changes:      none until the mistake is mended
Events:       unknown, for they may not be read
`},
		"few changes": {livetest.Scene{Own: berlin(windows, once, annotation.Replicas, "3"), Size: 3, Kept: true}, []Event{}, `
Name:         web
Namespace:    shop
Time:         Fri 2026-06-05 19:30:12 CEST, 2026-06-05T17:30:12Z
Decision:     1 replica, because rule 1 holds: 2026-06-05 = 1
Until:        Sat 2026-06-06 00:00 CEST (in 4h29m)
Then:         3 (normal)
Size:         asks for 1, 1 ready
Inputs:
  WHAT                   VALUE           FROM
  Rules                  2               curfew/windows of the Deployment
  Time zone              Europe/Berlin   curfew/timezone of the Deployment
  Normal size            3               curfew/replicas of the Deployment
  Size it asks for       1               spec.replicas, set by Curfew
  Remembered size        none
  Paused                 no
  Left alone when new    no              curfew/grace is not there; it was created 24h ago
  Autoscaler             none
  Namespace's defaults   none
Overrides:    <none>
Rules:
  > 1.   2026-06-05 = 1   holds now, until Sat 2026-06-06 00:00 CEST (in 4h29m)
    2.   2026-06-01 = 2   never again
Curfew said:  window, 1 replica, normal is 3, 2026-06-05 = 1, until Sat 2026-06-06 00:00 CEST, and so it is
Changes:
  LOCAL                       UTC                    IN      SIZE   WHY
  Sat 2026-06-06 00:00 CEST   2026-06-05T22:00:00Z   4h29m   3      normal
  None after that, in the next 5 years.
Events:       <none>
`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := (printer{Of(c.Subject(evening), c.events, evening), &out, false}).print(); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != strings.TrimPrefix(c.want, "\n") {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// TestVerdicts looks at the decision, the overrides and the windows: "* " is before what holds.
func TestVerdicts(t *testing.T) {
	const (
		until9  = "2 until 2026-06-05T21:00:00+02:00"
		until10 = "50% until 2026-06-05T22:00:00+02:00"
		past    = "1 until 2026-06-05T19:30:12+02:00"
		work    = "18:00-23:00 = normal; always = 0"
		nine    = "holds now, until Fri 2026-06-05 21:00 CEST (in 89m)"
		ten     = "holds now, until Fri 2026-06-05 22:00 CEST (in 149m)"
		eleven  = "holds now, until Fri 2026-06-05 23:00 CEST (in 3h29m)"
		behind  = "would hold too, but rule 1 comes first"
	)
	for name, c := range map[string]struct {
		livetest.Scene
		want []string
	}{
		"a rule of normal, and curfew/replicas": {livetest.Scene{Own: berlin(windows, work, annotation.Replicas, "3"), Size: 3, Kept: true},
			[]string{"3 replicas, which is normal, because rule 1 holds: 18:00-23:00 = normal", "* " + eleven, behind}},
		"a rule of normal, and hands off": {livetest.Scene{Own: berlin(windows, work), Size: 3, Kept: true},
			[]string{"left alone, at 3 replicas, because rule 1 holds: 18:00-23:00 = normal and curfew/replicas is not there", "* " + eleven, behind}},
		"no rule holds, and one is to be given back": {livetest.Scene{Own: berlin(windows, "Sat = 0", annotation.Remembered, "3"), Size: 0},
			[]string{"3 replicas, which is normal, because no rule holds", "not now; starts Sat 2026-06-06 00:00 CEST (in 4h29m)"}},
		"an override": {livetest.Scene{Own: berlin(windows, work, override, until9), Namespace: annotations{override: until10}, Size: 4, Kept: true},
			[]string{"2 replicas, because the Deployment's override says so", "* " + nine, "runs too, but the Deployment's own comes first",
				"would hold, but an override comes first", behind}},
		"a Namespace's, for its own has run out": {livetest.Scene{Own: berlin(windows, work, override, past), Namespace: annotations{override: until10}, Size: 3, Kept: true},
			[]string{"2 replicas, which is 50% of normal, because the Namespace's override says so", "ran out on Fri 2026-06-05 19:30:12 CEST", "* " + ten,
				"would hold, but an override comes first", behind}},
		"a Namespace's, for its own cannot be read": {livetest.Scene{Own: berlin(windows, work, override, "x\x1b"), Namespace: annotations{override: until9}, Size: 3, Kept: true},
			[]string{"2 replicas, because the Namespace's override says so", "cannot be read, and counts as absent", "* " + nine,
				"would hold, but an override comes first", behind}},
		"opted out, of the Namespace's override too": {livetest.Scene{Own: berlin(windows, "none"), Namespace: annotations{override: until9}, Size: 3, Kept: true},
			[]string{`none of Curfew's business, because its rules are "none"`, "does not reach what has opted out"}},
		"opted out, with something to give back": {livetest.Scene{Own: berlin(windows, "none", annotation.Remembered, "3"), Size: 0},
			[]string{`given back 3 replicas, because its rules are "none"`}},
		"nothing": {livetest.Scene{Size: 1, Kept: true}, []string{"none of Curfew's business, because it has neither rules nor an override"}},
		"paused": {livetest.Scene{Own: berlin(windows, work, override, until9, annotation.Paused, "true"), Size: 3, Kept: true},
			[]string{"left as it stands, at 3 replicas, because Curfew is paused here", "runs, but Curfew is paused here", "would hold, but Curfew is paused here", behind}},
		"a mistake elsewhere": {livetest.Scene{Own: berlin(windows, work, annotation.Replicas, "x"), Size: 3, Kept: true},
			[]string{"left as it stands, at 3 replicas, because there is a mistake", "would hold, but there is a mistake", behind}},
		"new": {livetest.Scene{Own: berlin(windows, "always = 0", annotation.Grace, "1h"), Size: 3, Age: time.Minute, Kept: true},
			[]string{"left as it stands, at 3 replicas, because the Deployment is new", "would hold, but the Deployment is new"}},
		"waiting for its turn": {livetest.Scene{Own: berlin(windows, "22:00-23:00 = 0", annotation.Replicas, "3", annotation.Wave, "2", annotation.StatusKey, `{"state":"waiting","size":0,"normal":3,"message":"waits for its turn to wake, in wave 2"}`), Size: 0},
			[]string{"left as it stands, at 0 replicas, because it waits for its turn to wake: in wave 2, for all of lower waves that wake with it to be available or to have had their time, and for a place, where the controller limits how many wake at once or in a minute", "not now; starts Fri 2026-06-05 22:00 CEST (in 149m)"}},
		"waiting for its turn, in no wave": {livetest.Scene{Own: berlin(windows, "22:00-23:00 = 0", annotation.Replicas, "3", annotation.StatusKey, `{"state":"waiting","size":0,"normal":3,"message":"waits for its turn to wake"}`), Size: 0},
			[]string{"left as it stands, at 0 replicas, because it waits for its turn to wake: for a place, where the controller limits how many wake at once or in a minute", "not now; starts Fri 2026-06-05 22:00 CEST (in 149m)"}},
		"being deleted": {livetest.Scene{Own: berlin(windows, "always = 0"), Size: 3, Deleting: true},
			[]string{"left as it stands, at 3 replicas, because the Deployment is being deleted", "would hold, but the Deployment is being deleted"}},
		"an autoscaler": {livetest.Scene{Own: berlin(windows, "always = 2"), Size: 5, Autoscaler: true, Kept: true},
			[]string{"left to the HorizontalPodAutoscaler auto, which owns every size above 0, though rule 1 holds: always = 2", "* holds now, without end"}},
		"an autoscaler, and a window of 0": {livetest.Scene{Own: berlin(windows, "always = 0"), Size: 5, Autoscaler: true, Kept: true},
			[]string{"0 replicas, because rule 1 holds: always = 0", "* holds now, without end"}},
		"contested": {livetest.Scene{Own: berlin(windows, "always = 0", annotation.Replicas, "3"), Size: 3, Kept: true, Contest: func(d decide.Decision) decide.Decision {
			return d.Contested(decide.Writer{Manager: "argocd"}, annotation.Status{}, evening.Add(time.Minute))
		}}, []string{`0 replicas, because rule 1 holds: always = 0, contested by "argocd"`, "* holds now, without end"}},
		"a Namespace that may not be read": {livetest.Scene{Dark: true, Own: annotations{annotation.StatusKey: `{"state":"window","size":0,"normal":3,"rule":"always = 0"}`}, Size: 0},
			[]string{"0 replicas, as Curfew last said, for what the Namespace says may not be read"}},
		"cron, and another zone": {livetest.Scene{Own: berlin(windows, "cron(0 12 * * 5) for 8h UTC = 2; Fri 19:00 - Sat 02:00 Asia/Tokyo = 1"), Size: 3, Kept: true},
			[]string{"2 replicas, because rule 1 holds: cron(0 12 * * 5) for 8h UTC = 2", "* " + ten, "not now; starts Fri 2026-06-12 12:00 CEST (in 6d16h)"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := Of(c.Subject(evening), nil, evening)
			got := []string{e.Decision}
			mark := func(holds bool, verdict string) {
				if holds {
					verdict = "* " + verdict
				}
				got = append(got, verdict)
			}
			for _, o := range e.Overrides {
				mark(o.Holds, o.Verdict)
			}
			for _, r := range e.Rules {
				mark(r.Holds, r.Verdict)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
			}
		})
	}
}

// TestInputs looks at where inputs come from, where that is not told by TestText.
func TestInputs(t *testing.T) {
	held := func(size int32, writer string) livetest.Scene {
		return livetest.Scene{Own: annotations{windows: "always = 0", annotation.Remembered: "3", annotation.StatusKey: `{"state":"window","size":0,"normal":3}`}, Size: size, Writer: writer}
	}
	for name, c := range map[string]struct {
		livetest.Scene
		want string // name: value (from)
	}{
		"inherited":                  {livetest.Scene{Namespace: berlin(windows, day)}, "Rules: 4 (curfew/windows of the Namespace)"},
		"nobody's":                   {livetest.Scene{}, "Rules: none (nobody gives any)"},
		"a Namespace's none":         {livetest.Scene{Namespace: annotations{windows: "none"}}, "Rules: none (curfew/windows of the Namespace)"},
		"opted out":                  {livetest.Scene{Own: annotations{windows: "none"}}, "Rules: opted out (curfew/windows of the Deployment)"},
		"rules that name their zone": {livetest.Scene{Own: annotations{windows: "Sat Asia/Tokyo = 0"}}, "Time zone: Asia/Tokyo (the rules themselves)"},
		"rules that name no zone":    {livetest.Scene{Own: annotations{windows: "Sat = 0"}}, "Time zone: UTC (nobody names one; give the controller's own with --timezone)"},
		"a zone that is none":        {livetest.Scene{Own: annotations{windows: "Sat = 0", annotation.Timezone: "\x1b"}}, `Time zone: \x1b (curfew/timezone of the Deployment, which is none)`},
		"what somebody applied":      {held(5, "helm"), `Normal size: 5 (what "helm" wrote meanwhile)`},
		"what somebody has scaled":   {held(5, ""), "Normal size: 3 (what Curfew remembers)"},
		"a memory lost": {livetest.Scene{Own: annotations{windows: "always = 0"}, Writer: kind.FieldManager},
			"Normal size: unknown (Curfew set the 0, and what it remembered has been removed)"},
		"who set the size":      {livetest.Scene{Size: 2, Writer: "helm"}, `Size it asks for: 2 (spec.replicas, set by "helm")`},
		"paused":                {livetest.Scene{Namespace: annotations{annotation.Paused: "true"}}, "Paused: yes (curfew/paused of the Namespace)"},
		"not paused":            {livetest.Scene{Own: annotations{annotation.Paused: "false"}, Namespace: annotations{annotation.Paused: "true"}}, "Paused: no (curfew/paused of the Deployment, which replaces the Namespace's)"},
		"grace":                 {livetest.Scene{Own: annotations{annotation.Grace: "30m"}}, "Left alone when new: for 30m (curfew/grace of the Deployment; it was created 24h ago)"},
		"grace by a flag":       {livetest.Scene{Own: annotations{annotation.StatusKey: `{"state":"waiting","until":"2026-06-04T18:30:13Z"}`}}, "Left alone when new: for 60m (the controller's --grace-period; it was created 24h ago)"},
		"an autoscaler":         {livetest.Scene{Autoscaler: true}, "Autoscaler: auto (a HorizontalPodAutoscaler with minReplicas 1, which owns every size above 0)"},
		"a protected Namespace": {livetest.Scene{In: "kube-system", Namespace: annotations{windows: day}}, "Namespace's defaults: none (they never reach kube-system)"},
		"a dark Namespace":      {livetest.Scene{Dark: true}, "Namespace's defaults: unknown (the Namespace may not be read)"},
	} {
		t.Run(name, func(t *testing.T) {
			var all []string
			for _, in := range Of(c.Subject(evening), nil, evening).Inputs {
				all = append(all, fmt.Sprintf("%s: %s (%s)", in.Name, in.Value, in.From))
			}
			if !slices.Contains(all, c.want) {
				t.Errorf("want %s in\n%s", c.want, strings.Join(all, "\n"))
			}
		})
	}
}

func TestNewest(t *testing.T) {
	at := func(minutes int) time.Time { return evening.Add(time.Duration(minutes) * time.Minute) }
	items := []eventsv1.Event{
		{Note: "seen again", EventTime: metav1.NewMicroTime(at(0)), Series: &eventsv1.EventSeries{LastObservedTime: metav1.NewMicroTime(at(30))}},
		{Note: "old kind", DeprecatedLastTimestamp: metav1.NewTime(at(20))},
	}
	for i := range 12 {
		items = append(items, eventsv1.Event{Note: fmt.Sprint(i), EventTime: metav1.NewMicroTime(at(i))})
	}
	var notes []string
	for _, e := range newest(items) {
		notes = append(notes, e.Note)
	}
	if got := strings.Join(notes, ","); got != "4,5,6,7,8,9,10,11,old kind,seen again" {
		t.Errorf("got %s", got)
	}
	if none := newest(nil); none == nil || len(none) != 0 {
		t.Error("no events are not the same as events that may not be read")
	}
}
