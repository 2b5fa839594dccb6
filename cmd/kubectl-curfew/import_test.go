package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// importNow runs "import" as main does.
func importNow(stdin string, args ...string) (code int, stdout, stderr string) {
	return kubectlCurfew(stdin, append([]string{"import"}, args...)...)
}

const downscaled = `# The shop.
apiVersion: apps/v1
kind: Deployment
metadata:
    name: web   # its name
    annotations:
        # Office hours.
        downscaler/uptime: 'Mon-Fri 07:30-20:30 Europe/Berlin'
        team: shop
spec: {replicas: 3}
---
apiVersion: v1
kind: Service
metadata: {name: web}
`

const curfewed = `# The shop.
apiVersion: apps/v1
kind: Deployment
metadata:
    name: web   # its name
    annotations:
        # Office hours.
        curfew/timezone: Europe/Berlin
        curfew/windows: |
          Mon-Fri 07:30-20:30 = normal
          always = 0
        team: shop
spec: {replicas: 3}
`

func TestImport(t *testing.T) {
	code, stdout, stderr := importNow(downscaled, "-f", "-")
	if code != 0 || stdout != curfewed {
		t.Errorf("exit code %d, stdout\n%s\nwant\n%s", code, stdout, curfewed)
	}
	for _, want := range []string{"warning: Deployment web: the old tool leaves a workload alone for 15 minutes", "its Namespace is not among the objects"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not in\n%s", want, stderr)
		}
	}
	// What comes out is for plan, and has nothing left to import.
	code, plan, stderr := kubectlCurfew(stdout, "plan", "-f", "-", "--to", "2026-06-09")
	if code != 0 || !strings.Contains(plan, "Mon 2026-06-08 07:30 CEST   2026-06-08T05:30:00Z   normal   Mon-Fri 07:30-20:30 = normal") {
		t.Errorf("exit code %d, %s\n%s", code, plan, stderr)
	}
	code, again, stderr := importNow(stdout, "-f", "-")
	if code != 0 || again != "" || stderr != "there is nothing to import: no schedule of another tool was found in 1 objects\n" {
		t.Errorf("again: exit code %d, %s\n%s", code, again, stderr)
	}
}

func TestImportFlags(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "web.yaml")
	if err := os.WriteFile(file, []byte(downscaled), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nothing asked":             {nil, "error: there is nothing to import; give manifests with --filename, such as\n  kubectl curfew import -f shop.yaml\nSee 'kubectl curfew import --help' for more\n"},
		"an argument":               {[]string{"web.yaml"}, "error: \"web.yaml\": import takes flags only; files go behind -f\n"},
		"no such format":            {[]string{"-f", file, "-o", "yaml"}, "error: --output: \"yaml\" is not a format; it is manifest, patch or json\n"},
		"no such source":            {[]string{"-f", file, "--source", "x"}, "error: --source: \"x\" is not a tool that is known; it is one of auto, kube-downscaler"},
		"no such tool":              {[]string{"-f", file, "--tool", "rust"}, "error: --tool: \"rust\" is not a tool; it is python, go or auto\n"},
		"a span that is none":       {[]string{"-f", file, "--default-uptime", "nights"}, "error: --default-uptime: GoKubeDownscaler cannot read \"nights\" as a span;"},
		"a zone that is none":       {[]string{"-f", file, "--default-timezone", "PST"}, "error: --default-timezone: \"PST\": an abbreviation does not name one zone; write America/Los_Angeles\n"},
		"days that are none":        {[]string{"-f", file, "--default-weekframe", "Mo-Fr"}, "error: --default-weekframe: \"Mo-Fr\" are no days; write such as Mon-Fri\n"},
		"fewer than none":           {[]string{"-f", file, "--downtime-replicas", "-1"}, "error: --downtime-replicas: -1 is out of range; it is 0 to 1000000\n"},
		"stdin in place":            {[]string{"-f", "-", "-w"}, "error: --in-place: the standard input cannot be changed; give files with --filename\n"},
		"patches in place":          {[]string{"-f", file, "-w", "-o", "patch"}, "error: --all and --in-place are for -o manifest\n"},
		"all in place":              {[]string{"-f", file, "-w", "--all"}, "error: --all prints and --in-place does not; give one of them\n"},
		"a file that is not there":  {[]string{"-f", filepath.Join(dir, "x")}, "error: " + filepath.Join(dir, "x") + ": no such file or directory\n"},
		"two faults, each is named": {[]string{"-f", file, "--tool", "x", "-o", "y"}, "error: --output: \"y\" is not a format; it is manifest, patch or json\nerror: --tool: \"x\" is not a tool"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := importNow("", c.args...)
			if code != 1 || stdout != "" || !strings.HasPrefix(stderr, c.want) {
				t.Errorf("exit code %d, stdout %q, stderr\n%s\nwant\n%s", code, stdout, stderr, c.want)
			}
		})
	}
}

