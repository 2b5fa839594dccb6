package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shopNamespace = `apiVersion: v1
kind: Namespace
metadata: {name: shop, annotations: {curfew/windows: "20:00-06:00 = 0", curfew/timezone: Europe/Rome}}
---
`

func inShop(name, annotations, spec string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name + ", namespace: shop, annotations: {" + annotations + "}}\nspec: {" + spec + "}\n---\n"
}

const requests = `template: {spec: {initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 100m}}}],
  containers: [{name: a, resources: {requests: {cpu: 400m, memory: 512Mi}}}, {name: b}]}}`

func TestPlanInherits(t *testing.T) {
	asked{args: []string{"-f", "-", "--from", "2026-06-05", "--to", "2026-06-06"},
		stdin: shopNamespace + inShop("web", "", "") + inShop("out", "curfew/windows: none", "") +
			inShop("up", "curfew/override: normal until 2026-06-05T22:00:00Z", "") + inShop("stop", `curfew/paused: "true"`, ""),
		stdout: `
Deployment shop/web (Europe/Rome)
LOCAL                       UTC                    SIZE     RULE
Fri 2026-06-05 00:00 CEST   2026-06-04T22:00:00Z   0        20:00-06:00 = 0
Fri 2026-06-05 06:00 CEST   2026-06-05T04:00:00Z   normal   <none>
Fri 2026-06-05 20:00 CEST   2026-06-05T18:00:00Z   0        20:00-06:00 = 0

Deployment shop/out (Europe/Rome)
Opted out: the rules are none.

Deployment shop/up (Europe/Rome)
LOCAL                       UTC                    SIZE     RULE
Fri 2026-06-05 00:00 CEST   2026-06-04T22:00:00Z   normal   override
No change before Sat 2026-06-06 00:00 CEST.

Deployment shop/stop (Europe/Rome)
paused: none of this happens until curfew/paused is removed
LOCAL                       UTC                    SIZE     RULE
Fri 2026-06-05 00:00 CEST   2026-06-04T22:00:00Z   0        20:00-06:00 = 0
Fri 2026-06-05 06:00 CEST   2026-06-05T04:00:00Z   normal   <none>
Fri 2026-06-05 20:00 CEST   2026-06-05T18:00:00Z   0        20:00-06:00 = 0
`}.check(t)
}

// TestPlanOfANamespacesMistake: what is wrong with a Namespace is said once, not of each Deployment in it.
func TestPlanOfANamespacesMistake(t *testing.T) {
	stdin := inShop("a", "", "") + inShop("b", "", "") + inShop("c", `curfew/windows: "8-20 = 0"`, "") +
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, annotations: {curfew/windows: always, curfew/override: soon}}\n"
	asked{args: []string{"-f", "-"}, stdin: stdin, code: 1, stderr: `
error: Namespace shop: annotation curfew/windows:
line 1, column 7: a rule needs = and a size behind its window; write always = 0, or another size
    always
          ^
error: Namespace shop: annotation curfew/override: "soon" has no end; write a size and an end with its offset, such as "3 until 2026-06-05T20:00:00+02:00"
error: stdin:11: Deployment shop/c: annotation curfew/windows:
line 1, column 1: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00
    8-20 = 0
    ^
`}.check(t)
}

// TestPlanOfSystemNamespaces: from these nothing is inherited in a cluster, so not in a file either.
func TestPlanOfSystemNamespaces(t *testing.T) {
	for _, system := range []string{"kube-system", "kube-public", "kube-node-lease"} {
		stdin := strings.ReplaceAll(shopNamespace+inShop("web", "", "")+inShop("own", "curfew/windows: always = 2", ""), "shop", system)
		asked{args: []string{"-f", "-", "--from", "2026-06-05", "--to", "2026-06-06"}, stdin: stdin, stdout: `
Deployment ` + system + `/own (UTC)
LOCAL                      UTC                    SIZE   RULE
Fri 2026-06-05 00:00 UTC   2026-06-05T00:00:00Z   2      always = 2
No change before Sat 2026-06-06 00:00 UTC.
`}.check(t)
	}
}

