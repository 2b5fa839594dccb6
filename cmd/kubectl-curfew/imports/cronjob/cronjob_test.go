package cronjob

import (
	"fmt"
	"strings"
	"testing"

	"curfew/cmd/kubectl-curfew/imports/translate/translatetest"
	"curfew/cmd/kubectl-curfew/manifest"
)

func TestYear(t *testing.T) {
	nights := []translatetest.Edge{{At: "CRON_TZ=Europe/Berlin 30 22 * * *", Size: 0}, {At: "CRON_TZ=Europe/Berlin 15 6 * * *", Size: 2}}
	const office = "Mon-Fri 08:00-20:00 = normal\nalways = 0"
	hours := func(down, up int32) []translatetest.Edge {
		return []translatetest.Edge{{At: "CRON_TZ=Europe/Berlin 0 20 * * 1-5", Size: down}, {At: "CRON_TZ=Europe/Berlin 0 8 * * 1-5", Size: up}}
	}
	for name, c := range map[string]struct {
		file, target, rules, zone, replicas string
		edges                               []translatetest.Edge
		differences                         []string
	}{
		"pair": {"pair", "Deployment shop/web", "Mon-Fri 08:00-20:00 = normal\nalways = 0", "UTC", "3",
			[]translatetest.Edge{{At: "CRON_TZ=UTC 0 20 * * 1-5", Size: 0}, {At: "CRON_TZ=UTC 0 8 * * 1-5", Size: 3}}, []string{"CronJob shop/down names no zone", "taken to be UTC"}},
		"script": {"script", "Deployment shop/worker", "22:30-06:15 = 0", "Europe/Berlin", "2", nights, nil},
		"script, another": {"script", "Deployment shop/api", "22:30-06:15 = 0", "Europe/Berlin", "4",
			[]translatetest.Edge{nights[0], {At: nights[1].At, Size: 4}}, nil},
		"patch": {"patch", "Deployment shop/web", "Fri 18:00 - Mon 07:00 = 0", "America/New_York", "2",
			[]translatetest.Edge{{At: "CRON_TZ=America/New_York 0 18 * * 5", Size: 0}, {At: "CRON_TZ=America/New_York 0 7 * * 1", Size: 2}}, nil},
		"a StatefulSet": {"kinds", "StatefulSet shop/db", office, "Europe/Berlin", "3", hours(0, 3), nil},
		"a Rollout":     {"kinds", "Rollout shop/front", office, "Europe/Berlin", "3", hours(0, 3), nil},
		"a CronJob":     {"kinds", "CronJob shop/report", office, "Europe/Berlin", "", hours(0, 1), nil},
		"an autoscaler": {"kinds", "HorizontalPodAutoscaler shop/web", strings.Replace(office, "= 0", "= 1", 1), "Europe/Berlin", "5", hours(1, 5), nil},
		"widely": {"widely", "Deployment shop/api", "00:00-09:00 = 0", "UTC", "1",
			[]translatetest.Edge{{At: "CRON_TZ=UTC 0 0 * * *", Size: 0}, {At: "CRON_TZ=UTC 0 9 * * *", Size: 1}}, []string{"scales whatever matches at the time"}},
		"steps": {"steps", "Deployment shop/web", "Mon-Fri 11:30-14:00 = normal\nMon-Fri 06:00-19:00 = 2\nalways = 0", "UTC", "8",
			[]translatetest.Edge{{At: "0 6 * * 1-5", Size: 2}, {At: "30 11 * * 1-5", Size: 8}, {At: "0 14 * * 1-5", Size: 2}, {At: "0 19 * * *", Size: 0}}, nil},
		"small hours": {"small-hours", "Deployment shop/web", "02:30-02:50 = 0", "Europe/Berlin", "1",
			[]translatetest.Edge{{At: "CRON_TZ=Europe/Berlin 30 2 * * *", Size: 0}, {At: "CRON_TZ=Europe/Berlin 50 2 * * *", Size: 1}}, []string{"in Europe/Berlin"}},
		"monthly": {"monthly", "Deployment shop/books", "cron(0 12 1 * *) to cron(0 0 28 mar,jun,sep,dec *) = 1", "Asia/Beirut", "5",
			[]translatetest.Edge{{At: "CRON_TZ=Asia/Beirut 0 12 1 * *", Size: 1}, {At: "CRON_TZ=Asia/Beirut 0 0 28 3,6,9,12 *", Size: 5}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for i, e := range c.edges { // a test machine has a zone of its own
				if !strings.HasPrefix(e.At, "CRON_TZ=") {
					c.edges[i].At = "CRON_TZ=UTC " + e.At
				}
			}
			all := Translate(translatetest.File(t, c.file))
			translatetest.Promises(t, all)
			tr := translatetest.Find(t, all, c.target)
			if tr.Set["curfew/windows"] != c.rules || tr.Set["curfew/timezone"] != c.zone || tr.Set["curfew/replicas"] != c.replicas {
				t.Errorf("set is %q, want\n%s\nin %s of %s", tr.Set, c.rules, c.zone, c.replicas)
			}
			translatetest.Says(t, "difference", tr.Differences, append(c.differences, "what it missed for good stays undone", "acts at its times alone")...)
			translatetest.Same(t, tr, translatetest.Edges(t, c.edges), 1)
		})
	}
}

