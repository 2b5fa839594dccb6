package status

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/live/livetest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// evening is a Friday, 19:30:12 in Berlin.
var evening = time.Date(2026, 6, 5, 17, 30, 12, 345, time.UTC)

type annotations = map[string]string

const (
	zone  = annotation.Timezone
	rules = annotation.Windows
	// by day, for there is nothing in the evening
	day = "Mon-Fri 07:00-19:00 = normal; always = 0"
)

func berlin(more ...string) annotations {
	all := annotations{zone: "Europe/Berlin"}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

func TestRows(t *testing.T) {
	const (
		monday = " | Mon 2026-06-08 07:00 CEST (in 2d11h)"
		late   = " (not applied yet: is Curfew running?)"
	)
	for name, c := range map[string]struct {
		livetest.Scene
		want string // NOW | WHY | UNTIL | NEXT | SOURCE | MESSAGE
	}{
		"a window": {livetest.Scene{Own: berlin(rules, day, annotation.Replicas, "3"), Size: 3, Kept: true},
			"0/3 | always = 0" + monday + " | 3 (normal) | Deployment | <none>"},
		"a window that remembers": {livetest.Scene{Own: berlin(rules, day), Size: 4, Kept: true},
			"0/4 | always = 0" + monday + " | 4 (normal) | Deployment | <none>"},
		"a window without end": {livetest.Scene{Own: berlin(rules, "always = 50%"), Size: 4, Kept: true},
			"2/4 | always = 50% | <none> | <none> | Deployment | <none>"},
		"normal": {livetest.Scene{Own: berlin(rules, "20:00-06:00 = 1"), Size: 4, Kept: true},
			"4/4 | normal | Fri 2026-06-05 20:00 CEST (in 29m) | 1 (20:00-06:00 = 1) | Deployment | <none>"},
		"inherited": {livetest.Scene{Namespace: berlin(rules, day), Size: 4, Kept: true},
			"0/4 | always = 0" + monday + " | 4 (normal) | Namespace | <none>"},
		"a protected Namespace": {livetest.Scene{In: "kube-system", Namespace: berlin(rules, day), Size: 4, Kept: true},
			"4/4 | none | <none> | <none> | <none> | <none>"},
		"its own, in a protected Namespace": {livetest.Scene{In: "kube-system", Own: berlin(rules, day), Size: 4, Kept: true},
			"0/4 | always = 0" + monday + " | 4 (normal) | Deployment | <none>"},
		"an override": {livetest.Scene{Own: berlin(rules, day, annotation.OverrideKey, "2 until 2026-06-05T22:00:00+02:00"), Size: 3, Kept: true},
			"2/3 | override | Fri 2026-06-05 22:00 CEST (in 149m) | 0 (always = 0) | Deployment | <none>"},
		"a Namespace's override": {livetest.Scene{Own: berlin(rules, day), Namespace: annotations{annotation.OverrideKey: "2 until 2026-06-05T22:00:00+02:00"}, Size: 3, Kept: true},
			"2/3 | override | Fri 2026-06-05 22:00 CEST (in 149m) | 0 (always = 0) | Namespace | <none>"},
		"an override alone": {livetest.Scene{Own: berlin(annotation.OverrideKey, "2 until 2026-06-05T22:00:00+02:00"), Size: 3, Kept: true},
			"2/3 | override | Fri 2026-06-05 22:00 CEST (in 149m) | 3 (no rules) | Deployment | <none>"},
		"an override that has run out": {livetest.Scene{Own: berlin(rules, day, annotation.OverrideKey, "2 until 2026-06-05T12:00:00+02:00"), Size: 3, Kept: true},
			"0/3 | always = 0" + monday + " | 3 (normal) | Deployment | <none>"},
		"paused": {livetest.Scene{Own: berlin(rules, day, annotation.Paused, "true"), Size: 3, Kept: true},
			"3/3 | paused | <none> | <none> | Deployment | <none>"},
		"paused by the Namespace": {livetest.Scene{Own: berlin(rules, day), Namespace: annotations{annotation.Paused: "true"}, Size: 3, Kept: true},
			"3/3 | paused | <none> | <none> | Namespace | <none>"},
		"invalid": {livetest.Scene{Own: berlin(rules, "Mon-Fri 8-20 = normal"), Size: 3, Kept: true},
			`3/3 | invalid: curfew/windows: line 1, column 9: "8-20": a time h… | <none> | <none> | Deployment | ` +
				`annotation curfew/windows: line 1, column 9: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00`},
		"invalid by the Namespace": {livetest.Scene{Namespace: annotations{rules: day, zone: "CEST"}, Size: 3, Kept: true},
			`3/3 | invalid: the Namespace's annotation curfew/timezone: "CEST"… | <none> | <none> | Namespace | ` +
				`the Namespace's annotation curfew/timezone: "CEST": an abbreviation does not name one zone; write Europe/Berlin`},
		"a mistake that does no harm": {livetest.Scene{Own: berlin(rules, day, annotation.OverrideKey, "2"), Size: 3, Kept: true},
			`0/3 | always = 0 (there is a mistake in curfew/override)` + monday + ` | 3 (normal) | Deployment | ` +
				`annotation curfew/override: "2" has no end; write a size and an end with its offset, such as "3 until 2026-06-05T20:00:00+02:00"`},
		"waiting for its turn": {livetest.Scene{Own: berlin(rules, "22:00-23:00 = 0", annotation.Replicas, "3", annotation.Wave, "2", annotation.StatusKey, `{"state":"waiting","size":0,"normal":3,"message":"waits for its turn to wake, in wave 2"}`), Size: 0},
			"0/3 | waiting for its turn to wake | <none> | <none> | <none> | waits for its turn to wake, in wave 2"},
		"waiting": {livetest.Scene{Own: berlin(rules, day, annotation.Grace, "30m"), Size: 3, Age: 10 * time.Minute, Kept: true},
			"3/3 | waiting (new) | Fri 2026-06-05 19:50:12 CEST (in 19m) | 0 (always = 0) | <none> | new, and left as it is for now"},
		"opted out": {livetest.Scene{Own: annotations{rules: "none"}, Namespace: berlin(rules, day), Size: 3, Kept: true},
			"3/3 | opted out | <none> | <none> | Deployment | <none>"},
		"nothing": {livetest.Scene{Size: 3, Kept: true}, "3/3 | none | <none> | <none> | <none> | <none>"},
		"being deleted": {livetest.Scene{Own: berlin(rules, day), Size: 3, Deleting: true},
			"3/3 | being deleted | <none> | <none> | <none> | Curfew leaves alone what is being deleted"},
		"an autoscaler and a window of 0": {livetest.Scene{Own: berlin(rules, day), Size: 5, Autoscaler: true, Kept: true},
			"0/5 | always = 0" + monday + " | 5 (normal) | Deployment | <none>"},
		"an autoscaler and a window above": {livetest.Scene{Own: berlin(rules, "always = 2"), Size: 5, Autoscaler: true, Kept: true},
			"5/5 | always = 2 (left to the HorizontalPodAutoscaler auto) | <none> | <none> | Deployment | " +
				"the HorizontalPodAutoscaler auto owns every size above 0, so this changes nothing; to have it set the minReplicas there, put curfew/windows on that one, or curfew/hpa: floor here"},
		"nobody knows what is normal": {livetest.Scene{Own: berlin(rules, day), Size: 0, Writer: kind.FieldManager, Kept: true},
			"0/? | always = 0" + monday + " | 0 (normal) | Deployment | <none>"},
		"contested": {livetest.Scene{Own: berlin(rules, day, annotation.Replicas, "3"), Size: 3, Kept: true, Contest: func(d decide.Decision) decide.Decision {
			return d.Contested(decide.Writer{Manager: `argo"cd`, Scale: true}, annotation.Status{}, evening.Add(time.Minute))
		}}, `0/3 | contested by "argo\"cd" (through scale)` + monday + ` | 3 (normal) | Deployment | "argo\"cd" (through scale) keeps changing the size, ` +
			`so it is put back more and more slowly; stop that, or say the size you want in curfew/override`},

		"not seen by Curfew": {livetest.Scene{Own: berlin(rules, day, annotation.Replicas, "3"), Size: 3},
			"0/3 | always = 0" + late + monday + " | 3 (normal) | Deployment | not applied yet: it asks for 3 replicas instead of 0; is Curfew running, and does it look after this namespace?"},
		"right, but not seen by Curfew": {livetest.Scene{Own: berlin(rules, day, annotation.Replicas, "3"), Size: 0},
			"0/3 | always = 0" + late + monday + " | 3 (normal) | Deployment | not applied yet: Curfew has said nothing about it; is Curfew running, and does it look after this namespace?"},
		"the rules have changed since": {livetest.Scene{Own: berlin(rules, day, annotation.Replicas, "3", annotation.StatusKey, `{"state":"normal","size":3}`), Size: 0},
			"0/3 | always = 0" + late + monday + " | 3 (normal) | Deployment | not applied yet: what Curfew said is not what is so now; is Curfew running, and does it look after this namespace?"},
		"a mistake that Curfew has not seen": {livetest.Scene{Own: annotations{"curfew/window": "x"}, Size: 0},
			`0/0 | invalid: curfew/window: there is no such annotation; did yo…` + late + ` | <none> | <none> | Deployment | not applied yet: Curfew has said nothing about it; is Curfew running, ` +
				`and does it look after this namespace?; annotation curfew/window: there is no such annotation; did you mean curfew/windows?`},
		"in whatever zone Curfew takes": {livetest.Scene{Own: annotations{rules: day}, Size: 0},
			"0/0 | normal" + late + " | Fri 2026-06-05 19:00 UTC (in 89m) | 0 (always = 0) | Deployment | not applied yet: Curfew has said nothing about it; " +
				"is Curfew running, and does it look after this namespace? Is its --timezone UTC?"},
		"not given back": {livetest.Scene{Own: annotations{annotation.Remembered: "3"}, Size: 0},
			"3/3 | none" + late + " | <none> | <none> | <none> | not applied yet: it asks for 0 replicas instead of 3; is Curfew running, and does it look after this namespace?"},
		"a Namespace that may not be read": {livetest.Scene{Dark: true, Own: annotations{annotation.StatusKey: `{"state":"window","size":0,"normal":3,"rule":"always = 0"}`}, Size: 0},
			"0/3 | always = 0 (as Curfew last said: the Namespace may not be read) | <none> | <none> | <none> | as Curfew last said, for what the Namespace says may not be read"},
		"a hostile status": {livetest.Scene{Dark: true, Own: annotations{annotation.StatusKey: `{"state":"window","size":0,"rule":"\u001b[31m","message":"\n\u001b"}`}, Size: 0},
			`0/0 | \x1b[31m (as Curfew last said: the Namespace may not be read) | <none> | <none> | <none> | as Curfew last said, for what the Namespace says may not be read; \n\x1b`},
		"a hostile state": {livetest.Scene{Dark: true, Own: annotations{annotation.StatusKey: `{"state":"\u001b[31m","size":0}`}, Size: 0},
			"0/0 | none" + late + " | <none> | <none> | <none> | not applied yet: what Curfew wrote is still there; is Curfew running, and does it look after this namespace?"},
	} {
		t.Run(name, func(t *testing.T) {
			now := evening
			item := Of(c.Subject(now), now)
			cells := layout{wide: true}.row(item, now)
			var texts []string
			for i, cell := range cells {
				if i != 0 && i != 5 && i != 6 {
					texts = append(texts, cell.Text)
				}
			}
			if got := strings.Join(texts, " | "); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			if strings.Contains(strings.Join(texts, ""), "\x1b") {
				t.Error("a terminal would obey")
			}
			if want := !strings.Contains(c.want, "not applied yet"); item.Applied != want {
				t.Errorf("applied is %v", item.Applied)
			}
		})
	}
}

// TestKinds: what is not a Deployment is told with its kind, and its size as that has it.
func TestKinds(t *testing.T) {
	const monday = " | Mon 2026-06-08 07:00 CEST (in 2d11h)"
	rollout := kind.NewScaled(schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"}, "Rollout")
	const ranged = "20:00-06:00 = 12..40; always = normal"
	for name, c := range map[string]struct {
		livetest.Scene
		want string // NAME | NOW | WHY | UNTIL | NEXT | SOURCE | MESSAGE
	}{
		"a StatefulSet": {livetest.Scene{Kind: kind.StatefulSet, Own: berlin(rules, day), Size: 3, Kept: true},
			"statefulset.apps/web | 0/3 | always = 0" + monday + " | 3 (normal) | StatefulSet | <none>"},
		"a StatefulSet that inherits": {livetest.Scene{Kind: kind.StatefulSet, Namespace: berlin(rules, day), Size: 3, Kept: true},
			"statefulset.apps/web | 0/3 | always = 0" + monday + " | 3 (normal) | Namespace | <none>"},
		"a Rollout": {livetest.Scene{Kind: rollout, Own: berlin(rules, day), Size: 3, Kept: true},
			"rollout.argoproj.io/web | 0/3 | always = 0" + monday + " | 3 (normal) | Rollout | <none>"},
		"a CronJob": {livetest.Scene{Kind: kind.CronJob, Own: berlin(rules, day), Size: 1, Kept: true},
			"cronjob.batch/web | suspended | always = 0" + monday + " | running (normal) | CronJob | <none>"},
		"a CronJob by day": {livetest.Scene{Kind: kind.CronJob, Own: berlin(rules, "20:00-06:00 = 0"), Size: 1, Kept: true},
			"cronjob.batch/web | running | normal | Fri 2026-06-05 20:00 CEST (in 29m) | suspended (20:00-06:00 = 0) | CronJob | <none>"},
		"a CronJob that is not suspended yet": {livetest.Scene{Kind: kind.CronJob, Own: berlin(rules, day), Size: 1},
			"cronjob.batch/web | suspended | always = 0 (not applied yet: is Curfew running?)" + monday + " | running (normal) | CronJob | " +
				"not applied yet: it is running instead of suspended; is Curfew running, and does it look after this namespace?"},
		"an autoscaler": {livetest.Scene{Kind: kind.Autoscaler, Own: berlin(rules, ranged), Size: 3, Max: 10, Kept: true},
			"horizontalpodautoscaler.autoscaling/web | 3..10/3..10 | normal | Fri 2026-06-05 20:00 CEST (in 29m) | 12..40 (20:00-06:00 = 12..40) | HorizontalPodAutoscaler | <none>"},
		"an autoscaler in a window": {livetest.Scene{Kind: kind.Autoscaler, Own: berlin(rules, "always = 12..40"), Size: 3, Max: 10, Kept: true},
			"horizontalpodautoscaler.autoscaling/web | 12..40/3..10 | always = 12..40 | <none> | <none> | HorizontalPodAutoscaler | <none>"},
		"an autoscaler that is not resized yet": {livetest.Scene{Kind: kind.Autoscaler, Own: berlin(rules, "always = 5..10"), Size: 3, Max: 10},
			"horizontalpodautoscaler.autoscaling/web | 5..10/3..10 | always = 5..10 (not applied yet: is Curfew running?) | <none> | <none> | HorizontalPodAutoscaler | " +
				"not applied yet: it asks for 3..10 replicas instead of 5..10; is Curfew running, and does it look after this namespace?"},
		"an autoscaler whose Namespace has rules": {livetest.Scene{Kind: kind.Autoscaler, Namespace: berlin(rules, day), Size: 3, Max: 10, Kept: true},
			"horizontalpodautoscaler.autoscaling/web | 3..10/3..10 | none | <none> | <none> | <none> | <none>"},
		"an autoscaler that does as its target says": {livetest.Scene{Kind: kind.Autoscaler, Size: 3, Max: 10, Kept: true, Target: berlin(rules, "always = 5", annotation.HPA, annotation.Floor)},
			"horizontalpodautoscaler.autoscaling/web | 5..10/3..10 | always = 5 | <none> | <none> | Deployment | <none>"},
		"another's": {livetest.Scene{Kind: rollout, OwnerKind: "Product", Own: berlin(rules, day), Size: 3, Kept: true},
			"rollout.argoproj.io/web | 3/3 | invalid: curfew/windows: this Rollout belongs to the Produc… | <none> | <none> | Rollout | " +
				"annotation curfew/windows: this Rollout belongs to the Product parent, which sets its size; say it there"},
		"another's, and the Namespace has rules": {livetest.Scene{Kind: rollout, OwnerKind: "Product", Namespace: berlin(rules, day), Size: 3, Kept: true},
			"rollout.argoproj.io/web | 3/3 | none | <none> | <none> | <none> | this Rollout belongs to the Product parent, which sets its size; say it there"},
		"what has its annotations from a Deployment": {livetest.Scene{Kind: rollout, OwnerKind: "Deployment", Own: berlin(rules, day), Size: 3},
			"rollout.argoproj.io/web | 3/3 | none | <none> | <none> | <none> | this Rollout belongs to the Deployment parent, which sets its size; say it there"},
	} {
		t.Run(name, func(t *testing.T) {
			item := Of(c.Subject(evening), evening)
			cells := layout{wide: true, kinds: true}.row(item, evening)
			var texts []string
			for i, cell := range cells {
				if i != 5 && i != 6 {
					texts = append(texts, cell.Text)
				}
			}
			if got := strings.Join(texts, " | "); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			if want := !strings.Contains(c.want, "not applied yet"); item.Applied != want {
				t.Errorf("applied is %v", item.Applied)
			}
		})
	}
}

// A contest in which the other one has had the last word.
func TestContestedAndNotPutBack(t *testing.T) {
	c := livetest.Scene{Own: berlin(rules, day, annotation.Replicas, "3"), Size: 3, Kept: true, Contest: func(d decide.Decision) decide.Decision {
		return d.Contested(decide.Writer{Manager: "argocd"}, annotation.Status{}, evening.Add(time.Minute))
	}}
	c.Own, c.Kept, c.Contest = c.Subject(evening).Object.Annotations, false, nil
	item := Of(c.Subject(evening), evening)
	if why, _ := item.Why(); why != `contested by "argocd" (not put back yet)` || item.Applied || !strings.HasPrefix(item.Message, "it asks for 3 replicas and is put back to 0 after a while; ") {
		t.Errorf("%s: %+v", why, item)
	}
}

func TestHeader(t *testing.T) {
	var out bytes.Buffer
	for _, l := range []layout{{}, {namespace: true}, {wide: true}} {
		if err := output.NewTable(&out, false, "").Print(l.header()); err != nil {
			t.Fatal(err)
		}
	}
	const want = "NAME   NOW   WHY   UNTIL   NEXT\n" +
		"NAMESPACE   NAME   NOW   WHY   UNTIL   NEXT\n" +
		"NAME   NOW   WHY   UNTIL   NEXT   ZONE   READY   SOURCE   MESSAGE\n"
	if out.String() != want {
		t.Errorf("got\n%s", out.String())
	}
}

// TestWatch has a Curfew that is there at first and then is not, in virtual time.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now() // midnight, UTC
		s := livetest.Scene{Own: annotations{zone: "UTC", rules: "01:00-02:00 = 0; 03:00-04:00 = 1", annotation.Replicas: "3"}, Size: 3, Kept: true}
		seen, ended := make(chan []live.Subject), make(chan error, 1)
		var got []string
		stop := errors.New("stop")
		done := make(chan error, 1)
		go func() {
			done <- watch(context.Background(), seen, time.Now, func(items []Item, now time.Time) error {
				if len(items) == 0 {
					got = append(got, now.Sub(start).String()+" nothing")
				}
				for _, i := range items {
					why, _ := i.Why()
					got = append(got, now.Sub(start).String()+" "+why)
				}
				return nil
			}, ended)
		}()
		time.Sleep(time.Minute * 5)
		seen <- nil
		time.Sleep(5 * time.Minute)
		seen <- []live.Subject{s.Subject(time.Now())}
		seen <- []live.Subject{s.Subject(time.Now())} // nothing new
		time.Sleep(time.Until(start.Add(time.Hour + 500*time.Millisecond)))
		late := s.Subject(start)
		seen <- []live.Subject{late} // Curfew has not been that fast
		time.Sleep(200 * time.Millisecond)
		seen <- []live.Subject{s.Subject(time.Now())}
		time.Sleep(4 * time.Hour)
		seen <- nil
		time.Sleep(time.Hour)
		ended <- stop
		if err := <-done; !errors.Is(err, stop) {
			t.Error(err)
		}
		const yet = " (not applied yet: is Curfew running?)"
		want := []string{
			"5m0s nothing", "10m0s normal", "1h0m0.7s 01:00-02:00 = 0",
			"2h0m1s normal" + yet, "3h0m1s 03:00-04:00 = 1" + yet, "4h0m1s normal" + yet,
			"5h0m0.7s gone",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestWatchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := watch(ctx, nil, time.Now, nil, nil); err != nil {
		t.Error(err)
	}
}
