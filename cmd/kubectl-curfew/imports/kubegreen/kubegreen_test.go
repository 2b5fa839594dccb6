package kubegreen

import (
	"slices"
	"strings"
	"testing"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/imports/translate/translatetest"
	"curfew/cmd/kubectl-curfew/manifest"
)

// turns is a SleepInfo as kube-green works it: its sleep and its wake take turns, whatever comes sooner.
type turns struct{ sleep, wake string }

// green replays SleepInfos on a Deployment of size 3. Each notes what it takes, and gives back only that.
func green(t *testing.T, infos ...turns) translatetest.Old {
	t.Helper()
	size := int32(3)
	var all []translatetest.Happening
	for _, i := range infos {
		noted, asleep := int32(0), false
		for _, at := range translatetest.Fired(t, i.sleep) {
			all = append(all, translatetest.Happening{At: at, Does: func() {
				if !asleep {
					noted, size, asleep = size, 0, true
				}
			}})
		}
		for _, at := range translatetest.Fired(t, i.wake) {
			all = append(all, translatetest.Happening{At: at, Does: func() {
				if asleep {
					if noted > 0 && size == 0 {
						size = noted
					}
					asleep = false
				}
			}})
		}
	}
	return translatetest.Replay(all, func() int32 { return size })
}

func TestYear(t *testing.T) {
	for name, c := range map[string]struct {
		target, rules, zone string
		infos               []turns
		differences         []string
	}{
		"weekdays": {"Namespace shop", "Mon-Fri 08:00-20:00 = normal\nalways = 0", "Europe/Rome",
			[]turns{{"CRON_TZ=Europe/Rome 0 20 * * 1-5", "CRON_TZ=Europe/Rome 0 8 * * 1-5"}}, nil},
		"every-day": {"Namespace shop", "22:30-06:05 = 0", "UTC",
			[]turns{{"CRON_TZ=UTC 30 22 * * *", "CRON_TZ=UTC 5 6 * * *"}}, nil},
		"at-night": {"Namespace shop", "Tue-Thu,Sun 02:15-02:45 = 0", "Europe/Berlin",
			[]turns{{"CRON_TZ=Europe/Berlin 15 2 * * 0,2,3,4", "CRON_TZ=Europe/Berlin 45 2 * * 0,2,3,4"}}, []string{"on 2026-03-29 in Europe/Berlin"}},
		"skipped": {"Namespace shop", "02:30-08:00 = 0", "America/New_York",
			[]turns{{"CRON_TZ=America/New_York 30 2 * * *", "CRON_TZ=America/New_York 0 8 * * *"}}, []string{"on 2026-03-08 in America/New_York"}},
		"weekend": {"Namespace shop", "Sat,Sun 10:00-18:00 = normal\nalways = 0", "America/Santiago",
			[]turns{{"CRON_TZ=America/Santiago 0 18 * * 0,6", "CRON_TZ=America/Santiago 0 10 * * 0,6"}}, nil},
		"twice": {"Namespace shop", "Mon-Fri 07:30-12:00 = normal\nMon-Fri 14:30-20:00 = normal\nalways = 0", "Australia/Lord_Howe",
			[]turns{{"CRON_TZ=Australia/Lord_Howe 0 12,20 * * 1-5", "CRON_TZ=Australia/Lord_Howe 30 7,14 * * 1-5"}}, nil},
		"exclude": {"Namespace shop", "Mon-Fri 08:00-20:00 = normal\nalways = 0", "UTC",
			[]turns{{"CRON_TZ=UTC 0 20 * * 1-5", "CRON_TZ=UTC 0 8 * * 1-5"}}, []string{"gets them later"}},
		"include": {"Deployment shop/large", "Mon-Fri 08:00-20:00 = normal\nalways = 0", "UTC",
			[]turns{{"CRON_TZ=UTC 0 20 * * 1-5", "CRON_TZ=UTC 0 8 * * 1-5"}}, []string{"looks for labels anew"}},
		"kinds": {"Namespace shop", "Mon-Fri 08:00-20:00 = normal\nalways = 0", "Europe/Rome",
			[]turns{{"CRON_TZ=Europe/Rome 0 20 * * 1-5", "CRON_TZ=Europe/Rome 0 8 * * 1-5"}}, []string{"kube-green leaves each StatefulSet in it alone"}},
		"two": {"Namespace shop", "Fri,Sat 10:00-18:00 = normal\nalways = 0", "Europe/Berlin",
			[]turns{{"CRON_TZ=Europe/Berlin 0 20 * * 1-5", "CRON_TZ=Europe/Berlin 0 7 * * 1-5"}, {"CRON_TZ=Europe/Berlin 0 18 * * 5,6", "CRON_TZ=Europe/Berlin 0 10 * * 5,6"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			all := Translate(translatetest.File(t, name))
			translatetest.Promises(t, all)
			tr := translatetest.Find(t, all, c.target)
			if tr.Set["curfew/windows"] != c.rules || tr.Set["curfew/timezone"] != c.zone || len(tr.Set) != 2 {
				t.Errorf("set is %q, want\n%s\nin %s", tr.Set, c.rules, c.zone)
			}
			translatetest.Says(t, "difference", tr.Differences, append(c.differences, "misses by more than a minute", "acts at its times alone")...)
			translatetest.Same(t, tr, green(t, c.infos...), 3)
		})
	}
}

func TestTargets(t *testing.T) {
	for name, want := range map[string][]string{
		"exclude": {"Namespace shop", "Deployment shop/always = none", "Deployment shop/web = none", "StatefulSet shop/db = none"},
		"include": {"Deployment shop/large"},
		"two":     {"Namespace shop", "Deployment shop/reports"},
		"kinds":   {"Namespace shop", "StatefulSet other/db", "StatefulSet shop/cache = none", "CronJob shop/backup = none"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, tr := range Translate(translatetest.File(t, name)) {
				text := tr.Target.String()
				if tr.Set["curfew/windows"] == "none" {
					text += " = none"
				}
				got = append(got, text)
			}
			slices.Sort(got)
			slices.Sort(want)
			if name == "two" { // reports sleeps with three of them, in two zones
				tr := translatetest.Find(t, Translate(translatetest.File(t, name)), "Deployment shop/reports")
				translatetest.Says(t, "reason", tr.Unsaid, "different zones")
			}
			if !slices.Equal(got, want) {
				t.Errorf("targets are %q, want %q", got, want)
			}
		})
	}
}