// What only one of two reaches has one size, and cannot be said.
func TestWidely(t *testing.T) {
	all := Translate(translatetest.File(t, "widely"))
	translatetest.Says(t, "reason", translatetest.Find(t, all, "Deployment shop/live").Unsaid, "nothing ever gives another size again")
	if len(all) != 2 {
		t.Errorf("there are %d translations, want those of api and live", len(all))
	}
}

// object is a CronJob whose container has these fields.
func object(name, schedule, container string) string {
	return fmt.Sprintf("---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: %s, namespace: ns}\nspec: {schedule: %q, jobTemplate: {spec: {template: {spec: {containers: [{name: k, image: k, %s}]}}}}}\n", name, schedule, container)
}

func words(all ...string) string { return fmt.Sprintf("command: [%s]", quote(all)) }

func quote(all []string) string {
	var quoted []string
	for _, w := range all {
		quoted = append(quoted, fmt.Sprintf("%q", w))
	}
	return strings.Join(quoted, ", ")
}

func shell(script string) string { return words("sh", "-c", script) }

func TestUnsaid(t *testing.T) {
	up := object("up", "0 8 * * *", words("kubectl", "scale", "deploy/web", "--replicas=3"))
	down := object("down", "0 20 * * *", words("kubectl", "scale", "deploy/web", "--replicas=0"))
	odd := func(container string) string { return object("odd", "0 9 * * *", container) }
	for name, c := range map[string]struct{ text, want string }{
		"down alone":                {down, "nothing ever gives another size again"},
		"suspended":                 {up + strings.Replace(down, "spec: {", "spec: {suspend: true, ", 1), "CronJob ns/down is suspended"},
		"two zones":                 {up + strings.Replace(down, "spec: {", "spec: {timeZone: Europe/Berlin, ", 1), "CronJob ns/up is read in UTC and CronJob ns/down in Europe/Berlin"},
		"an abbreviation":           {strings.Replace(down, "spec: {", "spec: {timeZone: CEST, ", 1), "write Europe/Berlin"},
		"a zone in the schedule":    {object("down", "CRON_TZ=Europe/Berlin 0 20 * * *", words("kubectl", "scale", "deploy/web", "--replicas=0")), "a zone inside the cron fields"},
		"weekday 7":                 {object("down", "0 20 * * 7", words("kubectl", "scale", "deploy/web", "--replicas=0")), "above maximum (6)"},
		"at the same minute":        {up + object("down", "0 8,20 * * *", words("kubectl", "scale", "deploy/web", "--replicas=0")), "CronJob ns/up and CronJob ns/down fall on the same minute"},
		"a variable":                {odd(shell("kubectl scale deploy/$NAME --replicas=0")), "there is a variable"},
		"a variable in quotes":      {odd(shell(`kubectl scale deploy/web --replicas="${N}"`)), "there is a variable"},
		"a command in a word":       {odd(shell("kubectl scale $(kubectl get deploy -o name) --replicas=0")), "worked out when it runs"},
		"a loop":                    {odd(shell("for d in a b; do kubectl scale deploy/$d --replicas=0; done")), "more than plain commands"},
		"a condition":               {odd(shell("if true; then kubectl scale deploy/a --replicas=0; fi")), "more than plain commands"},
		"a pipe":                    {odd(shell("kubectl get deploy -o name | xargs kubectl scale --replicas=0")), "there is a pipe"},
		"in the background":         {odd(shell("kubectl scale deploy/a --replicas=0 &")), "there is & or !"},
		"something else first":      {odd(shell("/backup && kubectl scale deploy/a --replicas=0")), `"/backup" is run too`},
		"a rest":                    {odd(shell("sleep 600; kubectl scale deploy/a --replicas=0")), `"sleep" is run too`},
		"otherwise":                 {odd(shell("kubectl scale deploy/a --replicas=0 || kubectl scale deploy/b --replicas=0")), "if a command fails"},
		"a variable that is set":    {odd(shell("N=0 kubectl scale deploy/a --replicas=0")), "a variable is set"},
		"a pattern":                 {odd(shell("kubectl scale deploy/a* --replicas=0")), "there is a pattern"},
		"none read has the labels":  {odd(words("kubectl", "scale", "deploy", "-l", "a=b", "--replicas=1")), `by -l "a=b", and none`},
		"a home":                    {odd(shell("~/kubectl scale deploy/a --replicas=0")), "there is a pattern"},
		"braces":                    {odd(words("bash", "-c", "kubectl scale deploy/{a,b} --replicas=0")), "there is a pattern"},
		"no shell":                  {odd(shell("kubectl scale 'deploy/a --replicas=0")), "makes no sense to a shell"},
		"filled in by the kubelet":  {odd(words("kubectl", "scale", "deploy/$(NAME)", "--replicas=0")), "is filled in when it runs"},
		"another program":           {odd(words("python", "-c", "kubectl scale deploy/a --replicas=0")), `"python" is not kubectl`},
		"whatever the image starts": {odd(`args: ["scale kubectl", "x"]`), "which program its image starts"},
		"no replicas":               {odd(words("kubectl", "scale", "deploy/a")), "is not a number of replicas"},
		"replicas below 0":          {odd(words("kubectl", "scale", "deploy/a", "--replicas=-1")), "is not a number of replicas"},
		"nothing named":             {odd(words("kubectl", "scale", "deploy", "--replicas=1")), "names nothing to scale"},
		"another kind":              {odd(words("kubectl", "scale", "rs/db", "--replicas=1")), "It is a ReplicaSet"},
		"an unknown kind":           {odd(words("kubectl", "scale", "pool/web", "--replicas=1")), "not a kind that this import knows"},
		"all of another kind":       {odd(words("kubectl", "scale", "rs", "--all", "--replicas=1")), "scales every ReplicaSet"},
		"all of several kinds":      {odd(words("kubectl", "scale", "sts,deploy", "--all", "--replicas=1")), "several kinds by one selector"},
		"the size of another kind":  {odd(words("kubectl", "patch", "deploy", "a", "-p", `{"spec":{"minReplicas":1}}`)), "the size of a Deployment is not spec.minReplicas"},
		"replicas of a CronJob":     {odd(words("kubectl", "scale", "cj/a", "--replicas=1")), "the size of a CronJob is not spec.replicas"},
		"suspended perhaps":         {odd(words("kubectl", "patch", "cj", "a", "-p", `{"spec":{"suspend":"perhaps"}}`)), "something else than a size"},
		"all, and none was read":    {odd(words("kubectl", "scale", "deploy", "--all", "--replicas=1")), "by --all, and none that was read is one"},
		"a condition of kubectl's":  {odd(words("kubectl", "scale", "--current-replicas=2", "deploy/a", "--replicas=1")), "has --current-replicas"},
		"another cluster":           {odd(words("kubectl", "--context", "prod", "scale", "deploy/a", "--replicas=1")), "has --context"},
		"a try":                     {odd(words("kubectl", "scale", "deploy/a", "--replicas=1", "--dry-run=client")), "has --dry-run"},
		"a file":                    {odd(words("kubectl", "scale", "-f", "a.yaml", "--replicas=1")), "has --filename"},
		"an unknown flag":           {odd(words("kubectl", "scale", "deploy/a", "--replicas=1", "--odd")), "unknown flag"},
		"a patch of more":           {odd(words("kubectl", "patch", "deploy", "a", "-p", `{"spec":{"replicas":0,"paused":true}}`)), "something else than a size"},
		"another command":           {odd(shell("kubectl scale deploy/a --replicas=0; kubectl delete pod x")), "something else than a size"},
		"two sizes in one run":      {odd(shell("kubectl scale deploy/a --replicas=0; kubectl scale deploy/a --replicas=1")), "to 0 and to 1 in one run"},
		"a number for a text":       {strings.Replace(down, `schedule: "0 20 * * *"`, "schedule: 5", 1), `spec.schedule: "5" is not a text`},
		"a terminal's own":          {odd(shell("kubectl scale deploy/a --replicas=0; \x1b[2J")), `\x1b`},
	} {
		t.Run(name, func(t *testing.T) {
			all := Translate(translatetest.Objects(t, c.text))
			translatetest.Promises(t, all)
			if len(all) != 1 {
				t.Fatalf("there are %d translations", len(all))
			}
			translatetest.Says(t, "reason", all[0].Unsaid, c.want)
		})
	}
}

