package e2e_test

import (
	"strings"
	"testing"
	"time"

	"curfew/e2e/harness"
)

// TestMistake: an annotation that makes no sense leaves its Deployment as it
// stands and says what is wrong, in the status and in a warning.
func TestMistake(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		annotations annotations
		says        []string // in any case
	}{
		"no zone and no minutes":  {annotations{harness.Windows: "Mon-Fri 8-20 CET = 0"}, []string{"8-20"}},
		"equal ends":              {annotations{harness.Windows: "Sat-Sun 03:00-03:00 UTC = 0"}, []string{"03:00-03:00"}},
		"beyond midnight":         {annotations{harness.Windows: "24:30-25:00 = 0"}, []string{"24:30"}},
		"the second of two rules": {annotations{harness.Windows: "22:00-23:00 = 0\n22:00-23:00 = many"}, []string{"line 2", "many"}},
		"zone: an abbreviation":   {annotations{harness.Windows: "always = 0", harness.Timezone: "CEST"}, []string{"CEST"}},
		"zone: of the machine":    {annotations{harness.Windows: "always = 0", harness.Timezone: "Local"}, []string{"Local"}},
		"zone: none":              {annotations{harness.Windows: "always = 0", harness.Timezone: ""}, []string{"zone"}},
		"zone: PST":               {annotations{harness.Windows: "always = 0", harness.Timezone: "PST"}, []string{"PST"}},
		"zone: a TZ variable":     {annotations{harness.Windows: "always = 0", harness.Timezone: "TZ=Europe/Rome"}, []string{"TZ="}},
		"cron: 31 February":       {annotations{harness.Windows: "cron(0 0 31 2 *) for 1h = 0"}, []string{"0 0 31 2 *"}},
		"cron: six fields":        {annotations{harness.Windows: "cron(0 0 0 8 * *) for 1h = 0"}, []string{"second"}},
		"an unknown key":          {annotations{"curfew/window": "always = 0"}, []string{"curfew/window", "curfew/windows"}},
		"a normal that is none":   {annotations{harness.Windows: "always = 0", harness.Replicas: "three"}, []string{"three", harness.Replicas}},
		"a normal below zero":     {annotations{harness.Windows: "always = 0", harness.Replicas: "-1"}, []string{"-1", harness.Replicas}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			before := s.create("web", 3, test.annotations)

			event := s.awaitEvent("web", "InvalidAnnotation")
			status := harness.StatusOf(s.awaitState("web", "invalid"))
			for place, text := range map[string]string{"the event": event.Note, "the status": status.Message} {
				for _, want := range test.says {
					if !strings.Contains(strings.ToLower(text), strings.ToLower(want)) {
						t.Errorf("%s does not mention %q: %s", place, want, text)
					}
				}
			}
			if event.Type != "Warning" {
				t.Errorf("the event is of type %s, want Warning", event.Type)
			}
			s.untouched(before)
			if got := harness.Size(s.get("web")); got != 3 {
				t.Errorf("size %d, want it left at 3", got)
			}
			if s.cluster.HasAudit() {
				s.curfewDid("web", adopted)
			}
		})
	}
}

// TestMistakeHarmsNobodyElse: two namespaces, one with a broken rule. The other
// one's Deployment is on time, and so is the broken one's neighbour.
func TestMistakeHarmsNobodyElse(t *testing.T) {
	t.Parallel()
	good, bad := newSpace(t), newSpace(t)
	good.needAudit()
	night := harness.WindowIn(8*time.Second, 4*time.Second)
	bad.create("broken", 3, annotations{harness.Windows: "Mon-Fri 8-20 CET"})
	for _, s := range []*space{good, bad} {
		s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
		s.awaitState("web", "normal")
	}
	bad.awaitState("broken", "invalid")
	metrics, err := shared.curfew.Metrics(bad.ctx)
	bad.must(err)
	if !strings.Contains(metrics, `curfew_workloads{state="invalid"}`) || strings.Contains(metrics, `curfew_workloads{state="invalid"} 0`) {
		t.Errorf("no metric tells of an invalid workload:\n%s", grep(metrics, "curfew_"))
	}

	for _, s := range []*space{good, bad} {
		s.awaitWrites("web", 3)
	}
	good.settle()
	for _, s := range []*space{good, bad} {
		s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
	}
	bad.curfewDid("broken", adopted)
}

// TestMistakeMended: the rule is mended, and counts at once.
func TestMistakeMended(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 3, annotations{harness.Windows: "always 0"})
	s.awaitState("web", "invalid")
	s.kubectlInput(`{"metadata": {"annotations": {"curfew/windows": "always = 0"}}}`, "patch deployment/web --type=merge --patch-file=/dev/stdin")
	s.awaitSize("web", 0)
	if status := harness.StatusOf(s.awaitState("web", "window")); status.Message != "" {
		t.Errorf("the status still says %q", status.Message)
	}
	s.curfewDid("web", adopted, step{size: 0})
}

// grep is the lines that contain a word.
func grep(text, word string) string {
	var found strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			found.WriteString(line)
		}
	}
	return found.String()
}
