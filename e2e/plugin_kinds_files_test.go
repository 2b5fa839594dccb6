package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesOfOtherKinds takes a StatefulSet and a CronJob from another tool's annotations to a picture of what Curfew will
// do with them, by way of the real API server.
func TestFilesOfOtherKinds(t *testing.T) {
	t.Parallel()
	s := newNamespace(t) // nobody acts here
	const kinds = "--kinds=deployments.apps,statefulsets.apps,cronjobs.batch"
	old := strings.ReplaceAll(`apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
  namespace: NAMESPACE
  annotations:
    downscaler/uptime: Mon-Fri 07:30-20:30 Europe/Berlin # when people are there
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: example.com/none}]}
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
  namespace: NAMESPACE
  annotations:
    downscaler/downtime: Sat-Sun 00:00-24:00 Europe/Berlin
spec:
  schedule: "0 6 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: example.com/none}]}}}}
`, "NAMESPACE", s.namespace)

	imported := s.curfewInput(old, "import", "-f", "-", "--tool", "python")
	if want := "start the controller with --kinds=cronjobs.batch,statefulsets.apps"; imported.code != 0 || !strings.Contains(imported.stderr, want) {
		t.Fatalf("%q is not in %+v", want, imported)
	}
	manifest := imported.stdout
	s.curfewInput(manifest, "lint", "-f", "-", "--strict", kinds).want(t, 0, "", "0 faults, 0 warnings in 2 objects\n")
	broken := s.curfewInput(strings.Replace(manifest, "Sat,Sun = 0", "Sat,Sun = 3", 1), "lint", "-f", "-", kinds)
	if want := `"3": a CronJob is on or off; write 0, which suspends it, or normal [invalid-windows]`; broken.code != 1 || !strings.Contains(broken.stdout, want) {
		t.Errorf("%q is not in %+v", want, broken)
	}
	file := filepath.Join(t.TempDir(), "shop.yaml")
	s.must(os.WriteFile(file, []byte(manifest), 0o600))
	s.kubectl("apply -f " + file)
	live := shell(s, t.TempDir(), "kubectl get statefulsets,cronjobs -n "+s.namespace+" -o yaml | kubectl curfew lint --strict -f - "+kinds)
	live.want(t, 0, "", "0 faults, 0 warnings in 2 objects\n")

	days := []string{"--from", "2036-06-06", "--to", "2036-06-08"}
	s.curfew(append([]string{"plan", "sts/db", "cj/report"}, days...)...).want(t, 0, `
StatefulSet `+s.namespace+`/db (Europe/Berlin, normal is 1)
LOCAL                       UTC                    SIZE     RULE
Fri 2036-06-06 00:00 CEST   2036-06-05T22:00:00Z   0        always = 0
Fri 2036-06-06 07:30 CEST   2036-06-06T05:30:00Z   normal   Mon-Fri 07:30-20:30 = normal
Fri 2036-06-06 20:30 CEST   2036-06-06T18:30:00Z   0        always = 0

CronJob `+s.namespace+`/report (Europe/Berlin, normal is running)
LOCAL                       UTC                    SIZE     RULE
Fri 2036-06-06 00:00 CEST   2036-06-05T22:00:00Z   normal   <none>
Sat 2036-06-07 00:00 CEST   2036-06-06T22:00:00Z   0        Sat,Sun = 0
`, "")
	s.curfew(append([]string{"plan", "--savings", "sts/db", "cj/report"}, days...)...).want(t, 0, `
From Fri 2036-06-06 00:00 CEST to Sun 2036-06-08 00:00 CEST, in replica-hours:
NAMESPACE`+strings.Repeat(" ", len(s.namespace)-9)+`   NAME   NORMAL   ALWAYS-ON   PLANNED   SAVED   SAVED%   CPU-HOURS   GIB-HOURS
`+s.namespace+`   db     1        48          13        35      73%      0           0
`, "")
	s.curfewInput(strings.Replace(manifest, "Sat,Sun = 0", "Sat = normal", 1), append([]string{"plan", "--diff", "-f", "-"}, days...)...).want(t, 1, `
StatefulSet `+s.namespace+`/db (Europe/Berlin, normal is 1)
No difference before Sun 2036-06-08 00:00 CEST.

CronJob `+s.namespace+`/report (Europe/Berlin, normal is running)
FROM                        TO                          OLD                       NEW
Sat 2036-06-07 00:00 CEST   Sun 2036-06-08 00:00 CEST   suspended (Sat,Sun = 0)   running (Sat = normal)
`, "")

	page := filepath.Join(t.TempDir(), "week.html")
	drawn := s.curfew("timeline", "--static", page)
	if drawn.code != 0 {
		t.Fatalf("%+v", drawn)
	}
	text, err := os.ReadFile(page)
	s.must(err)
	for _, want := range []string{`"kind":"StatefulSet","name":"db"`, `"kind":"CronJob","name":"report"`, `"switch":true,"uncounted":true`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
