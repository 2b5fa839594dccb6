package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/harness"
)

// mustCurfew is curfewInput for what has to succeed.
func (s *space) mustCurfew(input string, args ...string) answer {
	s.Helper()
	a := s.curfewInput(input, args...)
	if a.code != 0 {
		s.Fatalf("kubectl curfew %s: exit code %d\n%s", strings.Join(args, " "), a.code, a.stderr)
	}
	return a
}

// downscaled is manifests as they were written for kube-downscaler: a Namespace in whose time to be up it is not now,
// and Deployments that say otherwise, one of them that it is down in a window to come.
func (s *space) downscaled(window harness.Window) string {
	up := "18:00-19:00"
	if time.Now().UTC().Hour() >= 12 {
		up = "03:00-04:00"
	}
	text := `# The Namespace's default.
apiVersion: v1
kind: Namespace
metadata:
  name: NAMESPACE
  annotations:
    downscaler/uptime: Mon-Sun ` + up + ` UTC   # when people are there
    downscaler/downtime-replicas: "1"
`
	for _, d := range []struct {
		name, annotations string
		replicas          int
	}{
		{"inherits", "{}", 3},
		{"own", fmt.Sprintf(`{downscaler/uptime: always, downscaler/downtime-replicas: "0", downscaler/downtime: "%s-%s"}`,
			window.Start.Format("2006-01-02T15:04:05+00:00"), window.End.Format("2006-01-02T15:04:05+00:00")), 2},
		{"excluded", `{downscaler/exclude: "true"}`, 2},
		{"down", `{downscaler/uptime: always, downscaler/original-replicas: "4"}`, 1},
	} {
		text += fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: %[1]s
  namespace: NAMESPACE
  annotations: %[2]s
spec:
  replicas: %[3]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec: {containers: [{name: main, image: example.com/none}]}
`, d.name, d.annotations, d.replicas)
	}
	return strings.ReplaceAll(text, "NAMESPACE", s.namespace)
}

// nothingOld fails if an annotation of kube-downscaler's is left.
func (s *space) nothingOld() {
	s.Helper()
	namespace, err := s.cluster.Client.CoreV1().Namespaces().Get(s.ctx, s.namespace, metav1.GetOptions{})
	s.must(err)
	left := []string{}
	for key := range namespace.Annotations {
		left = append(left, "Namespace: "+key)
	}
	list, err := s.deployments().List(s.ctx, metav1.ListOptions{})
	s.must(err)
	for _, d := range list.Items {
		for key := range d.Annotations {
			left = append(left, d.Name+": "+key)
		}
	}
	for _, key := range left {
		if strings.Contains(key, "downscaler/") {
			s.Errorf("%s is left", key)
		}
	}
}

// TestImportManifests: what kubectl curfew import prints, kubectl apply takes; Curfew does by it what kube-downscaler
// was told to do; and plan tells it beforehand.
func TestImportManifests(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.curfew("version") // builds the plugin before the clock counts
	window := harness.WindowIn(15*time.Second, 10*time.Second)
	file := filepath.Join(t.TempDir(), "shop.yaml")
	s.must(os.WriteFile(file, []byte(s.downscaled(window)), 0o600))
	s.kubectl("apply -f " + file)
	imported := s.mustCurfew("", "import", "-f", file)
	manifests, differences := imported.stdout, imported.stderr
	for _, want := range []string{"15 minutes after it was made", "Deployment " + s.namespace + "/down: downscaler/original-replicas: it is down here"} {
		if !strings.Contains(differences, want) {
			t.Errorf("%q is not in\n%s", want, differences)
		}
	}
	if !strings.Contains(manifests, "# The Namespace's default.\n") || strings.Contains(manifests, "name: inherits") {
		t.Errorf("a comment is missing, or what does not change is there:\n%s", manifests)
	}

	planned := s.mustCurfew(manifests, "plan", "-f", "-", "-o", "json", "--from", window.Start.Add(-time.Minute).Format(time.RFC3339), "--to", window.End.Add(time.Minute).Format(time.RFC3339))
	var plans struct {
		Items []struct {
			Name    string
			Changes []struct {
				At   time.Time
				Size string
			}
		}
	}
	s.must(json.Unmarshal([]byte(planned.stdout), &plans))
	found := false
	for _, p := range plans.Items {
		found = found || p.Name == "own"
		if p.Name == "own" && (len(p.Changes) != 2 || !p.Changes[0].At.Equal(window.Start) || p.Changes[0].Size != "0" || !p.Changes[1].At.Equal(window.End) || p.Changes[1].Size != "normal") {
			t.Errorf("planned are %v, want 0 at %v and normal at %v", p.Changes, window.Start, window.End)
		}
	}
	if !found {
		t.Errorf("there is no plan for \"own\":\n%s", planned.stdout)
	}

	s.kubectlInput(manifests, "apply -f -")
	s.nothingOld()
	s.awaitSize("inherits", 1)
	s.awaitSize("down", 4)
	s.sleepUntil(window.Start)
	s.awaitSize("own", 0)
	s.sleepUntil(window.End)
	s.awaitSize("own", 2)
	s.awaitState("inherits", "window")
	if size := harness.Size(s.get("excluded")); size != 2 {
		t.Errorf("excluded, it has %d replicas, want 2", size)
	}
	again := s.mustCurfew(manifests, "import", "-f", "-").stdout
	if again != "" {
		t.Errorf("there is something to import from what was imported:\n%s", again)
	}
}

// TestImportPatches: the patches for what the cluster holds are commands that a shell runs.
func TestImportPatches(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.kubectlInput(s.downscaled(harness.WindowIn(-time.Second, time.Hour)), "apply -f -")
	s.create("jobs", 3, nil)
	s.kubectlInput(cronJob("sleep", "0 20 * * 1-5", 0)+cronJob("wake", "0 7 * * 1-5", 3), "apply -f -")
	answer := s.mustCurfew("", "import", "--live")
	commands := answer.stdout
	if want := "delete CronJob " + s.namespace + "/sleep"; !strings.Contains(answer.stderr, want) {
		t.Errorf("%q is not in\n%s", want, answer.stderr)
	}
	shell := exec.CommandContext(s.ctx, "sh", "-e", "-c", "kubectl() { \"$KUBECTL\" --kubeconfig=\"$CONFIG\" \"$@\"; }\n"+commands)
	shell.Env = append(os.Environ(), "KUBECTL="+s.cluster.Kubectl, "CONFIG="+s.cluster.Kubeconfig)
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, output, commands)
	}
	s.nothingOld()
	s.awaitSize("inherits", 1)
	s.awaitSize("down", 4)
	s.awaitSize("own", 0)
	if size := harness.Size(s.get("excluded")); size != 2 {
		t.Errorf("excluded, it has %d replicas, want 2", size)
	}
	rules := s.get("jobs").Annotations
	if got, want := rules["curfew/windows"], "Mon-Fri 07:00-20:00 = normal\nalways = 0"; got != want {
		t.Errorf("the rules of the CronJobs are %q, want %q", got, want)
	}
}

// cronJob is a CronJob that scales the Deployment "jobs", as people have them.
func cronJob(name, schedule string, replicas int) string {
	return fmt.Sprintf(`apiVersion: batch/v1
kind: CronJob
metadata: {name: %s}
spec:
  schedule: %q
  timeZone: Europe/Berlin
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: kubectl
              image: bitnami/kubectl
              command: [kubectl, scale, deploy/jobs, --replicas=%d]
---
`, name, schedule, replicas)
}

// TestImportRights: without Deployments there is nothing to import to. What a cluster does not have, nobody has to have
// rights to.
func TestImportRights(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.allow("viewer", rbacv1.PolicyRule{Verbs: []string{"get", "list"}, APIGroups: []string{"", "apps", "batch", "autoscaling"}, Resources: []string{"*"}})
	s.curfew("import", "--live", "--as", "viewer").want(t, 0, "", "there is nothing to import: no schedule of another tool was found in 1 objects\n")
	s.allow("planner", rbacv1.PolicyRule{Verbs: []string{"get", "list"}, APIGroups: []string{"", "apps", "autoscaling"}, Resources: []string{"*"}})
	if a := s.curfew("import", "--live", "--as", "planner"); a.code != 0 || strings.Count(a.stderr, "\n") != 2 || !strings.Contains(a.stderr, "what is in cronjobs.batch is left out") {
		t.Errorf("without CronJobs: %+v", a)
	}
	if a := s.curfew("import", "--live", "--as", "nobody"); a.code != 1 || a.stdout != "" || !strings.Contains(a.stderr, "error: the right to list deployments.apps in the namespace "+s.namespace+" is missing") {
		t.Errorf("without any: %+v", a)
	}
}
