package e2e_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/harness"
)

// shell runs a line in a folder, where kubectl and the plugin are on the PATH.
func shell(s *space, dir, words string) answer {
	s.Helper()
	binary, err := plugin()
	s.must(err)
	command := exec.CommandContext(s.ctx, "sh", "-c", words)
	command.Dir = dir
	path := filepath.Dir(s.cluster.Kubectl) + ":" + filepath.Dir(binary) + ":" + os.Getenv("PATH")
	command.Env = append(os.Environ(), "PATH="+path, "KUBECONFIG="+s.cluster.Kubeconfig)
	var out, errOut bytes.Buffer
	command.Stdout, command.Stderr = &out, &errOut
	err = command.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return answer{exit.ExitCode(), out.String(), errOut.String()}
	}
	s.must(err)
	return answer{0, out.String(), errOut.String()}
}

// TestLintLive: what the API server gives out is clean, also while Curfew is at
// work on it, and with the ReplicaSets that have the annotations from their
// Deployments.
func TestLintLive(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.annotateNamespace(s.namespace, map[string]*string{harness.Timezone: value("Europe/Berlin")})
	s.create("shop", 3, annotations{harness.Windows: "Mon-Fri 07:00-20:00 = 1\nalways = 1\n"})
	s.create("web", 2, annotations{harness.Windows: "always = 0", harness.Replicas: "2"})
	s.awaitState("shop", "window")
	s.awaitSize("web", 0)
	for _, name := range []string{"shop", "web"} {
		s.await(name, "a ReplicaSet", func(d *appsv1.Deployment) bool { return d.Status.ObservedGeneration > 0 })
	}

	for _, format := range []string{"yaml", "json"} {
		got := shell(s, t.TempDir(), "kubectl get deployments,replicasets -n "+s.namespace+" -o "+format+
			" > live && kubectl get namespace "+s.namespace+" -o "+format+" > space && kubectl curfew lint --strict -f live -f space")
		if want := (answer{stderr: "0 faults, 0 warnings in 5 objects\n"}); got != want {
			t.Errorf("as %s: %+v, want %+v", format, got, want)
		}
	}
	got := shell(s, t.TempDir(), "kubectl get deployments -n "+s.namespace+" -o yaml | kubectl curfew lint -f -")
	if want := (answer{stderr: "0 faults, 0 warnings in 2 objects\n"}); got != want {
		t.Errorf("through a pipe: %+v, want %+v", got, want)
	}
}

// TestLintFile: a manifest is broken in two ways, one that the API server
// refuses and one that only Curfew would find. Mended as the hints say, it is
// accepted by both.
func TestLintFile(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	const broken = `# the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  annotations:
    curfew/replicas: 3
    curfew/windows: |
      Sat,Sun = 0     # weekends
      Mon-Fri 8-20 = normal
      always = 0
spec:
  selector:
    matchLabels: {app: shop}
  template:
    metadata:
      labels: {app: shop}
    spec:
      containers: [{name: shop, image: "nginx:1.29"}]
`
	dir := t.TempDir()
	write := func(text string) { s.must(os.WriteFile(filepath.Join(dir, "shop.yaml"), []byte(text), 0o600)) }
	lint := func(words string, wantCode int, wantOut, wantErr string) {
		t.Helper()
		got := shell(s, dir, "kubectl curfew lint "+words)
		if got.code != wantCode {
			t.Errorf("lint %s: exit code %d, want %d", words, got.code, wantCode)
		}
		if diff := cmp.Diff(wantOut+wantErr, got.stdout+got.stderr); diff != "" {
			t.Errorf("lint %s (- want, + got)\n%s", words, diff)
		}
	}

	write(broken)
	if refusal := s.kubectlRefused(broken, "apply -f -"); !strings.Contains(refusal, "annotations") {
		t.Errorf("the API server says %s", refusal)
	}
	lint("-f shop.yaml", 1, `shop.yaml:7:22: error: Deployment shop: annotation curfew/replicas: 3 is no text; write it in quotes: "3" [not-text]
        curfew/replicas: 3
                         ^
shop.yaml:10:15: error: Deployment shop: annotation curfew/windows: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00 [invalid-windows]
          Mon-Fri 8-20 = normal
                  ^
`, "2 faults, 0 warnings in 1 object\n")
	lint("-f none.yaml", 2, "none.yaml: error: no such file or directory; see that it is there and that you may read it [unreadable]\n", "1 fault, 0 warnings in 0 objects\n")

	mended := strings.NewReplacer("curfew/replicas: 3", `curfew/replicas: "3"`, "8-20", "08:00-20:00").Replace(broken)
	write(mended)
	lint("-f shop.yaml --strict", 0, "", "0 faults, 0 warnings in 1 object\n")
	s.kubectlInput(mended, "apply -f -")
	if state := harness.StatusOf(s.await("shop", "a status", func(d *appsv1.Deployment) bool { return harness.StatusOf(d) != nil })).State; state == "invalid" {
		t.Error("Curfew does not accept what lint does")
	}
}
