package main

import (
	"strings"
	"testing"
)

// TestTimelineFlags: a mistake in a flag is told before anything is asked of a cluster, by the flag's name.
func TestTimelineFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		stderr string
	}{
		"no such range":        {[]string{"--range", "year"}, `error: --range: "year" is not a range; it is day, week or month`},
		"no date":              {[]string{"--from", "soon"}, `error: --from: "soon" is not a date; write one such as 2026-06-05`},
		"no such day":          {[]string{"--from", "2026-02-30"}, `error: --from: "2026-02-30"`},
		"too far away":         {[]string{"--from", "2300-01-01"}, `error: --from: "2300-01-01"`},
		"no zone":              {[]string{"--timezone", "CEST"}, `error: --timezone: `},
		"no port":              {[]string{"--port", "70000"}, `error: invalid argument "70000" for "--port" flag`},
		"a file is not served": {[]string{"--static", "x.html", "--port", "80"}, `error: --static: a file is not served; leave out --port and --open`},
		"nor is it opened":     {[]string{"--static", "x.html", "--open"}, `error: --static: a file is not served`},
		"several":              {[]string{"--range", "year", "--from", "soon"}, "error: --range: \"year\" is not a range; it is day, week or month\nerror: --from: "},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := kubectlCurfew("", append([]string{"timeline"}, c.args...)...)
			if code != 1 || stdout != "" || !strings.HasPrefix(stderr, c.stderr) {
				t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
			}
		})
	}
}

func TestTimelineHelp(t *testing.T) {
	code, stdout, stderr := kubectlCurfew("", "timeline", "--help")
	for _, want := range []string{"Usage:\n  kubectl curfew timeline [deploy/NAME ...] [flags]", "Examples:\n  # ", "--static", "--all-namespaces", `(default "week")`, "(default any that is free)"} {
		if code != 0 || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, stderr %q; %q is not in\n%s", code, stderr, want, stdout)
		}
	}
}