func TestSavings(t *testing.T) {
	stdin := shopNamespace + inShop("web", `curfew/replicas: "4"`, requests) + inShop("db", "", "replicas: 2") +
		one("busy", "curfew/windows: always = 200%") + "---\n" + one("none", "a: b")
	for name, c := range map[string]asked{
		// A day of summer time begins on the 29th: the night of ten hours has nine.
		"table": {args: []string{"--from", "2026-03-28", "--to", "2026-03-30", "--timezone", "Europe/Rome"}, stdout: `
From Sat 2026-03-28 00:00 CET to Mon 2026-03-30 00:00 CEST, in replica-hours:
NAMESPACE   NAME    NORMAL   ALWAYS-ON   PLANNED   SAVED   SAVED%   CPU-HOURS   GIB-HOURS
shop        web     4        188         112       76      40%      38          38
shop        db      2        94          56        38      40%      0           0
shop        <all>   6        282         168       114     40%      38          38
<none>      busy    1        47          94        -47     -100%    0           0
<all>       <all>   7        329         262       67      20%      38          38
`},
		"json": {args: []string{"--from", "2026-06-05T00:00:00Z", "--to", "2026-06-05T12:00:00Z", "-o", "yaml"}, stdin: one("web", "curfew/windows: 00:00-06:00 = 50%"), stdout: `
from: "2026-06-05T00:00:00Z"
items:
- alwaysOn:
    cpuCoreHours: 0
    memoryGiBHours: 0
    replicaHours: 12
  kind: Deployment
  name: web
  namespace: ""
  normal: 1
  planned:
    cpuCoreHours: 0
    memoryGiBHours: 0
    replicaHours: 12
  saved:
    cpuCoreHours: 0
    memoryGiBHours: 0
    replicaHours: 0
namespaces:
- alwaysOn:
    cpuCoreHours: 0
    memoryGiBHours: 0
    replicaHours: 12
  namespace: ""
  normal: 1
  planned:
    cpuCoreHours: 0
    memoryGiBHours: 0
    replicaHours: 12
  saved:
    cpuCoreHours: 0
    memoryGiBHours: 0
    replicaHours: 0
to: "2026-06-05T12:00:00Z"
total:
  alwaysOn:
    cpuCoreHours: 0
    memoryGiBHours: 0
    replicaHours: 12
  normal: 1
  planned:
    cpuCoreHours: 0
    memoryGiBHours: 0
    replicaHours: 12
  saved:
    cpuCoreHours: 0
    memoryGiBHours: 0
    replicaHours: 0
`},
		"of a text": {args: []string{"--windows", "always = 0"}, code: 1, stderr: `
error: --savings needs workloads, whose size it sums; give them with --filename or as deploy/NAME instead of --windows
`},
		"what makes no sense saves nothing": {args: []string{"--from", "2026-06-05", "--to", "2026-06-06"}, code: 1,
			stdin: one("bad", "curfew/windows: nonsense") + "---\n" + one("web", "curfew/windows: always = 0"), stdout: `
From Fri 2026-06-05 00:00 UTC to Sat 2026-06-06 00:00 UTC, in replica-hours:
NAMESPACE   NAME   NORMAL   ALWAYS-ON   PLANNED   SAVED   SAVED%   CPU-HOURS   GIB-HOURS
<none>      web    1        24          0         24      100%     0           0
`, stderr: `
error: stdin:1: Deployment bad: annotation curfew/windows:
line 1, column 1: "nonsense": this is not a day of the week; the days are Mon Tue Wed Thu Fri Sat Sun
    nonsense
    ^
`},
	} {
		t.Run(name, func(t *testing.T) {
			if c.args[0] != "--windows" {
				c.args = append([]string{"-f", "-"}, c.args...)
			}
			if c.stdin == "" {
				c.stdin = stdin
			}
			c.args = append(c.args, "--savings")
			c.check(t)
		})
	}
}

