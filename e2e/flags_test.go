package e2e_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestDryRun: Curfew decides and says so, and writes nothing at all: no size,
// no annotation, no event, no lease.
func TestDryRun(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	before := s.create("web", 3, annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")})
	s.create("broken", 3, annotations{harness.Windows: "always 0"})
	curfew := s.start("--dry-run")
	s.must(curfew.AwaitReady(s.ctx))
	s.must(curfew.Log.Await(s.ctx, s.namespace+"/web"))
	s.must(curfew.Log.Await(s.ctx, s.namespace+"/broken"))
	s.settle()

	// Asking what one may do is a request to create, but nothing is stored.
	stored := func(r cluster.Request) bool { return r.Resource != "selfsubjectaccessreviews" }
	writes, err := s.cluster.Audit(s.ctx, cluster.Writes, stored, cluster.By(harness.User(s.home)))
	s.must(err)
	if len(writes) > 0 {
		t.Errorf("a dry run writes: %v", writes)
	}
	s.untouched(before)
	if after := s.get("web"); harness.Size(after) != 3 || after.Annotations[harness.Status] != "" {
		t.Errorf("size %d, status %q, want 3 and none", harness.Size(after), after.Annotations[harness.Status])
	}
	if code, err := curfew.Terminate(s.ctx); err != nil || code != 0 {
		t.Errorf("exit code %d, %v, want 0", code, err)
	}
}

// TestNamespace: Curfew lives in one namespace and looks after another, and that
// alone, with a Role and nothing across the cluster.
func TestNamespace(t *testing.T) {
	t.Parallel()
	home, watched, other := newOwnSpace(t), newOwnSpace(t), newOwnSpace(t)
	home.needAudit()
	// The way a user would: the base in one namespace, the rights in the other.
	objects, err := harness.Render(watched.cluster, "deploy/namespaced/watched", watched.namespace)
	watched.must(err)
	for _, object := range objects {
		if object.GetKind() == "RoleBinding" {
			object.Object["subjects"] = []any{map[string]any{
				"kind": "ServiceAccount", "name": harness.AccountName, "namespace": home.namespace,
			}}
		}
	}
	watched.must(harness.Apply(watched.ctx, watched.cluster, objects))
	watched.home, other.home = home.namespace, home.namespace

	night := harness.WindowIn(-time.Hour, 3*time.Hour)
	before := other.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	watched.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	watched.startLeader()
	watched.awaitSize("web", 0)
	watched.awaitEvent("web", "WindowStarted")
	watched.settle()
	watched.curfewDid("web", step{size: 0})
	other.curfewDid("web")
	other.untouched(before)

	refused, err := home.cluster.Audit(home.ctx, cluster.By(harness.User(home.namespace)), func(r cluster.Request) bool {
		return r.Code == 403 || (r.Resource == "deployments" && r.Namespace != watched.namespace)
	})
	home.must(err)
	if len(refused) > 0 {
		t.Errorf("Curfew asks for more than its namespace: %v", refused)
	}
}

// TestSelector: only what the selector picks is looked after.
func TestSelector(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	night := harness.WindowIn(-time.Hour, 3*time.Hour)
	s.create("picked", 3, annotations{harness.Windows: night.Rule("0")})
	s.create("passed-over", 3, annotations{harness.Windows: night.Rule("0")})
	s.startLeader("--selector=app=picked")
	s.awaitSize("picked", 0)
	s.settle()
	s.curfewDid("picked", step{size: 0})
	s.curfewDid("passed-over")
}

// TestZoneFlag: --timezone is the zone of rules that name none.
func TestZoneFlag(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.startLeader("--timezone=Asia/Kathmandu")
	zone := time.FixedZone("Asia/Kathmandu", (5*60+45)*60)
	night := harness.WindowIn(-time.Hour, 2*time.Hour)
	night.Start, night.End = night.Start.In(zone), night.End.In(zone)
	s.create("there", 3, annotations{harness.Windows: night.Rule("0")})
	s.create("here", 3, annotations{harness.Windows: night.Rule("0"), harness.Timezone: "UTC"})
	s.awaitSize("there", 0)
	s.awaitState("here", "normal")
	if status := harness.StatusOf(s.get("there")); status.Until != night.End.Format(time.RFC3339) {
		t.Errorf("until %s, want %s: in the zone of the rule", status.Until, night.End.Format(time.RFC3339))
	}
}

// TestJSONLog: with --logging-format=json every line is an object.
func TestJSONLog(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	curfew := s.startLeader("--logging-format=json")
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.awaitSize("web", 0)
	s.must(curfew.Log.Await(s.ctx, s.namespace))
	code, err := curfew.Terminate(s.ctx)
	if err != nil || code != 0 {
		t.Errorf("exit code %d, %v", code, err)
	}
	for line := range strings.Lines(curfew.Log.String()) {
		// A library says that the race detector is on before any flag is read.
		if !json.Valid([]byte(line)) && !strings.Contains(line, "withrace.go") {
			t.Errorf("not JSON: %s", line)
		}
	}
}

// TestVersionFlag: one line.
func TestVersionFlag(t *testing.T) {
	t.Parallel()
	output, code := runOnce(t, "--version")
	if code != 0 || !strings.Contains(output, "v") || strings.Count(output, "\n") != 1 {
		t.Errorf("exit code %d, want 0 and one line: %s", code, output)
	}
}

// TestHelpFlag: every flag of the contract is explained.
func TestHelpFlag(t *testing.T) {
	t.Parallel()
	output, code := runOnce(t, "--help")
	if code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	for _, name := range []string{
		"kubeconfig", "timezone", "workers", "kube-api-qps", "kube-api-burst", "namespace", "selector", "dry-run",
		"leader-elect", "leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period",
		"leader-elect-resource-name", "leader-elect-resource-namespace",
		"health-probe-bind-address", "metrics-bind-address", "metrics-secure", "metrics-per-workload", "logging-format", "version", "help",
	} {
		if !strings.Contains(output, "--"+name+" ") && !strings.Contains(output, "--"+name+"=") && !strings.Contains(output, "--"+name+"\n") {
			t.Errorf("--help does not mention --%s", name)
		}
	}
	if t.Failed() {
		t.Log(output)
	}
}

// TestBadFlags: a mistake on the command line ends the process at once with an
// error that names the flag, not with a stack or a page of usage.
func TestBadFlags(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flags []string
		says  string
	}{
		"unknown flag":            {[]string{"--nonsense"}, "nonsense"},
		"an argument":             {[]string{"nonsense"}, "nonsense"},
		"zone":                    {[]string{"--timezone=CEST"}, "CEST"},
		"zone of the machine":     {[]string{"--timezone=Local"}, "Local"},
		"no workers":              {[]string{"--workers=0"}, "--workers"},
		"selector":                {[]string{"--selector=a in"}, "--selector"},
		"namespace":               {[]string{"--namespace=No Such"}, "--namespace"},
		"lease shorter than ask":  {[]string{"--leader-elect-lease-duration=1s"}, "lease"},
		"address of the probes":   {[]string{"--health-probe-bind-address=nowhere"}, "nowhere"},
		"missing kubeconfig file": {[]string{"--kubeconfig=/no/such/file"}, "/no/such/file"},
		"logging format":          {[]string{"--logging-format=xml"}, "xml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newNamespace(t)
			s.home = s.namespace
			flags := append([]string{"--kubeconfig=" + s.cluster.Kubeconfig, "--namespace=" + s.namespace, "--leader-elect-resource-namespace=" + s.namespace}, test.flags...)
			output, code := runOnce(t, flags...)
			if code == 0 {
				t.Errorf("exit code 0, want another")
			}
			if !strings.Contains(output, test.says) {
				t.Errorf("it does not mention %q", test.says)
			}
			if strings.Contains(output, "goroutine ") || strings.Count(output, "\n") > 10 {
				t.Errorf("it says more than a person wants to read")
			}
			if t.Failed() {
				t.Logf("curfew %s: %s", strings.Join(test.flags, " "), output)
			}
		})
	}
}

// runOnce runs curfew to its end and gives all its output and its exit code.
func runOnce(t *testing.T, flags ...string) (output string, code int) {
	t.Helper()
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, binary, flags...)
	text, err := command.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("curfew %s is still running after half a minute:\n%s", strings.Join(flags, " "), text)
	}
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), command.ProcessState.ExitCode()
}
