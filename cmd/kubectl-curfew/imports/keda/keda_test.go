package keda

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/imports/translate/translatetest"
	"curfew/cmd/kubectl-curfew/manifest"
)

// cronTrigger is a trigger as KEDA works it.
type cronTrigger struct {
	zone, start, end string
	size             int32
}

// scaler answers as KEDA would at every instant: a trigger is active if its next end is not after its next start, and
// the size is the most that an active one wants, or else least. The answers change on the minute, so one is enough for
// each.
func scaler(t *testing.T, least int32, triggers ...cronTrigger) translatetest.Old {
	t.Helper()
	var boundaries []time.Time
	nexts := make([]func(time.Time) bool, 0, len(triggers))
	for _, c := range triggers {
		next := func(fields string) func(time.Time) time.Time {
			schedule, err := cron.ParseStandard("CRON_TZ=" + c.zone + " " + fields)
			if err != nil {
				t.Fatal(err)
			}
			return schedule.Next
		}
		start, end := next(c.start), next(c.end)
		for _, fields := range []string{c.start, c.end} {
			boundaries = append(boundaries, translatetest.Fired(t, "CRON_TZ="+c.zone+" "+fields)...)
		}
		nexts = append(nexts, func(now time.Time) bool { return !end(now).After(start(now)) })
	}
	known := map[time.Time]int32{}
	return translatetest.Old{At: func(now time.Time) int32 {
		minute := now.UTC().Truncate(time.Minute)
		if size, ok := known[minute]; ok {
			return size
		}
		size := least
		for i, active := range nexts {
			if active(minute) {
				size = max(size, triggers[i].size)
			}
		}
		known[minute] = size
		return size
	}, Boundaries: boundaries}
}

func TestYear(t *testing.T) {
	for name, c := range map[string]struct {
		target, rules, zone, replicas string
		least                         int32
		triggers                      []cronTrigger
		differences                   []string
	}{
		"office": {"Deployment shop/web", "Mon-Fri 08:00-20:00 = normal\nalways = 0", "Europe/Berlin", "10", 0,
			[]cronTrigger{{"Europe/Berlin", "0 8 * * 1-5", "0 20 * * 1-5", 10}}, []string{"within 30 s", "300 s after the end, which is cooldownPeriod"}},
		"statefulset": {"StatefulSet shop/db", "Mon-Fri 08:00-20:00 = normal\nalways = 1", "Europe/Berlin", "3", 1,
			[]cronTrigger{{"Europe/Berlin", "0 8 * * 1-5", "0 20 * * 1-5", 3}}, nil},
		"rollout": {"Rollout shop/front", "22:00-07:30 = 0", "UTC", "6", 0,
			[]cronTrigger{{"UTC", "30 7 * * *", "0 22 * * *", 6}}, nil},
		"floor": {"Deployment shop/batch", "05:15-22:30 = 2", "Asia/Kolkata", "5", 2,
			[]cronTrigger{{"Asia/Kolkata", "30 22 * * *", "15 5 * * *", 5}}, []string{"holds it at maxReplicaCount, which is 5", "within 10 s", "300 s after the end, for which its autoscaler waits"}},
		"names": {"Deployment shop/api", "Sun-Thu 20:00-08:00 = 0", "America/New_York", "4", 0,
			[]cronTrigger{{"America/New_York", "0 8 * * 1-5", "0 20 * * *", 4}}, []string{"60 s after the end"}},
		"several": {"Deployment shop/front", "Mon-Fri 11:00-14:30 = normal\nFri 20:00-02:00 = 6\n07:00-22:00 = 3\nalways = 1", "Europe/London", "12", 1,
			[]cronTrigger{{"Europe/London", "0 7 * * *", "0 22 * * *", 3}, {"Europe/London", "0 11 * * 1-5", "30 14 * * 1-5", 12}, {"Europe/London", "0 20 * * 5", "0 2 * * 6", 6}}, nil},
		"zones": {"Deployment shop/desk", "Mon-Fri 09:00-17:00 Asia/Tokyo = normal\nMon-Fri 09:00-17:00 America/Los_Angeles = 2\nalways = 0", "", "5", 0,
			[]cronTrigger{{"America/Los_Angeles", "0 9 * * 1-5", "0 17 * * 1-5", 2}, {"Asia/Tokyo", "0 9 * * 1-5", "0 17 * * 1-5", 5}}, nil},
		"gap": {"Deployment shop/night", "Sun 02:30-09:00 = normal\n02:30-02:45 = 2\nalways = 0", "Europe/Berlin", "3", 0,
			[]cronTrigger{{"Europe/Berlin", "30 2 * * *", "45 2 * * *", 2}, {"Europe/Berlin", "30 2 * * 0", "0 9 * * 0", 3}}, []string{"on 2026-03-29 in Europe/Berlin"}},
		"monthly": {"Deployment shop/billing", "cron(0 18 3 * *) to cron(0 6 1 * *) = 0", "UTC", "3", 0,
			[]cronTrigger{{"UTC", "0 6 1 * *", "0 18 3 * *", 3}}, nil},
		"mixed": {"Deployment shop/poll", "cron(0 0 15 jan-jun *) to cron(0 0 16 1-6 *) = normal\ncron(0 */4 * * *) to cron(5 */4 * * *) = 1\nalways = 0", "UTC", "9", 0,
			[]cronTrigger{{"UTC", "0 */4 * * *", "5 */4 * * *", 1}, {"UTC", "0 0 15 1-6 *", "0 0 16 1-6 *", 9}}, []string{"curfew/paused"}},
	} {
		t.Run(name, func(t *testing.T) {
			all := Translate(translatetest.File(t, name))
			translatetest.Promises(t, all)
			tr := translatetest.Find(t, all, c.target)
			if c.rules != "" && tr.Set["curfew/windows"] != c.rules || tr.Set["curfew/timezone"] != c.zone || tr.Set["curfew/replicas"] != c.replicas {
				t.Errorf("set is %q, want\n%s\nin %s of %s", tr.Set, c.rules, c.zone, c.replicas)
			}
			if paused := tr.Set["curfew/paused"] == "true"; paused != (name == "mixed") {
				t.Errorf("paused is %t", paused)
			}
			if n := strings.Count(tr.Set["curfew/windows"], "\n") + 1; n > 6 {
				t.Errorf("%d rules are too many to read:\n%s", n, tr.Set["curfew/windows"])
			}
			t.Logf("%s", tr.Set["curfew/windows"])
			translatetest.Says(t, "difference", tr.Differences, append(c.differences, "Delete the ScaledObject first")...)
			translatetest.Same(t, tr, scaler(t, c.least, c.triggers...), -1)
		})
	}
}