// What one excludes and another includes is the other's.
func TestHandedOver(t *testing.T) {
	all := Translate(translatetest.Objects(t, sleepInfo("a", `weekdays: "*", sleepAt: "20:00", wakeUpAt: "08:00", excludeRef: [{apiVersion: apps/v1, kind: Deployment, name: own}]`)+
		sleepInfo("b", `weekdays: "*", sleepAt: "10:00", wakeUpAt: "11:00", includeRef: [{apiVersion: apps/v1, kind: Deployment, name: own}]`)))
	translatetest.Promises(t, all)
	tr := translatetest.Find(t, all, "Deployment ns/own")
	if tr.Set["curfew/windows"] != "10:00-11:00 = 0" || len(tr.From) != 1 || tr.From[0].GetName() != "b" {
		t.Errorf("own is %q from %v", tr.Set, tr.From)
	}
}

func sleepInfo(name, spec string) string {
	return "---\napiVersion: kube-green.com/v1alpha1\nkind: SleepInfo\nmetadata: {name: " + name + ", namespace: ns}\nspec: {" + spec + "}\n"
}

func TestUnsaid(t *testing.T) {
	const good = `weekdays: "1-5", sleepAt: "20:00", wakeUpAt: "08:00"`
	for name, c := range map[string]struct{ text, want string }{
		"nothing wakes":                {sleepInfo("a", `weekdays: "1-5", sleepAt: "20:00"`), "no spec.wakeUpAt"},
		"no time":                      {sleepInfo("a", `weekdays: "1-5", wakeUpAt: "20:00"`), "spec.sleepAt: there is no time"},
		"no weekdays":                  {sleepInfo("a", `sleepAt: "20:00", wakeUpAt: "20:00"`), "no spec.weekdays"},
		"the same time":                {sleepInfo("a", `weekdays: "1-5", sleepAt: "8:0", wakeUpAt: "08:00"`), "on the same minute"},
		"weekday 7":                    {sleepInfo("a", `weekdays: "5-7", sleepAt: "8:00", wakeUpAt: "09:00"`), "above maximum (6)"},
		"weekdays that wrap":           {sleepInfo("a", `weekdays: "5-1", sleepAt: "8:00", wakeUpAt: "09:00"`), "beyond end of range"},
		"minutes of two parts":         {sleepInfo("a", `weekdays: " ", sleepAt: "1:0 0", wakeUpAt: "09:00"`), "not a time of hours and minutes"},
		"seconds":                      {sleepInfo("a", `weekdays: "1-5", sleepAt: "08:00:00", wakeUpAt: "09:00"`), "not a time of hours and minutes"},
		"fields smuggled in":           {sleepInfo("a", `weekdays: "1-5", sleepAt: "8 1 1:0", wakeUpAt: "09:00"`), "not a time of hours and minutes"},
		"an abbreviation":              {sleepInfo("a", good+`, timeZone: CEST`), "write Europe/Berlin"},
		"the machine's zone":           {sleepInfo("a", good+`, timeZone: Local`), "of which machine"},
		"a zone that is none":          {sleepInfo("a", good+`, timeZone: Europe/Berlni`), "did you mean Europe/Berlin?"},
		"not Deployments":              {sleepInfo("a", good+`, suspendDeployments: false, suspendStatefulSets: false`), "puts nothing to sleep"},
		"patches":                      {sleepInfo("a", good+`, patches: [{target: {group: apps, kind: Deployment}, patch: x}]`), "spec.patches"},
		"a patch of something else":    {sleepInfo("a", good+`, patches: [{target: {group: apps, kind: Deployment}, patch: "[{op: add, path: /spec/paused, value: true}]"}]`), "a Deployment sleeps by spec/replicas: 0"},
		"a patch to another size":      {sleepInfo("a", good+`, patches: [{target: {group: apps, kind: StatefulSet}, patch: "[{op: add, path: /spec/replicas, value: 1}]"}]`), "Curfew patches nothing else"},
		"a patch of an autoscaler":     {sleepInfo("a", good+`, patches: [{target: {group: autoscaling, kind: HorizontalPodAutoscaler}, patch: "[]"}]`), "which does not sleep by rules on its Namespace"},
		"a patch of nothing":           {sleepInfo("a", good+`, patches: [{patch: "[]"}]`), "there is no target"},
		"a field of tomorrow":          {sleepInfo("a", good+`, weekdaySleep: "1"`), "spec.weekdaySleep is not a field"},
		"a number for a text":          {sleepInfo("a", `weekdays: 5, sleepAt: "20:00", wakeUpAt: "08:00"`), `spec.weekdays: "5" is not a text`},
		"both lists":                   {sleepInfo("a", good+`, excludeRef: [{matchLabels: {a: b}}], includeRef: [{matchLabels: {c: d}}]`), "both spec.includeRef and spec.excludeRef"},
		"two names":                    {sleepInfo("a", good+`, includeRef: [{apiVersion: apps/v1, kind: Deployment, name: x}, {apiVersion: apps/v1, kind: Deployment, name: z}]`), "none ever matches"},
		"labels that nothing has":      {sleepInfo("a", good+`, includeRef: [{matchLabels: {c: d}}]`), "Nothing that was read matches"},
		"other kinds only":             {sleepInfo("a", good+`, includeRef: [{apiVersion: apps/v1, kind: StatefulSet, name: x}]`), "names no Deployment"},
		"half a reference":             {sleepInfo("a", good+`, excludeRef: [{kind: Deployment, name: x}]`), "spec.excludeRef[0]: it has to have"},
		"no namespace":                 {strings.Replace(sleepInfo("a", good), ", namespace: ns", "", 1), "names no namespace"},
		"a namespace of the system's":  {strings.Replace(sleepInfo("a", good), "namespace: ns", "namespace: kube-system", 1), "take no rules over"},
		"a neighbour that is unsaid":   {sleepInfo("a", good) + sleepInfo("b", good+`, patches: [1]`), "SleepInfo ns/b, of the same namespace"},
		"two at the same minute":       {sleepInfo("a", good) + sleepInfo("b", `weekdays: "6", sleepAt: "10:00", wakeUpAt: "12:00"`) + sleepInfo("c", `weekdays: "5", sleepAt: "20:00", wakeUpAt: "21:00"`), "at the same minute"},
		"two that depend on their age": {sleepInfo("a", `weekdays: "*", sleepAt: "0:00", wakeUpAt: "14:00"`) + sleepInfo("b", `weekdays: "*", sleepAt: "12:00", wakeUpAt: "2:00"`), "depends on when they were made"},
		"a terminal's own":             {sleepInfo("a", `weekdays: "\e[2J", sleepAt: "8:00", wakeUpAt: "9:00"`), `\x1b`},
	} {
		t.Run(name, func(t *testing.T) {
			all := Translate(translatetest.Objects(t, c.text))
			translatetest.Promises(t, all)
			if len(all) == 0 {
				t.Fatal("nothing is said at all")
			}
			var unsaid []string
			for _, tr := range all {
				unsaid = append(unsaid, tr.Unsaid...)
			}
			translatetest.Says(t, "reason", unsaid, c.want)
		})
	}
}