// TestImportNotAll: what can be said is printed all the same, and the exit code tells.
func TestImportNotAll(t *testing.T) {
	stdin := downscaled + "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: db, annotations: {downscaler/uptime: never}}\n---\na: [\n"
	code, stdout, stderr := importNow(stdin, "-f", "-")
	if code != 1 || stdout != curfewed {
		t.Errorf("exit code %d, stdout\n%s", code, stdout)
	}
	for _, want := range []string{"error: stdin:16: DaemonSet db: Curfew does not scale a DaemonSet of apps/v1", "error: stdin:20: did not find expected node content"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not in\n%s", want, stderr)
		}
	}
}

// TestImportLeavesNoTrap: a Deployment that is left as it is would get its Namespace's rules.
func TestImportLeavesNoTrap(t *testing.T) {
	stdin := `{"apiVersion": "v1", "kind": "List", "items": [
	{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "annotations": {"downscaler/uptime": "never"}}},
	{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop", "annotations": {"downscaler/downtime": "Mon-Fri 20:00-21:00 PST"}}}
]}`
	code, stdout, stderr := importNow(strings.ReplaceAll(stdin, "\t", "  "), "-f", "-")
	if code != 1 || !strings.Contains(stdout, `{"name": "shop", "annotations": {"curfew/windows": "always = 0"}}`) || !strings.Contains(stdout, "downscaler/downtime") {
		t.Errorf("exit code %d, stdout\n%s", code, stdout)
	}
	if want := `error: stdin:1: Deployment shop/web: it would get the new rules of its Namespace, as it has none of its own: give it curfew/windows first, were it "none"`; !strings.Contains(stderr, want) {
		t.Errorf("stderr is\n%s\nwant\n%s", stderr, want)
	}
}

// TestImportRestsOnNamespace: a Deployment whose rules are its Namespace's keeps the old ones if that does; one that
// cannot be changed does not keep the others from it.
func TestImportRestsOnNamespace(t *testing.T) {
	stdin := `apiVersion: v1
kind: Namespace
metadata:
  name: shop
  annotations: &a
    downscaler/uptime: never
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  annotations:
    downscaler/exclude-until: 2026-12-24T00:00:00Z
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
  namespace: shop
  annotations:
    downscaler/uptime: always
`
	code, stdout, stderr := importNow(stdin, "-f", "-", "--tool=python")
	if want := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: api\n  namespace: shop\n  annotations:\n    curfew/windows: always = normal\n"; code != 1 || stdout != want {
		t.Errorf("exit code %d, stdout\n%s\nwant\n%s", code, stdout, want)
	}
	for _, want := range []string{
		"error: stdin:1: Namespace shop: its annotations are an anchor, &a, which others may share; change it by hand\n",
		"error: stdin:8: Deployment shop/web: its rules would be those of its Namespace, which is left as it is\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not in\n%s", want, stderr)
		}
	}
}

// TestImportOtherOutputs: patches take the old annotations away, and scripts get all that there is to know.
func TestImportOtherOutputs(t *testing.T) {
	const patch = `{"metadata":{"annotations":{"curfew/timezone":"Europe/Berlin","curfew/windows":"Mon-Fri 07:30-20:30 = normal\nalways = 0\n","downscaler/uptime":null}}}`
	code, stdout, _ := importNow(downscaled, "-f", "-", "-o", "patch")
	if want := "kubectl patch deployment.apps/web --type=merge --patch='" + patch + "'\n"; code != 0 || stdout != want {
		t.Errorf("exit code %d, stdout\n%s\nwant\n%s", code, stdout, want)
	}
	code, stdout, _ = importNow(downscaled+"---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: db, annotations: {downscaler/uptime: never}}\n", "-f", "-", "-o", "json")
	var got struct {
		Changes []struct {
			Kind, Name  string
			Set         map[string]string
			Remove      []string
			Patch       json.RawMessage
			Differences []string
			Unsaid      []string
		}
		Delete []any
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if code != 1 || len(got.Changes) != 2 || len(got.Delete) != 0 {
		t.Fatalf("exit code %d, stdout\n%s", code, stdout)
	}
	web, db := got.Changes[0], got.Changes[1]
	var compact bytes.Buffer
	if err := json.Compact(&compact, web.Patch); err != nil || compact.String() != patch {
		t.Errorf("the patch is %s (%v), want %s", &compact, err, patch)
	}
	if web.Set["curfew/timezone"] != "Europe/Berlin" || len(web.Remove) != 1 || len(web.Differences) != 2 || len(web.Unsaid) != 0 {
		t.Errorf("web is %+v", web)
	}
	if db.Kind != "DaemonSet" || db.Patch != nil || db.Set != nil || len(db.Unsaid) != 1 {
		t.Errorf("db is %+v", db)
	}
}