func object(name, spec string) string {
	return "---\napiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: " + name + ", namespace: ns}\nspec: {" + spec + "}\n"
}

const good = `scaleTargetRef: {name: web}, triggers: [{type: cron, metadata: {timezone: UTC, start: 0 8 * * *, end: 0 20 * * *, desiredReplicas: "3"}}]`

func TestUnsaid(t *testing.T) {
	trigger := func(zone, start, end, replicas string) string {
		return object("a", fmt.Sprintf(`scaleTargetRef: {name: web}, triggers: [{type: cron, metadata: {timezone: %s, start: %s, end: %s, desiredReplicas: %s}}]`, zone, start, end, replicas))
	}
	for name, c := range map[string]struct{ text, want string }{
		"another trigger":      {object("a", strings.Replace(good, "triggers: [", "triggers: [{type: cpu}, ", 1)), "triggers of type cpu"},
		"another kind":         {object("a", strings.Replace(good, "name: web", "name: web, kind: DaemonSet", 1)), "It scales a DaemonSet"},
		"another group":        {object("a", strings.Replace(good, "name: web", "name: web, apiVersion: batch/v1, kind: Deployment", 1)), "a Deployment of \"batch/v1\", which Curfew does not scale"},
		"no target":            {object("a", strings.Replace(good, "name: web", "", 1)), "scaleTargetRef.name is missing"},
		"an abbreviation":      {trigger("CEST", "0 8 * * *", "0 20 * * *", `"1"`), "write Europe/Berlin"},
		"no zone":              {trigger(`""`, "0 8 * * *", "0 20 * * *", `"1"`), "the zone is empty"},
		"the machine's zone":   {trigger("Local", "0 8 * * *", "0 20 * * *", `"1"`), "of which machine"},
		"weekday 7":            {trigger("UTC", "0 8 * * 1-7", "0 20 * * *", `"1"`), "above maximum (6)"},
		"six fields":           {trigger("UTC", "0 0 8 * * *", "0 20 * * *", `"1"`), "not five cron fields"},
		"a name of cron's":     {trigger("UTC", `"@daily"`, "0 20 * * *", `"1"`), "which are all that KEDA reads"},
		"the same":             {trigger("UTC", "0 8 * * *", "0 8 * * *", `"1"`), "start and end are the same"},
		"no replicas":          {trigger("UTC", "0 8 * * *", "0 20 * * *", `""`), "is not a number"},
		"0 replicas":           {trigger("UTC", "0 8 * * *", "0 20 * * *", `"0"`), "the least is 1"},
		"a number for a text":  {trigger("UTC", "0 8 * * *", "0 20 * * *", `3`), `desiredReplicas: "3" is not a text`},
		"bounds that are none": {object("a", good+", minReplicaCount: 5, maxReplicaCount: 4"), "do not go together"},
		"a formula":            {object("a", good+", advanced: {scalingModifiers: {formula: x}}"), "scalingModifiers"},
		"held at a size":       {strings.Replace(object("a", good), "name: a,", `name: a, annotations: {autoscaling.keda.sh/paused-replicas: "4"},`, 1), `paused-replicas: "4" holds it now`},
		"perhaps paused":       {strings.Replace(object("a", good), "name: a,", `name: a, annotations: {autoscaling.keda.sh/paused: "yes"},`, 1), "neither true nor false"},
		"never another size":   {object("a", good+", minReplicaCount: 3"), ""},
		"two of one":           {object("a", good) + object("b", good), "ScaledObject ns/a and ScaledObject ns/b scale Deployment ns/web"},
		"a job":                {strings.Replace(object("a", good), "ScaledObject", "ScaledJob", 1), "A ScaledJob starts Jobs"},
		"no turns, not weekly": {trigger("UTC", "0 8 1 * *", "0 20 * * *", `"1"`), "do not take turns"},
		"a terminal's own":     {trigger("UTC", `"\e[2J"`, "0 20 * * *", `"1"`), `\x1b`},
		"31 February":          {trigger("UTC", "0 8 31 2 *", "0 20 * * *", `"1"`), "never occurs"},
	} {
		t.Run(name, func(t *testing.T) {
			all := Translate(translatetest.Objects(t, c.text))
			translatetest.Promises(t, all)
			if len(all) != 1 {
				t.Fatalf("there are %d translations", len(all))
			}
			if c.want != "" {
				translatetest.Says(t, "reason", all[0].Unsaid, c.want)
			}
		})
	}
}

