package imports

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
)

// night is a tool whose objects, of kind Night, say the rules of the Deployment that has their name.
func night(objects []manifest.Object) []translate.Translation {
	var all []translate.Translation
	for _, o := range objects {
		if o.GetKind() != "Night" {
			continue
		}
		t := translate.Translation{Target: translate.Target{GroupKind: translate.Deployment, Namespace: o.GetNamespace(), Name: o.GetName()}, From: []manifest.Object{o}}
		rules, _ := o.Object["rules"].(string)
		if rules == "" {
			t.Unsaid = []string{"no \x1b[2Jrules"}
		} else {
			t.Set = map[string]string{"curfew/windows": rules}
			t.Differences = []string{"not \x1b[2Jquite"}
		}
		all = append(all, t)
	}
	return all
}

// fakeCluster is what Live reads.
type fakeCluster struct {
	text      string
	namespace string
}

func (c *fakeCluster) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&c.namespace, "namespace", "n", "", "The Namespace.")
}

func (c *fakeCluster) Read(context.Context) ([]manifest.Object, []error) {
	objects, errs := manifest.Parse("", []byte(c.text))
	if c.namespace != "shop" {
		errs = append(errs, errors.New("deployments is forbidden"))
	}
	return objects, errs
}

func run(live Live, stdin string, args ...string) (stdout, stderr, err string) {
	streams, in, out, errOut := genericiooptions.NewTestIOStreams()
	in.WriteString(stdin)
	now := func() time.Time { return time.Date(2026, 6, 5, 17, 30, 12, 0, time.UTC) }
	cmd := NewCommand(streams, now, live, Source{Name: "night", Translate: night})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	if e := cmd.Execute(); e != nil {
		err = e.Error()
	}
	return out.String(), errOut.String(), err
}

const (
	web    = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\n"
	webNew = web + "  annotations:\n    curfew/windows: Mon = 0\n"
	nights = "apiVersion: v1\nkind: Night\nmetadata: {name: web, namespace: shop}\nrules: Mon = 0\n"
	old    = web + "  annotations:\n    downscaler/uptime: never\n"
)

