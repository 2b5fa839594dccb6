package cronhpa

import (
	"strings"
	"testing"
	"time"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/imports/translate/translatetest"
	"curfew/cmd/kubectl-curfew/manifest"
)

// once is a job with a date.
type once struct {
	at   string
	size int32
}

func TestYear(t *testing.T) {
	for name, c := range map[string]struct {
		target, zone, rules, replicas string
		edges                         []translatetest.Edge // without their zone
		dates                         []once
		differences                   []string
	}{
		"two": {"Deployment shop/web", "Asia/Shanghai", "21:00-07:30 = 1", "3",
			[]translatetest.Edge{{At: "0 21 * * *", Size: 1}, {At: "30 7 * * *", Size: 3}}, nil, []string{"taken to be in Asia/Shanghai, as --cronhpa-timezone says"}},
		"statefulset": {"StatefulSet shop/db", "UTC", "21:00-07:30 = 1", "3",
			[]translatetest.Edge{{At: "0 21 * * *", Size: 1}, {At: "30 7 * * *", Size: 3}}, nil, nil},
		"three": {"Deployment shop/api", "Europe/Berlin", "Mon-Fri 11:00-14:30 = normal\nMon-Fri 07:00-20:00 = 4\nalways = 0", "10",
			[]translatetest.Edge{{At: "0 7 * * 1-5", Size: 4}, {At: "0 11 * * 1-5", Size: 10}, {At: "30 14 * * 1-5", Size: 4}, {At: "0 20 * * 1-5", Size: 0}}, nil, nil},
		"weekend": {"Deployment shop/game", "America/New_York", "Mon 02:00 - Sat 12:00 = 5", "20",
			[]translatetest.Edge{{At: "0 12 * * 6", Size: 20}, {At: "0 2 * * 1,3", Size: 5}}, nil, nil},
		"monthly": {"Deployment shop/billing", "Africa/Cairo", "cron(0 6 1 * *) to cron(0 6 2,16 * *) = normal\ncron(0 9 15 * *) to cron(0 6 2,16 * *) = normal\nalways = 0", "6",
			[]translatetest.Edge{{At: "0 6 1 * *", Size: 6}, {At: "0 9 15 * *", Size: 6}, {At: "0 6 2,16 * *", Size: 0}}, nil, nil},
		"frequent": {"Deployment shop/poll", "UTC", "cron(10/30 * * * *) to cron(*/30 * * * *) = 1", "3",
			[]translatetest.Edge{{At: "*/30 * * * *", Size: 3}, {At: "10/30 * * * *", Size: 1}}, nil, nil},
		"date": {"Deployment shop/sale", "Asia/Shanghai", "2026-06-05 23:00:20-24:00 = 8\n2026-06-06..2026-06-07 = 8\n2026-06-08 00:00-08:00 = 8\n" +
			"2026-11-10 23:30-24:00 = 50\n2026-11-11 00:00-02:00 = 50\n2026-11-11 02:00-08:00 = 20\n2026-12-13 = 0\n2026-12-14 00:00-08:00 = 0\n" +
			"Mon-Fri 08:00-22:00 = normal\nalways = 2", "5",
			[]translatetest.Edge{{At: "0 8 * * 1-5", Size: 5}, {At: "0 22 * * 1-5", Size: 2}},
			[]once{{"2026-11-10 23:30:00", 50}, {"2026-11-11 02:00:00", 20}, {"2026-06-05 23:00:20", 8}, {"2026-12-13 00:00:00", 0}}, []string{"hold once"}},
		"small-hours": {"Deployment shop/late", "Europe/Berlin", "02:30-05:45 = 0", "2",
			[]translatetest.Edge{{At: "30 2 * * *", Size: 0}, {At: "45 5 * * *", Size: 2}}, nil, []string{"on 2026-03-29 in Europe/Berlin"}},
	} {
		t.Run(name, func(t *testing.T) {
			all := New(c.zone)(translatetest.File(t, name))
			translatetest.Promises(t, all)
			tr := translatetest.Find(t, all, c.target)
			if tr.Set["curfew/windows"] != c.rules || tr.Set["curfew/timezone"] != c.zone || tr.Set["curfew/replicas"] != c.replicas {
				t.Errorf("set is %q, want\n%s\nin %s of %s", tr.Set, c.rules, c.zone, c.replicas)
			}
			translatetest.Says(t, "difference", tr.Differences, append(c.differences, "does not make up for a time that it missed", "acts at its times alone")...)
			translatetest.Same(t, tr, jobsOf(t, c.zone, c.edges, c.dates), -1)
		})
	}
}

