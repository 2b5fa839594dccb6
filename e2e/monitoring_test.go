package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"curfew/e2e/harness"
)

// TestMonitoringAsksForWhatIsServed: every metric that an alert or the dashboard asks for is one that a Curfew which
// holds something serves. e2e/monitoring reads the same expressions for what is asked of the metrics; here it is whether
// they are there.
func TestMonitoringAsksForWhatIsServed(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	root := filepath.Dir(s.cluster.Module())
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.awaitState("web", "window")
	served, err := shared.curfew.Metrics(s.ctx)
	s.must(err)
	asked := 0
	for _, name := range []string{"prometheusrule.yaml", "dashboard.json"} {
		content, err := os.ReadFile(filepath.Join(root, "deploy", "monitoring", name))
		s.must(err)
		for _, metric := range regexp.MustCompile(`\b(curfew|leader_election|workqueue|rest_client|process)_[a-z_]*[a-z]\b`).FindAllString(string(content), -1) {
			asked++
			if !regexp.MustCompile(`(?m)^` + metric + `[{ ]`).MatchString(served) {
				t.Errorf("%s asks for %s, which is not served", name, metric)
			}
		}
	}
	if asked == 0 {
		t.Error("nothing is asked for")
	}
}
