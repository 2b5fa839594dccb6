package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// asked is one command line and what comes of it.
type asked struct {
	args   []string
	stdin  string
	code   int
	stdout string
	stderr string
}

func (a asked) check(t *testing.T) {
	t.Helper()
	a.run(t, "plan")
}

func (a asked) run(t *testing.T, command string) {
	t.Helper()
	code, stdout, stderr := kubectlCurfew(a.stdin, append([]string{command}, a.args...)...)
	if code != a.code {
		t.Errorf("exit code is %d, want %d", code, a.code)
	}
	if want := strings.TrimPrefix(a.stdout, "\n"); stdout != want {
		t.Errorf("stdout is\n%s\nwant\n%s", stdout, want)
	}
	if want := strings.TrimPrefix(a.stderr, "\n"); stderr != want {
		t.Errorf("stderr is\n%s\nwant\n%s", stderr, want)
	}
}

func TestText(t *testing.T) {
	for name, c := range map[string]asked{
		"json": {
			args: []string{"--windows", "Sat,Sun = 0", "--timezone", "Europe/Rome", "--from", "2026-06-04T00:00:00Z", "--to", "2026-06-11T00:00:00Z", "-o", "json"},
			stdout: `
{
    "sizeAtFrom": "normal",
    "changes": [
        {
            "at": "2026-06-05T22:00:00Z",
            "size": "0",
            "rule": "Sat,Sun = 0"
        },
        {
            "at": "2026-06-07T22:00:00Z",
            "size": "normal",
            "rule": ""
        }
    ]
}
`},
		"yaml": {
			args: []string{"--windows", "Sat,Sun = 0", "--timezone", "Europe/Rome", "--from", "2026-06-04T00:00:00Z", "--to", "2026-06-07T22:00:00Z", "-o", "yaml"},
			stdout: `
changes:
- at: "2026-06-05T22:00:00Z"
  rule: Sat,Sun = 0
  size: "0"
sizeAtFrom: normal
`},
		"no change is an empty list": {
			args:   []string{"--windows", "always = 50%", "-o", "json"},
			stdout: "{\n    \"sizeAtFrom\": \"50%\",\n    \"changes\": []\n}\n",
		},
		"table": {
			args: []string{"--windows", "12-24=1;Mon-Fri   20:00 - 06:00 = 0 # nights", "--timezone", "Europe/Berlin", "--from", "2026-06-05", "--to", "2026-06-07"},
			stdout: `
LOCAL                       UTC                    SIZE     RULE
Fri 2026-06-05 00:00 CEST   2026-06-04T22:00:00Z   0        Mon-Fri 20:00 - 06:00 = 0
Fri 2026-06-05 06:00 CEST   2026-06-05T04:00:00Z   normal   <none>
Fri 2026-06-05 20:00 CEST   2026-06-05T18:00:00Z   0        Mon-Fri 20:00 - 06:00 = 0
Sat 2026-06-06 06:00 CEST   2026-06-06T04:00:00Z   normal   <none>
`},
		"seven days from now, to the minute, in UTC": {
			args: []string{"--windows", "06-12 17:29-17:30 = 2; 06-12 17:30-17:31 = 3"},
			stdout: `
LOCAL                      UTC                    SIZE     RULE
Fri 2026-06-05 17:30 UTC   2026-06-05T17:30:00Z   normal   <none>
Fri 2026-06-12 17:29 UTC   2026-06-12T17:29:00Z   2        06-12 17:29-17:30 = 2
`},
		"no change in a table": {
			args: []string{"--windows", "12-24 = 0"},
			stdout: `
LOCAL                      UTC                    SIZE     RULE
Fri 2026-06-05 17:30 UTC   2026-06-05T17:30:00Z   normal   <none>
No change before Fri 2026-06-12 17:30 UTC.
`},
		"the week that summer time starts": {
			args: []string{"--windows", "02:30-04:00 = 0", "--timezone", "Europe/Berlin", "--from", "2026-03-28", "--to", "2026-03-30"},
			stdout: `
LOCAL                       UTC                    SIZE     RULE
Sat 2026-03-28 00:00 CET    2026-03-27T23:00:00Z   normal   <none>
Sat 2026-03-28 02:30 CET    2026-03-28T01:30:00Z   0        02:30-04:00 = 0
Sat 2026-03-28 04:00 CET    2026-03-28T03:00:00Z   normal   <none>
Sun 2026-03-29 03:00 CEST   2026-03-29T01:00:00Z   0        02:30-04:00 = 0
Sun 2026-03-29 04:00 CEST   2026-03-29T02:00:00Z   normal   <none>
`},
		"a day starts where its midnight is skipped": {
			args: []string{"--windows", "always = 0", "--timezone", "Africa/Cairo", "--from", "2026-04-24", "--to", "2026-04-25"},
			stdout: `
LOCAL                       UTC                    SIZE   RULE
Fri 2026-04-24 01:00 EEST   2026-04-23T22:00:00Z   0      always = 0
No change before Sat 2026-04-25 00:00 EEST.
`},
		"seconds where there are any": {
			args: []string{"--windows", "17:30-17:30:30 = 0", "--to", "2026-06-06"},
			stdout: `
LOCAL                         UTC                    SIZE     RULE
Fri 2026-06-05 17:30:00 UTC   2026-06-05T17:30:00Z   0        17:30-17:30:30 = 0
Fri 2026-06-05 17:30:30 UTC   2026-06-05T17:30:30Z   normal   <none>
`},
		"in the zone that every rule names": {
			args: []string{"--windows", "Sat Asia/Tokyo = 0; Sun Asia/Tokyo = 1", "--from", "2026-06-06", "--to", "2026-06-07"},
			stdout: `
LOCAL                      UTC                    SIZE   RULE
Sat 2026-06-06 00:00 JST   2026-06-05T15:00:00Z   0      Sat Asia/Tokyo = 0
No change before Sun 2026-06-07 00:00 JST.
`},
		"in the zone that was asked for": {
			args: []string{"--windows", "Sat Asia/Tokyo = 0; Sun Asia/Tokyo = 1", "--from", "2026-06-06", "--to", "2026-06-07", "--timezone", "UTC"},
			stdout: `
LOCAL                      UTC                    SIZE   RULE
Sat 2026-06-06 00:00 UTC   2026-06-06T00:00:00Z   0      Sat Asia/Tokyo = 0
Sat 2026-06-06 15:00 UTC   2026-06-06T15:00:00Z   1      Sun Asia/Tokyo = 1
`},
		"opted out": {
			args: []string{"--windows", " None"}, stdout: "Opted out: the rules are none.\n",
		},
		"warnings beside a table": {
			args: []string{"--windows", "00:00-23:59 = 0", "--to", "2026-06-06"},
			stdout: `
LOCAL                      UTC                    SIZE     RULE
Fri 2026-06-05 17:30 UTC   2026-06-05T17:30:00Z   0        00:00-23:59 = 0
Fri 2026-06-05 23:59 UTC   2026-06-05T23:59:00Z   normal   <none>
`, stderr: `
warning: --windows: line 1, column 1: "00:00-23:59 = 0": this ends at 23:59, which leaves a gap before midnight; write 24:00 for the end of the day
`},
		"no warnings for a script": {
			args: []string{"--windows", "always = 0; always = 1", "-o", "json"}, stdout: "{\n    \"sizeAtFrom\": \"0\",\n    \"changes\": []\n}\n",
		},
		"more than the limit in a table": {
			args: []string{"--windows", "cron(* * * * *) for 30s = 0", "--limit", "2"}, code: 1,
			stdout: `
LOCAL                         UTC                    SIZE     RULE
Fri 2026-06-05 17:30:00 UTC   2026-06-05T17:30:00Z   0        cron(* * * * *) for 30s = 0
Fri 2026-06-05 17:30:30 UTC   2026-06-05T17:30:30Z   normal   <none>
Fri 2026-06-05 17:31:00 UTC   2026-06-05T17:31:00Z   0        cron(* * * * *) for 30s = 0
`, stderr: `
error: --windows: there are more than 2 changes, the last of these on 2026-06-05T17:31:00Z; choose a nearer --to or a higher --limit
`},
		"more than the limit for a script": {
			args: []string{"--windows", "cron(* * * * *) for 30s = 0", "-o", "json"}, code: 1,
			stderr: `
error: --windows: there are more than 1000 changes, the last of these on 2026-06-06T01:50:00Z; choose a nearer --to or a higher --limit
`},
		"just the limit": {
			args:   []string{"--windows", "06-06 = 0", "--limit", "2", "-o", "json"},
			stdout: "{\n    \"sizeAtFrom\": \"normal\",\n    \"changes\": [\n        {\n            \"at\": \"2026-06-06T00:00:00Z\",\n            \"size\": \"0\",\n            \"rule\": \"06-06 = 0\"\n        },\n        {\n            \"at\": \"2026-06-07T00:00:00Z\",\n            \"size\": \"normal\",\n            \"rule\": \"\"\n        }\n    ]\n}\n",
		},
	} {
		t.Run(name, c.check)
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]asked{
		"a bad text": {args: []string{"--windows", "Mon-Fri 8-20 = 0", "-o", "json"}, stderr: `
error: --windows:
line 1, column 9: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00
    Mon-Fri 8-20 = 0
            ^
`},
		"every fault in it": {args: []string{"--windows", "always = 0\nSat PST = 0; Foo = 1"}, stderr: `
error: --windows:
line 2, column 5: "PST": an abbreviation does not name one zone; write America/Los_Angeles
    Sat PST = 0; Foo = 1
        ^
line 2, column 14: "Foo": this is not a day of the week; the days are Mon Tue Wed Thu Fri Sat Sun
    Sat PST = 0; Foo = 1
                 ^
`},
		"nothing asked": {stderr: `
error: there is nothing to plan; give rules with --windows, manifests with --filename, or workloads of the cluster, such as
  kubectl curfew plan --windows 'Mon-Fri 20:00-06:00 = 0' --timezone Europe/Berlin
  kubectl curfew plan -f deployment.yaml
  kubectl curfew plan deploy/shop
See 'kubectl curfew plan --help' for more
`},
		"both asked": {args: []string{"--windows", "", "-f", "-"}, stderr: `
error: --windows, --filename and workloads of the cluster are three ways to say which rules; give one of them
`},
		"bad flags, all of them": {args: []string{"--windows", "always = 0", "-o", "wide", "--limit", "0", "--timezone", "", "--from", "2026-06-31", "--to", "22:00"}, stderr: `
error: --output: "wide" is not a format; it is table, json or yaml
error: --limit: 0 is too few; the least is 1
error: --timezone: "": the zone is empty; write an IANA name such as Europe/Berlin, America/New_York or UTC
error: --from: "2026-06-31" is not a time; write a date such as 2026-06-05 or a time such as 2026-06-05T22:00:00+02:00
error: --to: "22:00" is not a time; write a date such as 2026-06-05 or a time such as 2026-06-05T22:00:00+02:00
`},
		"a year out of reach": {args: []string{"--windows", "always = 0", "--to", "2300-01-01"}, stderr: `
error: --to: "2300-01-01": the year is out of reach; years run from 1970 to 2199
`},
		"the wrong way round": {args: []string{"--windows", "always = 0", "--from", "2026-06-05", "--to", "2026-06-05"}, stderr: `
error: --to: 2026-06-05T00:00:00Z is not after the start, 2026-06-05T00:00:00Z
`},
		"a file without its flag": {args: []string{"shop.yaml"}, stderr: `
error: "shop.yaml": this looks like a file, and files go behind -f
`},
		"no such flag": {args: []string{"--window", "always = 0"}, stderr: `
error: unknown flag: --window
See 'kubectl curfew plan --help' for usage
`},
		"no such file": {args: []string{"-f", "testdata/none.yaml"}, stderr: `
error: testdata/none.yaml: no such file or directory
`},
	} {
		c.code = 1
		t.Run(name, c.check)
	}
}

