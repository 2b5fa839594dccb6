package override

import (
	"slices"
	"testing"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// TestKinds: an override is what the kind can have, or is refused before anything is written.
func TestKinds(t *testing.T) {
	const at = " until 2026-06-05T21:30:13+02:00"
	const until = " until Fri 2026-06-05 21:30:13 CEST (in 120m), then "
	const nights = "20:00-06:00 = 0"
	for name, c := range map[string]struct {
		x        situation
		r        request
		value    string
		text     string
		fault    string
		warnings []string // the warnings
	}{
		"a StatefulSet": {x: situation{kind: kind.StatefulSet, size: 3, own: awake(office)}, r: asked(t, sleep, "for", "2h"),
			value: "0" + at, text: "0" + until + "0 (always = 0) until Mon 2026-06-08 07:00 CEST"},
		"a CronJob to sleep": {x: situation{kind: kind.CronJob, size: 1, own: awake(nights)}, r: asked(t, sleep, "for", "2h"),
			value: "0" + at, text: "0 (suspended)" + until + "suspended (20:00-06:00 = 0) until Sat 2026-06-06 06:00 CEST"},
		"a CronJob held": {x: situation{kind: kind.CronJob, size: 1, own: awake(nights)}, r: asked(t, hold, "for", "2h"),
			value: "normal" + at, text: "normal (running)" + until + "suspended (20:00-06:00 = 0)"},
		"a CronJob in numbers": {x: situation{kind: kind.CronJob, size: 1, own: awake(nights)}, r: asked(t, wake, "for", "2h", "replicas", "3"),
			fault: "cronjob.batch/shop: a CronJob is on or off; write 0, which suspends it, or normal"},
		"a CronJob that is its owner's to wake": {x: situation{kind: kind.CronJob}, r: asked(t, wake, "for", "2h"),
			value: "normal" + at, text: "normal (suspended)" + until + "suspended (no rules)",
			warnings: []string{"it is suspended when no rule holds, so there is nothing to wake; that is for its owner to change"}},
		"an autoscaler": {x: situation{kind: kind.Autoscaler, size: 3}, r: asked(t, wake, "for", "2h", "replicas", "12..40"),
			value: "12..40" + at, text: "12..40" + until + "3..10 (no rules)"},
		"an autoscaler's minimum": {x: situation{kind: kind.Autoscaler, size: 3}, r: asked(t, wake, "for", "2h", "replicas", "5"),
			value: "5" + at, text: "5 (5..10)" + until + "3..10 (no rules)"},
		"an autoscaler held": {x: situation{kind: kind.Autoscaler, size: 3}, r: asked(t, hold, "for", "2h"),
			value: "3..10" + at, text: "3..10" + until + "3..10 (no rules)"},
		"an autoscaler to sleep": {x: situation{kind: kind.Autoscaler, size: 3}, r: asked(t, sleep, "for", "2h"),
			fault: "horizontalpodautoscaler.autoscaling/shop: a HorizontalPodAutoscaler cannot go to 0; put 0 on its target, which pauses it for as long"},
		"a range of a Deployment": {x: situation{size: 3}, r: asked(t, wake, "for", "2h", "replicas", "3..10"),
			fault: "deployment.apps/shop: a Deployment has one size and no range; write a number, or put the range on its HorizontalPodAutoscaler"},
		"an autoscaler whose target is overridden": {x: situation{kind: kind.Autoscaler, size: 5, target: annotations{annotation.HPA: annotation.Floor, annotation.OverrideKey: "5" + at}}, r: asked(t, resume),
			text:     "5 (5..10, by the override of the Deployment web)" + until + "5..10 (no rules)",
			warnings: []string{"the override of what it scales goes on; kubectl curfew resume deploy/web -n team ends it, for both"}},
		"an autoscaler whose Namespace is": {x: situation{kind: kind.Autoscaler, size: 5, target: annotations{annotation.HPA: annotation.Floor}, namespace: annotations{annotation.OverrideKey: "5" + at}}, r: asked(t, resume),
			text:     "5 (5..10, by the Namespace's override)" + until + "5..10 (no rules)",
			warnings: []string{"the override of its Namespace goes on; kubectl curfew resume ns/team ends it, for all in it"}},
		"an autoscaler whose target is paused": {x: situation{kind: kind.Autoscaler, size: 5, target: annotations{annotation.HPA: annotation.Floor, annotation.Windows: office, annotation.Paused: "true"}}, r: asked(t, unpause),
			text: "paused at 5..10", warnings: []string{"it is still paused; kubectl curfew unpause deploy/web -n team"}},
		"what an autoscaler does as": {x: situation{size: 3, own: with(awake(office), annotation.HPA, annotation.Floor), autoscaler: true}, r: asked(t, hold, "for", "2h", "replicas", "3..5"),
			value: "3..5" + at, text: "3..5 (for its HorizontalPodAutoscaler)" + until + "0 (always = 0)"},
		"another's": {x: situation{kind: kind.StatefulSet, owner: "db", size: 3}, r: asked(t, sleep, "for", "2h"),
			fault: "statefulset.apps/shop: this StatefulSet belongs to the Parent db, which sets its size; say it there"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := c.r.edit(target{subjects: []live.Subject{c.x.subject(t)}}, friday)
			if err != nil || c.fault != "" {
				if err == nil || err.Error() != c.fault {
					t.Errorf("\n got %v\nwant %s", err, c.fault)
				}
				return
			}
			checkValue(t, e, c.value)
			o := c.r.outcome(e, friday)
			if o.text != c.text {
				t.Errorf("\n got %s\nwant %s", o.text, c.text)
			}
			if !slices.Equal(o.warnings, c.warnings) {
				t.Errorf("warnings %q", o.warnings)
			}
		})
	}
}

// TestKindsInANamespace: each makes of a Namespace's override what it can, and says so by its kind.
func TestKindsInANamespace(t *testing.T) {
	team := annotations{annotation.Timezone: "Europe/Berlin"}
	var in []live.Subject
	for _, x := range []situation{
		{name: "shop", size: 3, namespace: team},
		{kind: kind.CronJob, name: "report", size: 1, namespace: team},
		{kind: kind.Autoscaler, name: "shop", size: 3, namespace: team},
		{kind: kind.Autoscaler, name: "web", size: 3, namespace: team, target: annotations{annotation.HPA: annotation.Floor}},
	} {
		in = append(in, x.subject(t))
	}
	r := asked(t, hold, "for", "2h", "replicas", "2")
	e, err := r.edit(target{in[0].Namespace, in}, friday)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"shop: 2 until Fri 2026-06-05 21:30:13 CEST (in 120m), then 3 (no rules)",
		"cronjob.batch/report: normal (running) until Fri 2026-06-05 21:30:13 CEST (in 120m), then running (no rules)",
		"horizontalpodautoscaler.autoscaling/shop: 3..10 (no rules)",
		"horizontalpodautoscaler.autoscaling/web: 2 (2..10) until Fri 2026-06-05 21:30:13 CEST (in 120m), then 3..10 (no rules)",
	}
	if got := r.outcome(e, friday).members; !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}