// CronJobs that scale nothing are none of ours, whatever they run.
func TestNotOurs(t *testing.T) {
	for name, container := range map[string]string{
		"another program": shell("pg_dump | gzip > /backup/$(date).gz"),
		"kubectl, but":    words("kubectl", "get", "pods"),
		"no command":      `args: []`,
	} {
		t.Run(name, func(t *testing.T) {
			if all := Translate(translatetest.Objects(t, object("a", "0 9 * * *", container))); len(all) > 0 {
				t.Errorf("there is %v", all)
			}
		})
	}
}

func TestWrongTypes(t *testing.T) {
	text := strings.Replace(object("a", "0 20 * * *", shell("kubectl scale deploy --all --replicas=0")), "spec: {", `spec: {suspend: false, timeZone: UTC, `, 1) +
		object("b", "0 8 * * *", `image: bitnami/kubectl, args: [scale, deploy/web, --replicas=3]`) +
		"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: ns, labels: {a: b}}\n" +
		"---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: ns}\nspec: {scaleTargetRef: {kind: Deployment, name: web}}\n"
	text = strings.Replace(text, "image: k, image", "image", 1)
	translatetest.Wrong(t, text, func(objects []manifest.Object) { translatetest.Promises(t, Translate(objects)) })
}

func FuzzScript(f *testing.F) {
	for _, text := range []string{
		"kubectl scale deploy/a --replicas=0", "set -e\nkubectl scale deploy a b --replicas 1 && echo ok || true",
		`kubectl patch deploy a -p '{"spec":{"replicas":2}}'`, "kubectl scale deploy -l a=b --replicas=3 # x", "kubectl", "a 'b", "kubectl scale $'x'", "kubectl scale ~/x --replicas=1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, variant := range shells {
			all, err := script(text, variant)
			if err != nil {
				if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
					t.Errorf("%q gives %q, which is not safe to print", text, err)
				}
				continue
			}
			if !strings.Contains(text, "k") { // quotes may cut kubectl into pieces, but not make it up
				t.Errorf("%q scales %v", text, all)
			}
			for _, s := range all {
				if s.size < 0 || len(s.resources) == 0 && s.selector == nil {
					t.Errorf("%q scales %v", text, s)
				}
			}
		}
	})
}

func FuzzKubectl(f *testing.F) {
	for _, text := range []string{"scale deploy/a --replicas=0", "-n x scale deploy a --replicas 0", "patch deploy a -p {\"spec\":{\"replicas\":1}}", "scale --replicas=1 deploy -l a=b", "rollout status deploy/a", "get pods", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		one, err := kubectl(append([]string{"kubectl"}, strings.Fields(text)...))
		if err == nil && one != nil && (one.size < 0 || len(one.resources) == 0 && one.selector == nil) {
			t.Errorf("%q scales %v", text, one)
		}
	})
}