// one is a manifest of a Deployment with some annotations, in flow style.
func one(name, annotations string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name + ", annotations: {" + annotations + "}}\n"
}

func TestManifests(t *testing.T) {
	const week = "2026-06-04"
	shop := `# the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  namespace: prod
  annotations:
    curfew/timezone: Europe/Rome
    curfew/replicas: "3"
    curfew/windows: |
      Sat,Sun = 0   # weekends
`
	for name, c := range map[string]asked{
		"table": {args: []string{"-f", "-", "--from", week}, stdin: shop, stdout: `
Deployment prod/shop (Europe/Rome, normal is 3)
LOCAL                       UTC                    SIZE     RULE
Thu 2026-06-04 00:00 CEST   2026-06-03T22:00:00Z   normal   <none>
Sat 2026-06-06 00:00 CEST   2026-06-05T22:00:00Z   0        Sat,Sun = 0
Mon 2026-06-08 00:00 CEST   2026-06-07T22:00:00Z   normal   <none>
`},
		"json": {args: []string{"-f", "-", "--from", week, "--to", "2026-06-07", "-o", "json"}, stdin: shop, stdout: `
{
    "items": [
        {
            "kind": "Deployment",
            "namespace": "prod",
            "name": "shop",
            "timezone": "Europe/Rome",
            "sizeAtFrom": "normal",
            "changes": [
                {
                    "at": "2026-06-05T22:00:00Z",
                    "size": "0",
                    "rule": "Sat,Sun = 0"
                }
            ]
        }
    ]
}
`},
		"many documents, lists, other kinds, and the default zone": {
			args: []string{"-f", "-", "--from", week, "--to", "2026-06-05", "--timezone", "Asia/Tokyo"},
			stdin: one("first", "curfew/windows: always = 0") + "---\n" + one("no-rules", "a: b") + "--- # a list\n" +
				`{"apiVersion": "v1", "kind": "List", "items": [
					{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "second", "annotations": {"curfew/windows": "none"}}},
					{"apiVersion": "apps/v1", "kind": "DeploymentList", "items": [{"metadata": {"name": "third", "annotations": {"curfew/windows": "always = 1", "curfew/timezone": "UTC"}}}]}
				]}` +
				"\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: x, annotations: {curfew/windows: nonsense}}\n---\n\n---\nreplicaCount: 3\n",
			stdout: `
Deployment first (Asia/Tokyo)
LOCAL                      UTC                    SIZE   RULE
Thu 2026-06-04 00:00 JST   2026-06-03T15:00:00Z   0      always = 0
No change before Fri 2026-06-05 00:00 JST.

Deployment second (Asia/Tokyo)
Opted out: the rules are none.

Deployment third (UTC)
LOCAL                      UTC                    SIZE   RULE
Thu 2026-06-04 00:00 UTC   2026-06-04T00:00:00Z   1      always = 1
No change before Fri 2026-06-05 00:00 UTC.
`},
		"opted out for a script": {args: []string{"-f", "-", "-o", "yaml"}, stdin: one("web", "curfew/windows: none"), stdout: `
items:
- changes: []
  kind: Deployment
  name: web
  namespace: ""
  optedOut: true
  sizeAtFrom: normal
  timezone: UTC
`},
		"nothing in it": {args: []string{"-f", "-"}, stdin: one("web", "a: b"), code: 1, stderr: `
error: there is nothing to plan; nothing that Curfew looks after has rules among 1 objects read
`},
		"the good ones are planned beside the bad": {
			args: []string{"-f", "-", "--from", week, "--to", "2026-06-05"}, code: 1,
			stdin: `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: bad
  annotations:
    curfew/timezone: CEST
    curfew/replica: "3"
    curfew/windows: |
      Sat = 0
      Mon 8-20 = 0
---
` + one("number", "curfew/replicas: 3, curfew/paused: true") + "---\na: [b\n---\nkind: Deployment\n---\n" + one("good", "curfew/windows: always = 0"),
			stdout: `
Deployment good (UTC)
LOCAL                      UTC                    SIZE   RULE
Thu 2026-06-04 00:00 UTC   2026-06-04T00:00:00Z   0      always = 0
No change before Fri 2026-06-05 00:00 UTC.
`, stderr: `
error: stdin:17: did not find expected ',' or ']'
error: stdin:19: the Deployment has no apiVersion
error: stdin:2: Deployment bad: annotation curfew/replica: there is no such annotation; did you mean curfew/replicas?
error: stdin:2: Deployment bad: annotation curfew/timezone: "CEST": an abbreviation does not name one zone; write Europe/Berlin
error: stdin:2: Deployment bad: annotation curfew/windows:
line 2, column 5: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00
    Mon 8-20 = 0
        ^
error: stdin:13: Deployment number: annotation curfew/paused: true is no text; write it in quotes: "true"
error: stdin:13: Deployment number: annotation curfew/replicas: 3 is no text; write it in quotes: "3"
`},
		"only bad ones, for a script": {args: []string{"-f", "-", "-o", "json"}, stdin: one("web", `"curfew/wind\eows": a`), code: 1, stderr: `
error: stdin:1: Deployment web: annotation "curfew/wind\x1bows": there is no such annotation; did you mean curfew/windows?
`},
		"a harmless mistake is reported, and the rest planned": {
			args: []string{"-f", "-", "--from", week, "--to", "2026-06-05"}, stdin: one("web", "curfew/windows: always = 0, curfew/override: '3'"), code: 1, stdout: `
Deployment web (UTC)
LOCAL                      UTC                    SIZE   RULE
Thu 2026-06-04 00:00 UTC   2026-06-04T00:00:00Z   0      always = 0
No change before Fri 2026-06-05 00:00 UTC.
`, stderr: "error: stdin:1: Deployment web: annotation curfew/override: \"3\" has no end; write a size and an end with its offset, such as \"3 until 2026-06-05T20:00:00+02:00\"\n"},
		"a large number without quotes": {args: []string{"-f", "-"}, stdin: one("web", "curfew/replicas: 1000000"), code: 1,
			stderr: "error: stdin:1: Deployment web: annotation curfew/replicas: 1000000 is no text; write it in quotes: \"1000000\"\n"},
		"names are safe to print": {args: []string{"-f", "-"}, stdin: one(`"\e[31m"`, "curfew/windows: none"), stdout: `
Deployment "\x1b[31m" (UTC)
Opted out: the rules are none.
`},
		"stdin twice": {args: []string{"-f", "-,-"}, stdin: one("web", "curfew/windows: none"), code: 1, stdout: `
Deployment web (UTC)
Opted out: the rules are none.
`, stderr: "error: stdin: it can be read only once\n"},
	} {
		t.Run(name, c.check)
	}
}

