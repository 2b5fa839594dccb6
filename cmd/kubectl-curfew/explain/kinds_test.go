package explain

import (
	"bytes"
	"strings"
	"testing"

	"curfew/cmd/kubectl-curfew/live/livetest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// TestKinds: what is no Deployment is called by its name, and its size is what that has.
func TestKinds(t *testing.T) {
	const nights = "20:00-06:00 = 0"
	for name, c := range map[string]struct {
		livetest.Scene
		want []string
	}{
		"a StatefulSet": {livetest.Scene{Kind: kind.StatefulSet, Own: berlin(windows, day), Size: 4, Kept: true}, []string{
			"Name:         statefulset.apps/web\n",
			"Decision:     2 replicas, which is 50% of normal, because rule 3 holds: 18:00-23:00 = 50%\n",
			"Size:         asks for 2, 1 ready\n",
			"curfew/windows of the StatefulSet\n",
			"spec.replicas, set by Curfew\n",
			"Curfew said:  window, 2 replicas, normal is 4, 18:00-23:00 = 50%, ",
		}},
		"a StatefulSet that is new": {livetest.Scene{Kind: kind.StatefulSet, Own: berlin(windows, day, annotation.Grace, "48h"), Size: 4, Kept: true}, []string{
			"Decision:     left as it stands, at 4 replicas, because the StatefulSet is new\n",
		}},
		"a StatefulSet on its way out": {livetest.Scene{Kind: kind.StatefulSet, Own: berlin(windows, day), Size: 4, Deleting: true}, []string{
			"Decision:     left as it stands, at 4 replicas, because the StatefulSet is being deleted\n",
		}},
		"its own override first": {livetest.Scene{Kind: kind.StatefulSet, Own: berlin(override, "1 until 2026-06-05T22:00:00+02:00"),
			Namespace: annotations{override: "2 until 2026-06-05T22:00:00+02:00"}, Size: 4, Kept: true}, []string{
			"Decision:     1 replica, because the StatefulSet's override says so\n",
			"runs too, but the StatefulSet's own comes first\n",
		}},
		"a CronJob in a window": {livetest.Scene{Kind: kind.CronJob, Own: berlin(windows, "always = 0"), Size: 1, Kept: true}, []string{
			"Name:         cronjob.batch/web\n",
			"Decision:     suspended, because rule 1 holds: always = 0\n",
			"Size:         is suspended\n",
			"running         what Curfew remembers\n",
			"spec.suspend, set by Curfew\n",
			"Curfew said:  window, suspended, normal is running, always = 0, and so it is\n",
		}},
		"a CronJob outside of one": {livetest.Scene{Kind: kind.CronJob, Own: berlin(windows, nights), Size: 1, Kept: true}, []string{
			"Decision:     left alone, running, because no rule holds\n",
			"   suspended   20:00-06:00 = 0\n",
		}},
		"a CronJob in numbers": {livetest.Scene{Kind: kind.CronJob, Own: berlin(windows, "always = 50%\nSat = 3"), Size: 1, Kept: true}, []string{
			"line 1, column 10: \"50%\": a CronJob is on or off; write 0, which suspends it, or normal\n",
			"line 2, column 7: \"3\": a CronJob is on or off; write 0, which suspends it, or normal\n        Sat = 3\n              ^\n",
		}},
		"an autoscaler": {livetest.Scene{Kind: kind.Autoscaler, Own: berlin(windows, "always = 12..40"), Size: 3, Max: 10, Kept: true}, []string{
			"Decision:     12..40 replicas, because rule 1 holds: always = 12..40\n",
			"Size:         asks for 12..40\n",
			"3..10               what Curfew remembers\n",
			"spec.minReplicas, set by Curfew\n",
			"Scales                 Deployment target",
			"they never reach a HorizontalPodAutoscaler",
		}},
		"an autoscaler that does as its target says": {livetest.Scene{Kind: kind.Autoscaler, Size: 3, Max: 10, Kept: true,
			Target: berlin(windows, "always = 5", annotation.HPA, annotation.Floor)}, []string{
			"Decision:     5..10 replicas, because rule 1 holds: always = 5\n",
			"curfew/windows of the Deployment\n",
			"it says curfew/hpa: floor, so its rules are for this\n",
		}},
		"another's, with rules": {livetest.Scene{Kind: kind.StatefulSet, OwnerKind: "Database", Own: berlin(windows, day), Size: 3, Kept: true}, []string{
			"Decision:     left as it stands, at 3 replicas, because this StatefulSet belongs to the Database parent, which sets its size; say it there\n",
		}},
		"another's": {livetest.Scene{Kind: kind.StatefulSet, OwnerKind: "Database", Namespace: berlin(windows, day), Size: 3, Kept: true}, []string{
			"Decision:     none of Curfew's business, because this StatefulSet belongs to the Database parent, which sets its size; say it there\n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := (printer{Of(c.Subject(evening), nil, evening), &out, output.Palette(false)}).print(); err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in\n%s", want, out.String())
				}
			}
			if c.Kind != kind.Autoscaler && strings.Contains(out.String(), "Deployment") {
				t.Errorf("it speaks of a Deployment:\n%s", out.String())
			}
		})
	}
}
