package e2e_test

import (
	"fmt"
	"testing"
	"time"

	"curfew/e2e/harness"
)

func TestPluginOverrideSmoke(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	night := harness.WindowIn(-time.Hour, 3*time.Hour)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0"), harness.Timezone: "Europe/Berlin"})
	s.create("bare", 3, nil)
	s.create("mine", 3, annotations{harness.Windows: "always = 1"})
	s.create("out", 3, annotations{harness.Windows: "none"})
	s.create("bad", 3, annotations{harness.Windows: "x"})
	s.awaitSize("web", 0)
	s.awaitSize("mine", 1)
	show := func(args ...string) {
		a := s.curfew(args...)
		fmt.Printf("$ %v → %d\n%s", args, a.code, a.stdout)
		if a.stderr != "" {
			fmt.Printf("  stderr: %s", a.stderr)
		}
	}
	show("wake", "deploy/web", "deploy/mine", "deploy/bad", "deploy/out", "--dry-run=client")
	show("wake", "deploy/web")
	s.awaitSize("web", 3)
	show("wake", "deploy/web")
	show("wake", "deploy/web", "--for", "2h")
	show("sleep", "deploy/web")
	show("sleep", "deploy/bare", "--until", "24:00")
	show("hold", "deploy", "web", "bare", "--for", "1d", "--replicas", "50%")
	show("wake", "ns/"+s.namespace)
	show("wake", "ns/"+s.namespace, "--for", "1h")
	show("wake", "ns/"+s.namespace, "--for", "1h", "--yes")
	show("wake", "ns/"+s.namespace, "-A", "--for", "1h", "--yes", "--dry-run=client")
	show("hold", "ns/"+s.namespace, "--for", "1h", "--yes")
	show("pause", "ns/"+s.namespace, "--yes")
	show("wake", "deploy/web", "deploy/out", "--for", "3h")
	show("unpause", "deploy/web")
	show("resume", "deploy/web")
	show("resume", "deploy/web")
	show("resume", "ns/"+s.namespace, "--yes")
	show("unpause", "ns/"+s.namespace, "--yes")
	show("sleep", "-l", "app in (web,bare)", "--for", "1h")
	show("sleep", "-l", "app in (web,bare,out)", "--for", "1h", "--yes", "-o", "name")
	show("sleep", "-l", "app=nope", "--for", "1h", "--yes")
	show("sleep", "-A", "--for", "1h")
	show("wake", "web", "--for", "1h")
	show("wake", "web", "mine", "--for", "1h")
	show("wake", "deploy/nope", "deploy/mine", "--for", "1h")
	show("wake", "pod/nope", "--for", "1h")
	show("wake", "deploy/nope", "-A", "--for", "1h")
	show("wake", "deploy/nope", "-l", "a=b", "--for", "1h")
	show("wake", "deploy/mine", "--for", "3h", "-o", "yaml", "--dry-run=server")
	show("pause", "deploy/mine", "--as", "nobody")
}