func TestSources(t *testing.T) {
	const notQuite = "warning: Deployment shop/web: not \\x1b[2Jquite\n"
	for name, c := range map[string]struct {
		live   string
		stdin  string
		args   string
		stdout string
		stderr string
		err    string
	}{
		"another object's schedule": {
			stdin: nights + "---\n" + web, args: "-f -", stdout: webNew,
			stderr: notQuite + "delete Night shop/web (stdin:1) when the change is in the cluster: it has nothing more to say\n",
		},
		"all documents": {
			stdin: nights + "--- # dashes\n" + web, args: "-f - --all", stdout: nights + "--- # dashes\n" + webNew,
			stderr: notQuite + "delete Night shop/web (stdin:1) when the change is in the cluster: it has nothing more to say\n",
		},
		"what cannot be said": {
			stdin: strings.Replace(nights, "Mon = 0", `""`, 1) + "---\n" + web, args: "-f -",
			stderr: "keep Night shop/web (stdin:1): not all that it says could be said\n",
			err:    "stdin:6: Deployment shop/web: no \\x1b[2Jrules",
		},
		"another source is asked for": {
			stdin: nights + "---\n" + web, args: "-f - --source=kube-downscaler",
			stderr: "there is nothing to import: no schedule of another tool was found in 2 objects\n",
		},
		"two say the same": {
			stdin: nights + "---\n" + web + "---\n" + nights, args: "-f -", stdout: webNew,
			stderr: notQuite + "delete Night shop/web (stdin:1) when the change is in the cluster: it has nothing more to say\ndelete Night shop/web (stdin:12) when the change is in the cluster: it has nothing more to say\n",
		},
		"two say different things": {
			stdin: nights + "---\n" + old, args: "-f -",
			stderr: "keep Night shop/web (stdin:1): not all that it says could be said\n",
			err:    `stdin:6: Deployment shop/web: two schedules speak of it, and would have curfew/windows as "always = 0" and as "Mon = 0"; choose one of them, perhaps with --source`,
		},
		"one of the two is chosen": {
			stdin: nights + "---\n" + old, args: "-f - --source=night", stdout: strings.Replace(webNew, "    curfew", "    downscaler/uptime: never\n    curfew", 1),
			stderr: notQuite + "delete Night shop/web (stdin:1) when the change is in the cluster: it has nothing more to say\n",
		},
		"there are rules already": {
			stdin: nights + "---\n" + strings.Replace(webNew, "= 0", "= 1", 1), args: "-f -",
			stderr: "keep Night shop/web (stdin:1): not all that it says could be said\n",
			err:    `stdin:6: Deployment shop/web: it has curfew/windows already, and that says something else: "Mon = 1", not "Mon = 0"; remove the one or the other`,
		},
		"the target is not there": {
			stdin: nights, args: "-f -",
			stderr: "keep Night shop/web (stdin:1): not all that it says could be said\n",
			err:    "stdin:1: Deployment shop/web: it is not among the manifests; give its file, too, or print patches with -o patch",
		},
		"a patch needs no target": {
			stdin: nights, args: "-f - -o patch", stdout: `kubectl patch deployment.apps/web --namespace=shop --type=merge --patch='{"metadata":{"annotations":{"curfew/windows":"Mon = 0"}}}'` + "\n",
			stderr: notQuite + "delete Night shop/web (stdin:1) when the change is in the cluster: it has nothing more to say\n",
		},
		"the target is there twice": {
			stdin: nights + "---\n" + web + "---\n" + web, args: "-f -",
			stderr: "keep Night shop/web (stdin:1): not all that it says could be said\n",
			err:    "stdin:6: Deployment shop/web: 2 manifests have this name, the second at stdin:12; give the files of one of them",
		},
		"no rules at all": {
			stdin: strings.Replace(nights, "Mon", "Mondays", 1) + "---\n" + web, args: "-f -",
			stderr: "keep Night shop/web (stdin:1): not all that it says could be said\n",
			err:    `stdin:6: Deployment shop/web: its translation is none: annotation curfew/windows: line 1, column 1: "Mondays": this is not a day of the week; the days are Mon Tue Wed Thu Fri Sat Sun; please report that`,
		},
		"a cluster": {
			live: nights + "---\n" + web, args: "--live -n shop",
			stdout: `kubectl patch deployment.apps/web --namespace=shop --type=merge --patch='{"metadata":{"annotations":{"curfew/windows":"Mon = 0"}}}'` + "\n",
			stderr: notQuite + "delete Night shop/web when the change is in the cluster: it has nothing more to say\n",
		},
		"a cluster that does not let everything be read": {
			live: web, args: "--live -n x", err: "deployments is forbidden",
		},
		"a cluster has no manifests": {
			live: web, args: "--live -o manifest", err: "--output: manifest is for files; of a cluster there are patches, with -o patch or -o json",
		},
		"a cluster and files": {live: web, args: "--live -f -", err: "--live and --filename are two places to read from; give one of them"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, err := run(&fakeCluster{text: c.live}, c.stdin, strings.Fields(c.args)...)
			if stdout != c.stdout {
				t.Errorf("stdout is\n%s\nwant\n%s", stdout, c.stdout)
			}
			if stderr != c.stderr {
				t.Errorf("stderr is\n%s\nwant\n%s", stderr, c.stderr)
			}
			if err != c.err {
				t.Errorf("error is %s, want %s", err, c.err)
			}
		})
	}
}

// TestInPlace changes the files that change, and no others, and none at all if one cannot be read.
func TestInPlace(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		return path
	}
	is := func(path, want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s is %q (%v), want %q", path, got, err, want)
		}
	}
	a, b, bad := write("a.yaml", "# a\n"+web), write("b.yaml", nights), write("c.yaml", "a: [")
	if stdout, _, err := run(nil, "", "-f", dir, "-w"); stdout != "" || !strings.Contains(err, "no file has been changed, as not all of them could be read") {
		t.Errorf("stdout is %q, the error %s", stdout, err)
	}
	is(a, "# a\n"+web)
	if err := os.Remove(bad); err != nil {
		t.Fatal(err)
	}
	if stdout, _, err := run(nil, "", "-f", dir, "-w"); stdout != a+"\n" || err != "" {
		t.Errorf("stdout is %q, the error %s", stdout, err)
	}
	is(a, "# a\n"+webNew)
	is(b, nights)
	if info, err := os.Stat(a); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v (%v)", info.Mode(), err)
	}
	if stdout, _, err := run(nil, "", "-f", dir, "-w"); stdout != "" || err != "" {
		t.Errorf("again: stdout is %q, the error %s", stdout, err)
	}
}

func TestShell(t *testing.T) {
	for word, want := range map[string]string{
		"web-1.a": "web-1.a", "": "''", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "a\nb": "'a\nb'",
	} {
		if got := shell(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}