// Labels that exclude: any will do, and it says so; and it says if nobody has them.
func TestExcludedLabels(t *testing.T) {
	all := Translate(translatetest.Objects(t, sleepInfo("a", `weekdays: "*", sleepAt: "20:00", wakeUpAt: "08:00", excludeRef: [{matchLabels: {a: b, c: d}}]`)))
	translatetest.Promises(t, all)
	translatetest.Says(t, "difference", translatetest.Find(t, all, "Namespace ns").Differences, "a=b and c=d, and nothing that was read is", "any of the labels a=b and c=d")
}

// Times that would take too many spans stay crons.
func TestTooMany(t *testing.T) {
	all := Translate(translatetest.Objects(t, sleepInfo("a", `weekdays: "1-5", sleepAt: "*:0", wakeUpAt: "*:30"`)))
	tr := translatetest.Find(t, all, "Namespace ns")
	if want := "cron(0 * * * 1-5) to cron(30 * * * 1-5) = 0"; tr.Set["curfew/windows"] != want {
		t.Errorf("%q, want %s", tr.Set, want)
	}
	translatetest.Same(t, tr, green(t, turns{"CRON_TZ=UTC 0 * * * 1-5", "CRON_TZ=UTC 30 * * * 1-5"}), 3)
}

func TestWrongTypes(t *testing.T) {
	translatetest.Wrong(t, sleepInfo("a", `weekdays: "*", sleepAt: "20:00", wakeUpAt: "08:00", timeZone: UTC, suspendDeployments: true, suspendStatefulSets: true, suspendCronJobs: true, `+
		`excludeRef: [{matchLabels: {a: b}}], includeRef: [{apiVersion: apps/v1, kind: Deployment, name: x}], patches: [{}]`)+
		"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, namespace: ns, labels: {a: b}}\n",
		func(objects []manifest.Object) { translatetest.Promises(t, Translate(objects)) })
}

func FuzzAt(f *testing.F) {
	for _, text := range []string{"20:00", "*:*/2", "8", "8:", "a:b", "1 2:3", "TZ=:0"} {
		f.Add(text, "1-5")
	}
	f.Add("0:0", "TZ=")
	f.Add("1:0 0", " ") // five fields all the same
	f.Add("1 0:0", " ")
	f.Add("1:0", "1 ")
	f.Fuzz(func(t *testing.T, text, weekdays string) {
		at, err := at(text, weekdays)
		if err != nil {
			return
		}
		if n := len(strings.Fields(at.Fields)); n != 5 || !at.Weekly() || len(at.Occurrences()) == 0 {
			t.Errorf("%q on %q is %q", text, weekdays, at.Fields)
		}
		if _, err := translate.ParseCron(at.Fields); err != nil {
			t.Errorf("%q on %q: %v", text, weekdays, err)
		}
	})
}
