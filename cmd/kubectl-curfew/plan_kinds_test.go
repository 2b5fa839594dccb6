package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// everyKind has an object of each kind, with rules of its own or its Namespace's.
const everyKind = `apiVersion: v1
kind: Namespace
metadata: {name: shop, annotations: {curfew/windows: Sat = 50%}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop, annotations: {curfew/windows: Sat = 1, curfew/replicas: "3"}}
spec: {template: {spec: {containers: [{name: a, resources: {requests: {cpu: 500m}}}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: cache, namespace: shop}
spec: {replicas: 2}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop, annotations: {curfew/timezone: Europe/Berlin}}
spec: {suspend: false}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: backup, namespace: shop, annotations: {curfew/windows: Sat = 0}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: busy, namespace: shop, annotations: {curfew/windows: Sat = 5..20, curfew/replicas: 2..10}}
spec: {maxReplicas: 10, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, annotations: {curfew/windows: Sat = 0; Sun = 4, curfew/hpa: floor}}
spec: {replicas: 3}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: worker, namespace: shop, annotations: {curfew/windows: Sat = 0}}
spec: {scaleTargetRef: {name: worker}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker, namespace: shop}
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: front, namespace: shop, annotations: {curfew/windows: Sat = 0}}
spec: {replicas: 4}
`

// weekend is a plan for these days.
var weekend = []string{"-f", "-", "--from", "2026-06-05", "--to", "2026-06-07T12:00:00Z"}

// titles are the first lines of the tables of a plan.
func titles(t *testing.T, stdin string, args ...string) []string {
	t.Helper()
	code, stdout, stderr := kubectlCurfew(stdin, append([]string{"plan"}, args...)...)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	var all []string
	for _, table := range strings.Split(stdout, "\n\n") {
		title, _, _ := strings.Cut(table, "\nLOCAL")
		all = append(all, title)
	}
	return all
}