// jobsOf replays the jobs: each sets its size at its times, in the controller's zone.
func jobsOf(t *testing.T, zone string, edges []translatetest.Edge, dates []once) translatetest.Old {
	t.Helper()
	var now int32
	var all []translatetest.Happening
	for _, e := range edges {
		for _, at := range translatetest.Fired(t, "CRON_TZ="+zone+" "+e.At) {
			all = append(all, translatetest.Happening{At: at, Does: func() { now = e.Size }})
		}
	}
	for _, d := range dates {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.ParseInLocation("2006-01-02 15:04:05", d.at, loc)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, translatetest.Happening{At: at, Does: func() { now = d.size }})
	}
	return translatetest.Replay(all, func() int32 { return now })
}

func object(name, spec string) string {
	return "---\napiVersion: autoscaling.alibabacloud.com/v1beta1\nkind: CronHorizontalPodAutoscaler\nmetadata: {name: " + name + ", namespace: ns}\nspec: {" + spec + "}\n"
}

const (
	target = `scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, `
	good   = target + `jobs: [{name: up, schedule: "0 0 8 * * *", targetSize: 3}, {name: down, schedule: "0 0 20 * * *", targetSize: 0}]`
)

func TestUnsaid(t *testing.T) {
	job := func(schedule, more string) string {
		return object("a", strings.Replace(good, "jobs: [", `jobs: [{name: odd, schedule: "`+schedule+`", `+more+`}, `, 1))
	}
	for name, c := range map[string]struct{ text, zone, want string }{
		"no zone":                     {object("a", good), "", "Say the zone with --cronhpa-timezone"},
		"an abbreviation":             {object("a", good), "CEST", "write Europe/Berlin"},
		"an autoscaler":               {object("a", strings.Replace(good, "kind: Deployment", "kind: HorizontalPodAutoscaler", 1)), "UTC", "bounds of a HorizontalPodAutoscaler"},
		"another kind":                {object("a", strings.Replace(good, "kind: Deployment", "kind: DaemonSet", 1)), "UTC", "It scales a DaemonSet"},
		"no target":                   {object("a", strings.Replace(good, "name: web", "", 1)), "UTC", "name the workload"},
		"dates left out":              {object("a", good+`, excludeDates: ["* * * 15 11 *"]`), "UTC", "spec.excludeDates"},
		"seconds":                     {job("30 0 9 * * *", "targetSize: 1"), "UTC", "the first field is seconds"},
		"every second":                {job("* 0 9 * * *", "targetSize: 1"), "UTC", "the first field is seconds"},
		"five fields":                 {job("0 9 * * *", "targetSize: 1"), "UTC", "takes the first of five fields for seconds"},
		"weekday 7":                   {job("0 0 9 * * 7", "targetSize: 1"), "UTC", "above maximum (6)"},
		"every so often":              {job("@every 1h", "targetSize: 1"), "UTC", "@every counts from the start"},
		"a date that is none":         {job("@date 2026-02-30 10:00:00", "targetSize: 1"), "UTC", "this is no date"},
		"a step that both days obey":  {job("0 0 9 */2 * 1-5", "targetSize: 1"), "UTC", "list the days instead"},
		"a step the other way round":  {job("0 0 9 1-7 * */2", "targetSize: 1"), "UTC", "list the days instead"},
		"once":                        {job("0 0 9 * * *", "targetSize: 1, runOnce: true"), "UTC", "it runs once"},
		"no size":                     {job("0 0 9 * * *", "runOnce: false"), "UTC", "a size is needed"},
		"a size below 0":              {job("0 0 9 * * *", "targetSize: -1"), "UTC", "a size is needed"},
		"at the same minute":          {job("0 0 8 * * 1", "targetSize: 1"), "UTC", `the job "odd" and the job "up" fall on the same minute`},
		"a date at the same second":   {job("@date 2026-02-03 08:00:00", "targetSize: 1"), "UTC", "fall on the same second"},
		"one size":                    {object("a", target+`jobs: [{name: down, schedule: "0 0 20 * * *", targetSize: 0}]`), "UTC", "nothing ever gives another size again"},
		"dates alone":                 {object("a", target+`jobs: [{name: down, schedule: "@date 2026-02-03 10:00:00", targetSize: 0}]`), "UTC", "nothing ever gives another size again"},
		"no jobs":                     {object("a", target+`jobs: []`), "UTC", "so it scales nothing"},
		"three sizes, not every week": {job("0 0 9 1 * *", "targetSize: 1"), "UTC", "more than two sizes"},
		"two of one":                  {object("a", good) + object("b", good), "UTC", "keep one of them"},
		"a terminal's own":            {job(`\e[2J`, "targetSize: 1"), "UTC", `\x1b`},
	} {
		t.Run(name, func(t *testing.T) {
			all := New(c.zone)(translatetest.Objects(t, c.text))
			translatetest.Promises(t, all)
			if len(all) != 1 {
				t.Fatalf("there are %d translations", len(all))
			}
			translatetest.Says(t, "reason", all[0].Unsaid, c.want)
		})
	}
	if all := Translate(translatetest.Objects(t, object("a", good))); len(all) != 1 || len(all[0].Unsaid) == 0 {
		t.Errorf("without a zone there is %v", all)
	}
}