func TestDiff(t *testing.T) {
	old := filepath.Join(t.TempDir(), "old.yaml")
	if err := os.WriteFile(old, []byte(shopNamespace+inShop("web", "", "replicas: 3")+inShop("same", `curfew/replicas: "2"`, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	week := []string{"--from", "2026-06-05", "--to", "2026-06-07"}
	for name, c := range map[string]asked{
		"later, and less": {stdin: inShop("web", "curfew/windows: 22:00-06:00 Europe/Rome = 1", ""), code: 1, stdout: `
Deployment shop/web (Europe/Rome, normal is 3)
FROM                        TO                          OLD                   NEW
Fri 2026-06-05 00:00 CEST   Fri 2026-06-05 06:00 CEST   0 (20:00-06:00 = 0)   1 (22:00-06:00 Europe/Rome = 1)
Fri 2026-06-05 20:00 CEST   Fri 2026-06-05 22:00 CEST   0 (20:00-06:00 = 0)   3
Fri 2026-06-05 22:00 CEST   Sat 2026-06-06 06:00 CEST   0 (20:00-06:00 = 0)   1 (22:00-06:00 Europe/Rome = 1)
Sat 2026-06-06 20:00 CEST   Sat 2026-06-06 22:00 CEST   0 (20:00-06:00 = 0)   3
Sat 2026-06-06 22:00 CEST   Sun 2026-06-07 00:00 CEST   0 (20:00-06:00 = 0)   1 (22:00-06:00 Europe/Rome = 1)
`},
		"the same in other words": {stdin: shopNamespace + inShop("same", `curfew/replicas: "2", curfew/windows: 00:00-06:00 = 0; 20:00-24:00 = 0%`, ""), code: 0, stdout: `
Deployment shop/same (Europe/Rome, normal is 2)
No difference before Sun 2026-06-07 00:00 CEST.
`},
		"a lead": {stdin: shopNamespace + inShop("same", `curfew/replicas: "2", curfew/lead: 15m`, ""), code: 1, stdout: `
Deployment shop/same (Europe/Rome, normal is 2, wakes 15m early)
FROM                        TO                          OLD                   NEW
Fri 2026-06-05 05:45 CEST   Fri 2026-06-05 06:00 CEST   0 (20:00-06:00 = 0)   2
Sat 2026-06-06 05:45 CEST   Sat 2026-06-06 06:00 CEST   0 (20:00-06:00 = 0)   2
`},
		"new": {stdin: one("new", "curfew/windows: Sat = 0"), args: []string{"-o", "json"}, code: 1, stdout: `
{
    "items": [
        {
            "kind": "Deployment",
            "namespace": "",
            "name": "new",
            "timezone": "UTC",
            "old": "It is not in the old manifests, so this compares with no rules at all.",
            "differences": [
                {
                    "from": "2026-06-06T00:00:00Z",
                    "to": "2026-06-07T00:00:00Z",
                    "oldSize": "normal",
                    "oldRule": "",
                    "newSize": "0",
                    "newRule": "Sat = 0"
                }
            ]
        }
    ]
}
`},
		"nothing": {stdin: one("x", "a: b"), code: 2, stderr: `
error: there is nothing to compare; nothing that Curfew looks after has rules, new or old, among 1 objects read
`},
		"a mistake": {stdin: inShop("web", "curfew/windows: nonsense", ""), code: 2, stderr: `
error: stdin:1: Deployment shop/web: annotation curfew/windows:
line 1, column 1: "nonsense": this is not a day of the week; the days are Mon Tue Wed Thu Fri Sat Sun
    nonsense
    ^
`},
		"too many": {stdin: inShop("same", "curfew/windows: cron(* * * * *) for 30s = 0", ""), args: []string{"--limit", "1"}, code: 2, stdout: `
Deployment shop/same (Europe/Rome, normal is 2)
FROM                           TO                             OLD                   NEW
Fri 2026-06-05 00:00:30 CEST   Fri 2026-06-05 00:01:00 CEST   0 (20:00-06:00 = 0)   2
`, stderr: `
error: stdin:1: Deployment shop/same: there are more than 1 differences, the last of these on 2026-06-05T00:01:00+02:00; choose a nearer --to or a higher --limit
`},
	} {
		t.Run(name, func(t *testing.T) {
			c.args = append(append([]string{"--diff", "-f", "-", "--against", old}, week...), c.args...)
			c.check(t)
		})
	}
}

func TestDiffFlags(t *testing.T) {
	for name, c := range map[string]asked{
		"nothing new":          {args: []string{"--diff"}, code: 2, stderr: "error: --diff compares manifests with the cluster; give them, and only them, with --filename, such as\n  kubectl curfew plan --diff -f deployment.yaml\n"},
		"against without diff": {args: []string{"-f", "-", "--against", "x"}, code: 1, stderr: "error: --against says what to compare with; give --diff too\n"},
		"with savings":         {args: []string{"-f", "-", "--diff", "--savings"}, code: 2, stderr: "error: --diff and --savings are two ways to look at a plan; give one of them\n"},
	} {
		t.Run(name, c.check)
	}
}

// TestPlanMoved: a lead is planned with; what a spread comes to is known in a cluster only.
func TestPlanMoved(t *testing.T) {
	stdin := "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, annotations: {curfew/lead: 15m, curfew/spread: 10m}}\n---\n" +
		inShop("web", `curfew/windows: "20:00-06:00 = 0; 12:00-12:10 = 0", curfew/replicas: "4"`, "") +
		inShop("own", `curfew/windows: "20:00-06:00 = 0", curfew/lead: 1h, curfew/spread: "0"`, "")
	args := []string{"-f", "-", "--from", "2026-06-05", "--to", "2026-06-06"}
	asked{args: args, stdin: stdin, stdout: `
Deployment shop/web (UTC, normal is 4, wakes 15m early, in the cluster up to 10m later)
LOCAL                      UTC                    SIZE     RULE
Fri 2026-06-05 00:00 UTC   2026-06-05T00:00:00Z   0        20:00-06:00 = 0
Fri 2026-06-05 05:45 UTC   2026-06-05T05:45:00Z   normal   <none>
Fri 2026-06-05 20:00 UTC   2026-06-05T20:00:00Z   0        20:00-06:00 = 0

Deployment shop/own (UTC, wakes 1h early)
LOCAL                      UTC                    SIZE     RULE
Fri 2026-06-05 00:00 UTC   2026-06-05T00:00:00Z   0        20:00-06:00 = 0
Fri 2026-06-05 05:00 UTC   2026-06-05T05:00:00Z   normal   <none>
Fri 2026-06-05 20:00 UTC   2026-06-05T20:00:00Z   0        20:00-06:00 = 0
`, stderr: `
warning: stdin:5: Deployment shop/web: line 1, column 18: "12:00-12:10 = 0": this is over before the lead of 15m begins to wake it, so it never holds; make curfew/lead shorter than it, or take the rule out
`}.check(t)

	asked{args: append(args, "--savings"), stdin: stdin, stdout: `
From Fri 2026-06-05 00:00 UTC to Sat 2026-06-06 00:00 UTC, in replica-hours:
NAMESPACE   NAME    NORMAL   ALWAYS-ON   PLANNED   SAVED   SAVED%   CPU-HOURS   GIB-HOURS
shop        web     4        96          57        39      41%      0           0
shop        own     1        24          15        9       38%      0           0
<all>       <all>   5        120         72        48      40%      0           0
`}.check(t)
}
