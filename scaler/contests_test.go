package scaler

import (
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// TestContestOverAMaximum: a maximum that somebody keeps changing is put back more and more slowly, though the minimum
// stays as it is, and it is that one who is named.
func TestContestOverAMaximum(t *testing.T) {
	var c contests
	now := june
	for corrections := -1; ; corrections++ {
		l := look{
			key: keyOf("default", "web"), object: &kind.Object{Kind: kind.Autoscaler}, now: now,
			workload: decide.Workload{Size: 12, Writer: decide.Writer{Manager: "curfew", Curfew: true},
				Ceiling: &decide.Ceiling{Max: 30, Writer: decide.Writer{Manager: "argocd"}}},
			decision: decide.Decision{Max: ptr.To[int32](40), Status: annotation.Status{State: annotation.StateWindow}},
		}
		wait := c.judge(&l)
		if wait > 0 {
			if corrections < 4 {
				t.Errorf("it waits after %d corrections", corrections)
			}
			return
		}
		if corrections > 6 {
			t.Fatal("it never slows down")
		}
		if message := l.decision.Status.Message; corrections == 4 && !strings.Contains(message, `"argocd" keeps changing`) {
			t.Errorf("it says %q", message)
		}
		l.change = decide.Change{Max: l.decision.Max}
		c.wrote(l)
		now = now.Add(time.Second)
	}
}