// TestPlanKinds: of what nobody says that it is looked after, that is planned which has an annotation of its own.
func TestPlanKinds(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"as far as they are annotated": {nil, `StatefulSet shop/db (UTC, normal is 3)
CronJob shop/report (Europe/Berlin)
CronJob shop/backup (UTC)
HorizontalPodAutoscaler shop/busy (UTC, normal is 2..10)
Deployment shop/web (UTC)
the HorizontalPodAutoscaler busy owns every size above 0
ScaledObject shop/worker (UTC)
Rollout shop/front (UTC)`},
		"two kinds": {[]string{"--kinds", "statefulsets.apps,rollouts.argoproj.io"}, `StatefulSet shop/db (UTC, normal is 3)
StatefulSet shop/cache (UTC)
Rollout shop/front (UTC)`},
		"what no ScaledObject is asked to scale": {[]string{"--kinds", "deployments.apps"}, `Deployment shop/web (UTC)
the HorizontalPodAutoscaler busy owns every size above 0
Deployment shop/worker (UTC)`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(titles(t, everyKind, append(weekend, c.args...)...), "\n"); got != c.want {
				t.Errorf("the titles are\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestPlanSizes: what a Namespace says for all is shown as each kind means it, and an autoscaler does as its target says.
func TestPlanSizes(t *testing.T) {
	_, stdout, _ := kubectlCurfew(everyKind, append([]string{"plan"}, weekend...)...)
	for _, want := range []string{
		"CronJob shop/report (Europe/Berlin)\nLOCAL                      UTC                    SIZE     RULE\nFri 2026-06-05 00:00 CEST   2026-06-04T22:00:00Z   normal   <none>\nNo change before",
		"Sat 2026-06-06 00:00 UTC   2026-06-06T00:00:00Z   5..20    Sat = 5..20",
		"Sat 2026-06-06 00:00 UTC   2026-06-06T00:00:00Z   1        Sat = 1",
	} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("there is no %q in\n%s", want, stdout)
		}
	}
	floor := strings.Replace(everyKind, "annotations: {curfew/windows: Sat = 5..20, curfew/replicas: 2..10}", "annotations: {curfew/grace: 1m}", 1)
	_, stdout, _ = kubectlCurfew(floor, append([]string{"plan", "--kinds", "horizontalpodautoscalers.autoscaling"}, weekend...)...)
	const want = `HorizontalPodAutoscaler shop/busy (UTC)
LOCAL                      UTC                    SIZE     RULE
Fri 2026-06-05 00:00 UTC   2026-06-05T00:00:00Z   normal   <none>
Sun 2026-06-07 00:00 UTC   2026-06-07T00:00:00Z   4        Sun = 4
`
	if stdout != want {
		t.Errorf("the autoscaler has\n%s\nwant\n%s", stdout, want)
	}
}

func TestPlanKindsSavings(t *testing.T) {
	args := []string{"-f", "-", "--savings", "--from", "2026-06-06", "--to", "2026-06-07"}
	asked{args: args, stdin: everyKind, stdout: `From Sat 2026-06-06 00:00 UTC to Sun 2026-06-07 00:00 UTC, in replica-hours:
NAMESPACE   NAME             NORMAL   ALWAYS-ON   PLANNED   SAVED   SAVED%   CPU-HOURS   GIB-HOURS
shop        statefulset/db   3        72          24        48      67%      24          0
shop        deployment/web   3        72          0         72      100%     0           0
shop        rollout/front    4        96          0         96      100%     0           0
<all>       <all>            10       240         24        216     90%      24          0
`}.run(t, "plan")
	asked{args: append(args, "--kinds", "cronjobs.batch"), stdin: everyKind, code: 1, stderr: "error: there is nothing to sum; none of what has rules is a number of pods\n"}.run(t, "plan")
}

func TestPlanKindsDiff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old.yaml")
	if err := os.WriteFile(file, []byte(everyKind), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("curfew/windows: Sat = 0}}", "curfew/windows: Sun = 0}}", "Sat = 5..20", "Sat = 5..30").Replace(everyKind)
	code, stdout, stderr := kubectlCurfew(changed, append([]string{"plan", "--diff", "--against", file}, weekend...)...)
	if code != 1 || stderr != "" {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	got := strings.Join(strings.Fields(stdout), " ")
	for _, want := range []string{
		"StatefulSet shop/db (UTC, normal is 3) No difference before",
		"CronJob shop/backup (UTC, normal is running) FROM TO OLD NEW Sat 2026-06-06 00:00 UTC Sun 2026-06-07 00:00 UTC suspended (Sat = 0) running Sun 2026-06-07 00:00 UTC Sun 2026-06-07 12:00 UTC running suspended (Sun = 0)",
		"HorizontalPodAutoscaler shop/busy (UTC, normal is 2..10) FROM TO OLD NEW Sat 2026-06-06 00:00 UTC Sun 2026-06-07 00:00 UTC 5..20 (Sat = 5..20) 5..30 (Sat = 5..30)",
		"Rollout shop/front (UTC, normal is 4) FROM TO OLD NEW Sat 2026-06-06 00:00 UTC Sun 2026-06-07 00:00 UTC 0 (Sat = 0) 4",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, stdout)
		}
	}
}

// TestPlanCannot: what a kind cannot do is said in full, with a caret where there is a text.
func TestPlanCannot(t *testing.T) {
	const manifest = `apiVersion: batch/v1
kind: CronJob
metadata: {name: report, annotations: {curfew/windows: "Sat = 50%; Sun = 2", curfew/replicas: "2"}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, annotations: {curfew/windows: Sat = 1..3}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, annotations: {curfew/windows: Sat = 0}}
spec: {maxReplicas: 5, scaleTargetRef: {kind: Deployment, name: web}}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: worker, annotations: {curfew/windows: Sat = 0}}
spec: {scaleTargetRef: {name: worker}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker, annotations: {curfew/windows: Sat = 0}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: typo, annotations: {curfew/windows: "Sat = 0; Sut = 0; Sut = 1"}}
`
	const want = `error: stdin:1: CronJob report: annotation curfew/windows:
line 1, column 7: "50%": a CronJob is on or off; write 0, which suspends it, or normal
    Sat = 50%; Sun = 2
          ^
error: stdin:1: CronJob report: annotation curfew/windows:
line 1, column 18: "2": a CronJob is on or off; write 0, which suspends it, or normal
    Sat = 50%; Sun = 2
                     ^
error: stdin:1: CronJob report: annotation curfew/replicas: a CronJob is on or off; remove the annotation
error: stdin:5: StatefulSet db: annotation curfew/windows:
line 1, column 7: "1..3": a StatefulSet has one size and no range; write a number, or put the range on its HorizontalPodAutoscaler
    Sat = 1..3
          ^
error: stdin:9: HorizontalPodAutoscaler web: annotation curfew/windows:
line 1, column 7: "0": a HorizontalPodAutoscaler cannot go to 0; put 0 on its target, which pauses it for as long
    Sat = 0
          ^
error: stdin:19: Deployment worker: annotation curfew/windows: the ScaledObject worker scales this Deployment and has rules or an override; say it there
error: stdin:23: Deployment typo: annotation curfew/windows:
line 1, column 10: "Sut": this is not a day of the week; did you mean Sun?
    Sat = 0; Sut = 0; Sut = 1
             ^
line 1, column 19: "Sut": this is not a day of the week; did you mean Sun?
    Sat = 0; Sut = 0; Sut = 1
                      ^
`
	code, _, stderr := kubectlCurfew(manifest, append([]string{"plan"}, weekend...)...)
	if code != 1 || stderr != want {
		t.Errorf("exit code %d,\n%s", code, stderr)
	}
}