func TestAutoscaled(t *testing.T) {
	all := New("UTC")(translatetest.Objects(t, object("a", good)+
		"---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: busy, namespace: ns}\nspec: {scaleTargetRef: {kind: Deployment, name: web}}\n"))
	translatetest.Promises(t, all)
	translatetest.Says(t, "difference", all[0].Differences, "The HorizontalPodAutoscaler busy owns the size of Deployment ns/web above 0")
}

func TestNames(t *testing.T) {
	all := New("UTC")(translatetest.Objects(t, object("a", target+`jobs: [{name: up, schedule: "@daily", targetSize: 3}, {name: down, schedule: "0 0 20 * * *", targetSize: 0}]`)))
	translatetest.Promises(t, all)
	if want := "20:00-24:00 = 0"; all[0].Set["curfew/windows"] != want {
		t.Errorf("%q, want %s", all[0].Set, want)
	}
}

func TestWrongTypes(t *testing.T) {
	translatetest.Wrong(t, object("a", strings.Replace(good, "jobs: [", `excludeDates: ["x"], jobs: [{name: once, schedule: "@date 2026-02-03 10:00:00", targetSize: 0, runOnce: true}, `, 1)),
		func(objects []manifest.Object) { translatetest.Promises(t, New("UTC")(objects)) })
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"0 0 8 * * *", "@date 2026-02-03 10:00:00", "@daily", "@every 1h", "0 0 9 */2 * 1-5", "TZ=X 0 * * * *", "00 ? ? ? ? ?"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, date, err := read(text)
		switch {
		case err != nil && strings.Contains(text, "\x1b") && strings.Contains(err.Error(), "\x1b"):
			t.Errorf("%q gives %q, which is not safe to print", text, err)
		case err != nil || !date.IsZero():
		case len(strings.Fields(at.Fields)) != 5:
			t.Errorf("%q is %q", text, at.Fields)
		default:
			if again, err := translate.ParseCron(at.Fields); err != nil || again.Fields != at.Fields {
				t.Errorf("%q is %q, which reads as %q, %v", text, at.Fields, again.Fields, err)
			}
		}
	})
}
