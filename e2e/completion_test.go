package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompletion completes words as a shell does: it asks kubectl, and kubectl asks the script that the plugin prints.
func TestCompletion(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.create("web", 1, nil)
	s.create("worker", 1, nil)
	dir := t.TempDir()
	s.must(os.WriteFile(filepath.Join(dir, "kubectl_complete-curfew"), []byte(s.curfew("completion").stdout), 0o755))
	path, err := plugin()
	s.must(err)
	for words, want := range map[string]string{
		"plan deploy/w":               "deploy/web deploy/worker :4",
		"plan deploy web wor":         "worker :4",
		"wake deploy/we":              "deploy/web :4",
		"timeline deploy/we":          "deploy/web :4",
		"timeline --range ":           "day week month :4",
		"status ns/kube-pub":          "ns/kube-public :4",
		"status --color a":            "auto always :4",
		"wake --dry-run ":             "none client server :4",
		"status -o ":                  "wide json yaml name :4",
		"plan --timezone Europe/Berl": "Europe/Berlin :4",
		"pl":                          "plan	Show what rules will do, and when :4",
	} {
		args := append([]string{"__complete", "curfew"}, strings.Split(words, " ")...)
		if words != "pl" {
			args = append(args[:3:3], append([]string{"-n", s.namespace}, args[3:]...)...)
		}
		command := exec.CommandContext(s.ctx, s.cluster.Kubectl, args...)
		command.Env = append(os.Environ(), "KUBECONFIG="+s.cluster.Kubeconfig,
			"PATH="+strings.Join([]string{dir, filepath.Dir(path), filepath.Dir(s.cluster.Kubectl), os.Getenv("PATH")}, ":"))
		out, err := command.Output()
		s.must(err)
		if got := strings.Join(strings.Split(strings.TrimSpace(string(out)), "\n"), " "); got != want {
			t.Errorf("%q is completed to %q, want %q", words, got, want)
		}
	}
}
