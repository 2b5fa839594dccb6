package e2e_test

import (
	"testing"
	"time"

	"curfew/e2e/harness"
)

// TestDrift: somebody runs kubectl scale. It is put back, once, promptly.
func TestDrift(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		want    int32
		window  harness.Window
		state   string
		scaling string
	}{
		"inside a window":            {window: harness.WindowIn(-time.Hour, 3*time.Hour), want: 0, state: "window", scaling: "scale deployment/web --replicas=5"},
		"outside a window":           {window: harness.WindowIn(time.Hour, time.Hour), want: 3, state: "normal", scaling: "scale deployment/web --replicas=5"},
		"outside a window, to none":  {window: harness.WindowIn(time.Hour, time.Hour), want: 3, state: "normal", scaling: "scale deployment/web --replicas=0"},
		"inside, by an edit in full": {window: harness.WindowIn(-time.Hour, 3*time.Hour), want: 0, state: "window", scaling: `patch deployment/web --type=merge --patch={"spec":{"replicas":5}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			before := s.create("web", 3, annotations{harness.Windows: test.window.Rule("0"), harness.Replicas: "3"})
			s.awaitState("web", test.state)
			s.awaitSize("web", test.want)
			earlier := len(s.writes("web"))

			s.kubectl(test.scaling)
			s.awaitEvent("web", "DriftCorrected")
			s.awaitSize("web", test.want)
			s.settle()

			writes := s.writes("web")[earlier:]
			if len(writes) != 1 || writes[0].Replicas == nil || *writes[0].Replicas != test.want {
				t.Fatalf("Curfew answered with %v, want one write of size %d", writes, test.want)
			}
			late := writes[0].Done.Sub(s.scaledAt("web"))
			t.Logf("put back after %v", late.Round(time.Millisecond))
			if late > prompt {
				t.Errorf("put back after %v, want less than %v", late, prompt)
			}
			s.untouched(before)
		})
	}
}
