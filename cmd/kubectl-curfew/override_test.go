package main

import (
	"strings"
	"testing"
)

// TestOverrideRefuses what makes no sense, before any cluster is asked.
func TestOverrideRefuses(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nowhere")
	const untilHint = "; write 22:00 for the next such time, 2026-06-05 for the start of a day, 2026-06-05T22:00, or a time with its offset such as 2026-06-05T22:00:00+02:00"
	for line, want := range map[string]string{
		"wake": `error: there is nothing to wake; name an object or a Namespace, or choose with -l or -A, such as
  kubectl curfew wake deploy/shop --for 2h
  kubectl curfew wake -l team=shop --for 2h
See 'kubectl curfew wake --help' for more`,
		"resume --yes": `error: there is nothing to resume; name an object or a Namespace, or choose with -l or -A, such as
  kubectl curfew resume deploy/shop
  kubectl curfew resume -l team=shop
See 'kubectl curfew resume --help' for more`,
		"sleep deploy --for 2h":                       `error: "deploy": which one? Write deploy/NAME, or choose with -l or -A`,
		"pause Namespaces":                            `error: "namespaces": which one? Write namespaces/NAME, or choose with -l or -A`,
		"wake deploy/shop --for":                      "error: flag needs an argument: --for\nSee 'kubectl curfew wake --help' for usage",
		"wake deploy/shop --for 2":                    `error: --for: "2" has no unit; write 2h for hours or 2m for minutes`,
		"wake deploy/shop --for 0s":                   `error: --for: "0s" is over before it begins; write a duration above 0, such as 2h`,
		"wake deploy/shop --for 400d":                 `error: --for: "400d" is too long: an override lasts a year at most; for what lasts longer write a rule in curfew/windows`,
		"wake deploy/shop --for 22:00":                `error: --for: "22:00" is a time; it goes behind the other flag: --until 22:00`,
		"wake deploy/shop --until 2h":                 `error: --until: "2h" is a duration; it goes behind the other flag: --for 2h`,
		"wake deploy/shop --until 10pm":               `error: --until: "10pm" is not a time` + untilHint,
		"wake deploy/shop --until=":                   `error: --until: "" is not a time` + untilHint,
		"wake deploy/shop --until 8:00":               `error: --until: "8:00": a time has two digits for the hour; write 08:00`,
		"wake deploy/shop --until 2026-02-30":         `error: --until: "2026-02-30": there is no such date`,
		"wake deploy/shop --until 22:00 --for 2h":     "error: --for and --until are two ways to say when it ends; give one of them",
		"hold deploy/shop":                            "error: there is no end; say how long to hold with --for 2h or --until 22:00",
		"wake deploy/shop --replicas 0":               `error: --replicas: "0" is no waking; to scale to 0 there is "kubectl curfew sleep"`,
		"hold deploy/shop --for 2h --replicas -1":     `error: --replicas: "-1": a size is never negative; the smallest is 0`,
		"hold deploy/shop --for 2h --replicas two":    `error: --replicas: "two": this is not a size; write a number of replicas, a share such as 50%, or normal`,
		"resume deploy/shop --for 2h":                 "error: unknown flag: --for\nSee 'kubectl curfew resume --help' for usage",
		"wake deploy/shop --for 2h --dry-run all":     `error: --dry-run: "all" is no kind of dry run; it is none, client or server`,
		"wake deploy/shop --for 2h -o table":          `error: --output: unable to match a printer suitable for the output format "table", allowed formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml`,
		"wake deploy/shop --for 2h --timezone CEST":   `error: --timezone: "CEST": an abbreviation does not name one zone; write Europe/Berlin`,
		"wake deploy/shop --for 2 --replicas x -o no": "error: --for: \"2\" has no unit; write 2h for hours or 2m for minutes\nerror: --replicas: \"x\": this is not a size",
	} {
		t.Run(line, func(t *testing.T) {
			code, stdout, stderr := kubectlCurfew("", strings.Fields(line)...)
			if code != 1 || stdout != "" || !strings.HasPrefix(stderr, want) {
				t.Errorf("exit code %d, stdout %q, stderr\n%s\nwant\n%s", code, stdout, stderr, want)
			}
		})
	}
}

// TestOverrideHelp: each command has its help, with examples that name it.
func TestOverrideHelp(t *testing.T) {
	for _, name := range []string{"wake", "sleep", "hold", "resume", "pause", "unpause"} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := kubectlCurfew("", name, "--help")
			if code != 0 || stderr != "" {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
			for _, want := range []string{"kubectl curfew " + name + " (KIND/NAME ... |", "kubectl curfew " + name + " deploy/shop", "--dry-run", "--yes"} {
				if !strings.Contains(stdout, want) {
					t.Errorf("%q is not in\n%s", want, stdout)
				}
			}
			if sets := strings.Contains(stdout, "--until string"); sets != (name == "wake" || name == "sleep" || name == "hold") {
				t.Errorf("--until is there: %v", sets)
			}
		})
	}
}