// What has no cron trigger is none of ours.
func TestNotOurs(t *testing.T) {
	if all := Translate(translatetest.Objects(t, object("a", `scaleTargetRef: {name: web}, triggers: [{type: cpu}]`)+
		strings.Replace(object("b", good), "keda.sh/v1alpha1", "example.com/v1", 1))); len(all) > 0 {
		t.Errorf("there is %v", all)
	}
}

func TestDifferences(t *testing.T) {
	all := Translate(translatetest.Objects(t, object("a", good+", advanced: {restoreToOriginalReplicaCount: true, horizontalPodAutoscalerConfig: {behavior: {}}}")))
	translatetest.Promises(t, all)
	translatetest.Says(t, "difference", all[0].Differences, "gives the size from before back", "step by step")
}

func TestWrongTypes(t *testing.T) {
	text := strings.Replace(object("a", good+", minReplicaCount: 1, idleReplicaCount: 0, maxReplicaCount: 9, cooldownPeriod: 1, pollingInterval: 2, advanced: {scalingModifiers: {}, horizontalPodAutoscalerConfig: {behavior: {}}}"),
		"name: a,", `name: a, annotations: {autoscaling.keda.sh/paused: "true"},`, 1)
	translatetest.Wrong(t, text, func(objects []manifest.Object) { translatetest.Promises(t, Translate(objects)) })
}

// KEDA's question, asked of a week on the wall clock, has the answer that it has minute by minute.
func FuzzUntilNext(f *testing.F) {
	f.Add("0 8 * * 1-5", "0 20 * * *")
	f.Add("*/7 * * * *", "*/5 3 * * 0")
	f.Add("0 8 * * *", "0 8,20 * * *")
	f.Fuzz(func(t *testing.T, start, end string) {
		a, errA := translate.ParseCron(start)
		b, errB := translate.ParseCron(end)
		if errA != nil || errB != nil || !a.Weekly() || !b.Weekly() {
			return
		}
		monday := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
		next := func(all []int, m int) int {
			if i := sort.SearchInts(all, m+1); i < len(all) {
				return all[i]
			}
			return all[0] + 7*24*60
		}
		starts, ends := a.Occurrences(), b.Occurrences()
		for m, active := range translate.UntilNext(a, b) {
			if want := next(ends, m) <= next(starts, m); active != want {
				t.Fatalf("%q to %q at %s is %t", start, end, monday.Add(time.Duration(m)*time.Minute), active)
			}
			if m%61 == 0 && a.Next(monday.Add(time.Duration(m)*time.Minute)) != monday.Add(time.Duration(next(starts, m))*time.Minute) {
				t.Fatalf("%q after minute %d", start, m)
			}
		}
	})
}