func TestDirectories(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.yaml":             one("b", "curfew/windows: none"),
		"a.json":             `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "annotations": {"curfew/windows": "none"}}}`,
		"kustomization.yaml": "resources: [b.yaml]",
		"README.md":          "not: [yaml",
		"below/c.yml":        one("c", "curfew/windows: none"),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a directory":           {[]string{"-f", dir}, "a b"},
		"a link to it":          {[]string{"-f", link}, "a b"},
		"recursively":           {[]string{"-R", "-f", dir}, "a b c"},
		"in the order of flags": {[]string{"-f", filepath.Join(dir, "b.yaml"), "-f", filepath.Join(dir, "a.json")}, "b a"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := kubectlCurfew("", append([]string{"plan", "-o", "json"}, c.args...)...)
			if code != 0 || stderr != "" {
				t.Fatalf("exit code %d, stderr %s", code, stderr)
			}
			var list struct{ Items []struct{ Name string } }
			if err := json.Unmarshal([]byte(stdout), &list); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, i := range list.Items {
				names = append(names, i.Name)
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("planned %s, want %s", got, c.want)
			}
		})
	}
}

// TestWindows asks the command for every case that the rules have, as text and as a manifest, in JSON and in YAML.
func TestWindows(t *testing.T) {
	data, err := os.ReadFile("../../timewindow/testdata/windows.json")
	if err != nil {
		t.Fatal(err)
	}
	type change struct {
		At   time.Time `json:"at"`
		Size string    `json:"size"`
	}
	var cases []struct {
		Name, Windows, Timezone, From, To string
		SizeAtFrom                        string `json:"size_at_from"`
		Changes                           []change
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 27 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			type plan struct {
				SizeAtFrom string   `json:"sizeAtFrom"`
				Changes    []change `json:"changes"`
			}
			want, err := json.Marshal(plan{c.SizeAtFrom, append([]change{}, c.Changes...)})
			if err != nil {
				t.Fatal(err)
			}
			check := func(code int, got plan, stderr string) {
				t.Helper()
				text, err := json.Marshal(got)
				if err != nil {
					t.Fatal(err)
				}
				if code != 0 || stderr != "" || string(text) != string(want) {
					t.Errorf("exit code %d, stderr %q, plan\n%s, want\n%s", code, stderr, text, want)
				}
			}
			span := []string{"--from", c.From, "--to", c.To}

			var ofText plan
			code, stdout, stderr := kubectlCurfew("", append([]string{"plan", "--windows", c.Windows, "--timezone", c.Timezone, "-o", "json"}, span...)...)
			if err := json.Unmarshal([]byte(stdout), &ofText); err != nil {
				t.Fatal(err, stderr)
			}
			check(code, ofText, stderr)

			manifest, err := json.Marshal(map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{
				"name": "web", "annotations": map[string]string{"curfew/windows": c.Windows, "curfew/timezone": c.Timezone}}})
			if err != nil {
				t.Fatal(err)
			}
			var ofFile struct{ Items []plan }
			code, stdout, stderr = kubectlCurfew(string(manifest), append([]string{"plan", "-f", "-", "-o", "yaml"}, span...)...)
			if err := yaml.Unmarshal([]byte(stdout), &ofFile); err != nil || len(ofFile.Items) != 1 {
				t.Fatal(err, stdout, stderr)
			}
			check(code, ofFile.Items[0], stderr)
		})
	}
}
