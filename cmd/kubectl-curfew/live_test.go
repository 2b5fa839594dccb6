package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestWithoutCluster: what is wrong before a cluster is asked, and that there is none.
func TestWithoutCluster(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", empty)
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"which?":         {[]string{"explain"}, "error: which object? Write kubectl curfew explain deploy/NAME, or another kind; 'kubectl curfew status' lists them\n"},
		"a format":       {[]string{"status", "-o", "jsno"}, "error: --output: \"jsno\" is not a format; it is one of wide, json, yaml, name\n"},
		"another format": {[]string{"explain", "deploy/web", "-o", "wide"}, "error: --output: \"wide\" is not a format; it is json or yaml\n"},
		"a colour":       {[]string{"status", "--color", "red"}, "error: invalid argument \"red\" for \"--color\" flag: \"red\" is none of auto, always and never\nSee 'kubectl curfew status --help' for usage\n"},
		"a zone":         {[]string{"explain", "deploy/web", "--timezone", "Local"}, "error: --timezone: "},
		"nobody there":   {[]string{"status", "--server", "http://127.0.0.1:1", "--watch"}, "error: cannot reach the API server: "},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := kubectlCurfew("", c.args...)
			if code != 1 || stdout != "" || stderr != c.want && (strings.HasSuffix(c.want, "\n") || !strings.HasPrefix(stderr, c.want)) {
				t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
			}
		})
	}
}

// TestErrorsOnce: a configuration that is wrong is said once, by every command and with what to do.
func TestErrorsOnce(t *testing.T) {
	config := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(config, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", config)
	for _, command := range []string{
		"status", "status --watch", "status deploy/web", "explain deploy/web", "plan -A", "plan deploy/web", "import --live",
		"timeline --open=false", "timeline --static -", "wake deploy/web --for 1h", "resume -A",
	} {
		const want = "error: there is no context \"nope\"; kubectl config get-contexts lists those that there are\n"
		if code, stdout, stderr := kubectlCurfew("", append(strings.Fields(command), "--context", "nope")...); code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", command, code, stdout, stderr)
		}
	}
}

// TestErrorsAreSafe: an error may quote anything, and nothing in it reaches the terminal but text.
func TestErrorsAreSafe(t *testing.T) {
	const hostile = "\x1b[31m\u202e\u009b2J"
	for _, args := range [][]string{
		{hostile}, {"status", "--" + hostile}, {"status", "--context", hostile}, {"plan", "-f", hostile}, {"lint", "-f", hostile},
		{"plan", "--windows", hostile}, {"plan", "--windows", "always = 0", "--from", hostile}, {"wake", "deploy/web", "--until", hostile},
		{"explain", "deploy/web", "-o", hostile}, {"import", "-f", hostile}, {"timeline", "--range", hostile}, {"pause", hostile, "--dry-run", hostile},
	} {
		_, stdout, stderr := kubectlCurfew("", args...)
		for _, char := range stdout + stderr {
			if char != '\n' && !strconv.IsPrint(char) {
				t.Errorf("%q: %q is in %q", args, char, stdout+stderr)
				break
			}
		}
		if stderr == "" {
			t.Errorf("%q: no error", args)
		}
	}
}

// TestLiveHelp: the help of each command says what it is for, with examples.
func TestLiveHelp(t *testing.T) {
	for _, command := range []string{"status", "explain"} {
		code, stdout, stderr := kubectlCurfew("", command, "--help")
		for _, want := range []string{"Usage:\n  kubectl curfew " + command + " ", "Examples:\n  # ", "  kubectl curfew " + command, "The exit code is 0", "--timezone"} {
			if code != 0 || stderr != "" || !strings.Contains(stdout, want) {
				t.Errorf("%s: exit code %d, stderr %q, and %q is not in\n%s", command, code, stderr, want, stdout)
			}
		}
	}
}
