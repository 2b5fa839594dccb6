package main

import (
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// kubectlCurfew runs the command line as main does, on 5 June 2026, a Friday, in the evening.
func kubectlCurfew(stdin string, args ...string) (code int, stdout, stderr string) {
	streams, in, out, errOut := genericiooptions.NewTestIOStreams()
	in.WriteString(stdin)
	now := func() time.Time { return time.Date(2026, 6, 5, 17, 30, 12, 345, time.UTC) }
	code = run(args, streams, now)
	return code, out.String(), errOut.String()
}

func TestHelp(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"nothing asked":   {nil, []string{"Usage:\n  kubectl curfew [command]", "plan        Show what rules will do"}},
		"plan":            {[]string{"plan", "--help"}, []string{"Usage:\n  kubectl curfew plan (--windows RULES | -f FILENAME | deploy/NAME... | -l LABELS | -A)", "Examples:\n  # ", "(default \"table\")", "\nUse \"kubectl curfew options\" for the other flags"}},
		"the other flags": {[]string{"options"}, []string{" --as ", " --server ", " --token ", " --request-timeout "}},
		"version":         {[]string{"version"}, []string{"kubectl-curfew v"}},
		"version's flag":  {[]string{"--version"}, []string{"kubectl curfew version v"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := kubectlCurfew("", c.args...)
			if code != 0 || stderr != "" {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("%q is not in\n%s", want, stdout)
				}
			}
		})
	}
}

func TestNoSuchCommand(t *testing.T) {
	code, stdout, stderr := kubectlCurfew("", "pln")
	if code != 1 || stdout != "" || !strings.Contains(stderr, `error: unknown command "pln" for "kubectl curfew"`) || !strings.Contains(stderr, "plan") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}
