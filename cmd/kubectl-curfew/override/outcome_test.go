package override

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
	"curfew/timewindow"
)

type annotations = map[string]string

// office is Mon-Fri 07:00-20:00, as normal, which is 3. On Friday evening it is so for another half hour.
const office = "Mon-Fri 07:00-20:00 = normal; always = 0"

// awake and asleep are Deployments with Curfew's word about them on it, at three replicas and at none.
func awake(windows string) annotations {
	return annotations{annotation.Windows: windows, annotation.Timezone: "Europe/Berlin", annotation.StatusKey: `{"state":"normal"}`}
}

func asleep(windows string) annotations {
	return annotations{annotation.Windows: windows, annotation.Timezone: "Europe/Berlin", annotation.Remembered: "3",
		annotation.StatusKey: `{"state":"window","size":0,"normal":3,"rule":"always = 0"}`}
}

func with(base annotations, more ...string) annotations {
	all := maps.Clone(base)
	if all == nil {
		all = annotations{}
	}
	for pair := range slices.Chunk(more, 2) {
		all[pair[0]] = pair[1]
	}
	return all
}

func without(base annotations, key string) annotations {
	all := maps.Clone(base)
	delete(all, key)
	return all
}

// situation is an object in a Namespace.
type situation struct {
	kind       *kind.Kind // nil: a Deployment
	owner      string     // the controller that it belongs to; "": none
	name       string
	size       int32
	own        annotations
	namespace  annotations
	autoscaler bool
	target     annotations // of an autoscaler's target; nil: nobody knows it
	created    time.Time   // zero: long ago
}

func (x situation) subject(t *testing.T) live.Subject {
	t.Helper()
	if x.name == "" {
		x.name = "shop"
	}
	if x.kind == nil {
		x.kind = kind.Deployment
	}
	size := map[string]any{"replicas": int64(x.size)}
	switch x.kind {
	case kind.CronJob:
		size = map[string]any{"suspend": x.size == 0}
	case kind.Autoscaler:
		size = map[string]any{"minReplicas": int64(x.size), "maxReplicas": int64(10), "scaleTargetRef": map[string]any{"kind": "Deployment", "name": "web"}}
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": size}}
	u.SetGroupVersionKind(x.kind.GroupVersionKind())
	u.SetName(x.name)
	u.SetNamespace("team")
	u.SetAnnotations(x.own)
	u.SetCreationTimestamp(metav1.NewTime(x.created))
	if x.owner != "" {
		u.SetOwnerReferences([]metav1.OwnerReference{{Kind: "Parent", Name: x.owner, Controller: ptr.To(true)}})
	}
	around := live.Around{Namespaces: []*corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: "team", Annotations: x.namespace}}}, Now: friday}
	if x.autoscaler {
		h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "team"}}
		h.Spec.ScaleTargetRef.Kind, h.Spec.ScaleTargetRef.Name, h.Spec.MinReplicas = x.kind.Name, x.name, ptr.To[int32](2)
		around.Autoscalers = append(around.Autoscalers, h)
	}
	if x.target != nil {
		web := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": int64(3)}}}
		web.SetGroupVersionKind(kind.Deployment.GroupVersionKind())
		web.SetName("web")
		web.SetNamespace("team")
		web.SetAnnotations(x.target)
		around.Others = append(around.Others, live.Read(kind.Deployment, web).Object)
	}
	s := live.NewSubjects([]live.Object{live.Read(x.kind, u)}, around, observe.Settings{})[0]
	s.Zone = zone(t, "Europe/Berlin")
	return s
}

func asked(t *testing.T, v verb, flags ...string) request {
	t.Helper()
	r := request{verb: v}
	for pair := range slices.Chunk(flags, 2) {
		var e ending
		var err error
		switch pair[0] {
		case "for":
			e, err = parseFor(pair[1])
			r.end = &e
		case "until":
			e, err = parseUntil(pair[1])
			r.end = &e
		case "replicas":
			var size timewindow.Size
			size, err = parseSize(pair[1])
			r.size = &size
		case "many":
			r.many = true
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestDeployment(t *testing.T) {
	evening := friday.Add(3 * time.Hour) // 22:30 in Berlin
	for name, c := range map[string]struct {
		now      time.Time // zero: friday
		x        situation
		r        request
		value    string // of the annotation; "-": it goes; "": nothing is written
		text     string
		counts   bool // as asked
		warnings []string
		fault    string
	}{
		"wake until the next change": {evening, situation{size: 0, own: asleep(office)}, asked(t, wake),
			"normal until 2026-06-08T07:00:00+02:00", "normal (3) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3) until Mon 2026-06-08 20:00 CEST", true, nil, ""},
		"wake until the next change, which a lead brings forward": {evening, situation{size: 0, own: with(asleep(office), annotation.Lead, "15m")}, asked(t, wake),
			"normal until 2026-06-08T06:45:00+02:00", "normal (3) until Mon 2026-06-08 06:45 CEST (in 2d8h), then normal (3) until Mon 2026-06-08 20:00 CEST", true, nil, ""},
		"wake for a while": {evening, situation{size: 0, own: asleep(office)}, asked(t, wake, "for", "90m"),
			"normal until 2026-06-06T00:00:13+02:00", "normal (3) until Sat 2026-06-06 00:00:13 CEST (in 90m), then 0 (always = 0)", true, nil, ""},
		"wake, and the rule is long": {evening, situation{size: 0, own: asleep("cron(" + strings.Repeat("0,", 500) + "0 7 * * *) for 13h = normal; always = 0")}, asked(t, wake),
			"normal until 2026-06-06T07:00:00+02:00", "normal (3) until Sat 2026-06-06 07:00 CEST (in 8h), then normal (3) until Sat 2026-06-06 20:00 CEST", true, nil, ""},
		"wake, and then a rule that is long": {evening, situation{size: 0, own: asleep("cron(" + strings.Repeat("0,", 500) + "0 20 * * *) for 11h = 0")}, asked(t, wake, "for", "90m"),
			"normal until 2026-06-06T00:00:13+02:00", "normal (3) until Sat 2026-06-06 00:00:13 CEST (in 90m), then 0 (cron(" + strings.Repeat("0,", 27) + "…)", true, nil, ""},
		"wake till late": {time.Time{}, situation{size: 3, own: awake(office)}, asked(t, wake, "until", "22:00"),
			"normal until 2026-06-05T22:00:00+02:00", "normal (3) until Fri 2026-06-05 22:00 CEST (in 149m), then 0 (always = 0)", true, nil, ""},
		"wake a few": {evening, situation{size: 0, own: asleep(office)}, asked(t, wake, "until", "24:00", "replicas", "2"),
			"2 until 2026-06-06T00:00:00+02:00", "2 until Sat 2026-06-06 00:00 CEST (in 89m), then 0 (always = 0)", true, nil, ""},
		"wake a share": {evening, situation{size: 0, own: asleep(office)}, asked(t, wake, "until", "24:00", "replicas", "50%"),
			"50% until 2026-06-06T00:00:00+02:00", "50% (2) until Sat 2026-06-06 00:00 CEST (in 89m), then 0 (always = 0)", true, nil, ""},
		"wake what is awake": {time.Time{}, situation{size: 3, own: awake(office)}, asked(t, wake),
			"", "normal (3) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0); its rules say so; give --for or --until to have it so for longer", true, nil, ""},
		"wake what was put to sleep": {time.Time{}, situation{size: 0, own: with(asleep(office), annotation.OverrideKey, "0 until 2026-06-08T00:00:00Z")}, asked(t, wake),
			"normal until 2026-06-05T20:00:00+02:00", "normal (3) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0)", true, nil, ""},
		"wake again": {evening, situation{size: 3, own: with(asleep(office), annotation.OverrideKey, "normal until 2026-06-09T00:00:00Z")}, asked(t, wake),
			"", "normal (3) until Tue 2026-06-09 02:00 CEST (in 3d3h), then 0 (always = 0)", true, nil, ""},
		"wake to the same end": {evening, situation{size: 3, own: with(asleep(office), annotation.OverrideKey, "normal until 2026-06-09T00:00:00Z")}, asked(t, wake, "until", "2026-06-09T02:00"),
			"", "normal (3) until Tue 2026-06-09 02:00 CEST (in 3d3h), then 0 (always = 0)", true, nil, ""},
		"wake to another end": {evening, situation{size: 3, own: with(asleep(office), annotation.OverrideKey, "normal until 2026-06-09T00:00:00Z")}, asked(t, wake, "until", "2026-06-09T03:00"),
			"normal until 2026-06-09T03:00:00+02:00", "normal (3) until Tue 2026-06-09 03:00 CEST (in 3d4h), then 0 (always = 0)", true, nil, ""},
		"wake once it has run out": {evening, situation{size: 0, own: with(asleep(office), annotation.OverrideKey, "normal until 2026-06-01T00:00:00Z")}, asked(t, wake),
			"normal until 2026-06-08T07:00:00+02:00", "normal (3) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3) until Mon 2026-06-08 20:00 CEST", true, nil, ""},
		"over an override that makes no sense": {evening, situation{size: 0, own: with(asleep(office), annotation.OverrideKey, "tomorrow")}, asked(t, wake),
			"normal until 2026-06-08T07:00:00+02:00", "normal (3) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3) until Mon 2026-06-08 20:00 CEST", true, nil, ""},
		"wake what never changes": {time.Time{}, situation{size: 0, own: asleep("always = 0")}, asked(t, wake),
			"", "", true, nil, "deployment.apps/shop: its rules never change, so nothing would end this; say how long with --for 2h or --until 22:00"},
		"wake without rules": {time.Time{}, situation{size: 3}, asked(t, wake),
			"", "", true, nil, "deployment.apps/shop: it has no rules whose next change could end this; say how long with --for 2h or --until 22:00"},
		"wake what is 0": {time.Time{}, situation{size: 0, own: awake(office)}, asked(t, wake, "until", "22:00"),
			"normal until 2026-06-05T22:00:00+02:00", "normal (0) until Fri 2026-06-05 22:00 CEST (in 149m), then 0 (always = 0) until Mon 2026-06-08 07:00 CEST", true,
			[]string{"its normal size is 0, so there is nothing to wake; say with --replicas how many"}, ""},
		"past": {time.Time{}, situation{size: 3, own: awake(office)}, asked(t, wake, "until", "2026-06-05"),
			"", "", true, nil, `--until: "2026-06-05" has passed: it was Fri 2026-06-05 00:00 CEST; choose a later time, or 2026-06-05T24:00 for the end of that day`},

		"sleep early": {time.Time{}, situation{size: 3, own: awake(office)}, asked(t, sleep),
			"0 until 2026-06-05T20:00:00+02:00", "0 until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0) until Mon 2026-06-08 07:00 CEST", true, nil, ""},
		"a holiday far ahead": {time.Time{}, situation{size: 3, own: with(awake("12-24..12-26 = 0"), annotation.OverrideKey, "0 until 2026-06-08T00:00:00Z")}, asked(t, resume),
			"-", "normal (3) until Thu 2026-12-24 00:00 CET (in 201d), then 0 (12-24..12-26 = 0)", true, nil, ""},
		"rules that take turns and never change": {time.Time{}, situation{size: 0, own: asleep("20:00-06:00 = 0; 06:00-20:00 = 0")}, asked(t, wake, "for", "1h"),
			"normal until 2026-06-05T20:30:13+02:00", "normal (3) until Fri 2026-06-05 20:30:13 CEST (in 60m), then 0 (20:00-06:00 = 0)", true, nil, ""},
		"sleep what sleeps": {evening, situation{size: 0, own: asleep(office)}, asked(t, sleep),
			"", "0 (always = 0) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3); its rules say so; give --for or --until to have it so for longer", true, nil, ""},
		"sleep without rules": {time.Time{}, situation{size: 3}, asked(t, sleep, "for", "2h"),
			"0 until 2026-06-05T21:30:13+02:00", "0 until Fri 2026-06-05 21:30:13 CEST (in 120m), then 3 (no rules)", true, nil, ""},
		"sleep for days without rules": {time.Time{}, situation{size: 3}, asked(t, sleep, "for", "3d"),
			"0 until 2026-06-08T19:30:13+02:00", "0 until Mon 2026-06-08 19:30:13 CEST (in 3d), then 3 (no rules)", true, nil, ""},
		"sleep by the Namespace's rules": {time.Time{}, situation{size: 3, own: annotations{annotation.StatusKey: "{}"}, namespace: annotations{annotation.Windows: office, annotation.Timezone: "Europe/Berlin"}}, asked(t, sleep),
			"0 until 2026-06-05T20:00:00+02:00", "0 until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0) until Mon 2026-06-08 07:00 CEST", true, nil, ""},
		"sleep, opted out, by name": {time.Time{}, situation{size: 3, own: annotations{annotation.Windows: "none"}}, asked(t, sleep, "for", "2h"),
			"0 until 2026-06-05T21:30:13+02:00", "0 until Fri 2026-06-05 21:30:13 CEST (in 120m), then 3 (opted out)", true, nil, ""},
		"sleep, opted out, among many": {time.Time{}, situation{size: 3, own: annotations{annotation.Windows: "none"}}, asked(t, sleep, "for", "2h", "many", ""),
			"", "3 (opted out); it has opted out; name it to have it done all the same", true, nil, ""},

		"hold what it has": {time.Time{}, situation{size: 5, own: awake(office)}, asked(t, hold, "until", "22:00"),
			"5 until 2026-06-05T22:00:00+02:00", "5 until Fri 2026-06-05 22:00 CEST (in 149m), then 0 (always = 0)", true, nil, ""},
		"hold normal": {time.Time{}, situation{size: 3, own: awake(office)}, asked(t, hold, "until", "22:00", "replicas", "normal"),
			"normal until 2026-06-05T22:00:00+02:00", "normal (3) until Fri 2026-06-05 22:00 CEST (in 149m), then 0 (always = 0)", true, nil, ""},

		"paused": {evening, situation{size: 0, own: with(asleep(office), annotation.Paused, "true")}, asked(t, wake, "for", "1h"),
			"normal until 2026-06-05T23:30:13+02:00", "paused at 0", false, []string{"an override does not count while Curfew is paused here; kubectl curfew unpause deploy/shop -n team"}, ""},
		"paused by the Namespace": {evening, situation{size: 0, own: asleep(office), namespace: annotations{annotation.Paused: "true"}}, asked(t, wake, "for", "1h"),
			"normal until 2026-06-05T23:30:13+02:00", "paused at 0", false, []string{"an override does not count while Curfew is paused here; kubectl curfew unpause ns/team"}, ""},
		"with a mistake": {evening, situation{size: 0, own: asleep("Mon = x")}, asked(t, wake, "for", "1h"),
			"normal until 2026-06-05T23:30:13+02:00", "left at 0, for its annotations make no sense", false,
			[]string{`Curfew leaves it as it stands until this is mended: annotation curfew/windows: line 1, column 7: "x": this is not a size; write a number of replicas, a share such as 50%, or normal`}, ""},
		"an autoscaler's": {evening, situation{size: 0, own: asleep(office), autoscaler: true}, asked(t, wake, "for", "1h", "replicas", "5"),
			"5 until 2026-06-05T23:30:13+02:00", "3 (by its HorizontalPodAutoscaler) until Fri 2026-06-05 23:30:13 CEST (in 60m), then 0 (always = 0)", false,
			[]string{"the HorizontalPodAutoscaler web owns every size above 0, so this changes nothing; to have it set the minReplicas there, put curfew/windows on that one, or curfew/hpa: floor here"}, ""},
		"an autoscaler's, woken": {evening, situation{size: 0, own: asleep(office), autoscaler: true}, asked(t, wake, "for", "1h"),
			"normal until 2026-06-05T23:30:13+02:00", "normal (3) until Fri 2026-06-05 23:30:13 CEST (in 60m), then 0 (always = 0)", true, nil, ""},
		"an autoscaler's, put to sleep": {time.Time{}, situation{size: 4, own: awake(office), autoscaler: true}, asked(t, sleep, "for", "2h"),
			"0 until 2026-06-05T21:30:13+02:00", "0 until Fri 2026-06-05 21:30:13 CEST (in 120m), then 0 (always = 0) until Mon 2026-06-08 07:00 CEST", true, nil, ""},
		"contested": {evening, situation{size: 0, own: with(asleep(office), annotation.StatusKey, `{"state":"contested","size":0,"normal":3,"message":"ann\u001b[31m keeps changing the size"}`)}, asked(t, wake, "for", "1h"),
			"normal until 2026-06-05T23:30:13+02:00", "normal (3) until Fri 2026-06-05 23:30:13 CEST (in 60m), then 0 (always = 0)", true,
			[]string{`its size is contested: "ann\x1b[31m keeps changing the size"`}, ""},
		"unheard of": {evening, situation{size: 3, own: without(awake(office), annotation.StatusKey)}, asked(t, wake, "for", "1h"),
			"normal until 2026-06-05T23:30:13+02:00", "normal (3) until Fri 2026-06-05 23:30:13 CEST (in 60m), then 0 (always = 0)", true,
			[]string{"Curfew has never said a word about it (it has no curfew/status); does Curfew run, and look after the namespace team?"}, ""},
		"unheard of, being new": {evening, situation{size: 3, own: without(awake(office), annotation.StatusKey), created: evening.Add(-time.Second)}, asked(t, wake, "for", "1h"),
			"normal until 2026-06-05T23:30:13+02:00", "normal (3) until Fri 2026-06-05 23:30:13 CEST (in 60m), then 0 (always = 0)", true, nil, ""},
		"in its grace": {evening, situation{size: 3, own: with(awake(office), annotation.Grace, "30m"), created: evening.Add(-10 * time.Minute)}, asked(t, sleep, "for", "1h"),
			"0 until 2026-06-05T23:30:13+02:00", "left at 3, being new, until Fri 2026-06-05 22:50:12 CEST (in 19m), then 0", false, nil, ""},

		"in its grace for long": {evening, situation{size: 3, own: with(awake("always = 0"), annotation.Grace, "72h"), created: evening.Add(-10 * time.Minute)}, asked(t, sleep, "for", "1h"),
			"0 until 2026-06-05T23:30:13+02:00", "left at 3, being new, until Mon 2026-06-08 22:20:12 CEST (in 2d23h), then 0 (always = 0)", false, nil, ""},

		"resume": {time.Time{}, situation{size: 0, own: with(asleep(office), annotation.OverrideKey, "0 until 2026-06-08T00:00:00Z")}, asked(t, resume),
			"-", "normal (3) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0)", true, nil, ""},
		"resume what has run out": {time.Time{}, situation{size: 3, own: with(awake(office), annotation.OverrideKey, "0 until 2026-06-01T00:00:00Z")}, asked(t, resume),
			"-", "normal (3) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0)", true, nil, ""},
		"resume what makes no sense": {time.Time{}, situation{size: 3, own: with(awake(office), annotation.OverrideKey, "tomorrow")}, asked(t, resume),
			"-", "normal (3) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0)", true, nil, ""},
		"resume nothing": {time.Time{}, situation{size: 3, own: awake(office)}, asked(t, resume),
			"", "normal (3) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0)", true, nil, ""},
		"resume under the Namespace's": {time.Time{}, situation{size: 3, own: with(awake(office), annotation.OverrideKey, "0 until 2026-06-08T00:00:00Z"), namespace: annotations{annotation.OverrideKey: "1 until 2026-06-08T00:00:00Z"}}, asked(t, resume),
			"-", "1 (by the Namespace's override) until Mon 2026-06-08 02:00 CEST (in 2d6h), then 0 (always = 0)", true,
			[]string{"the override of its Namespace goes on; kubectl curfew resume ns/team ends it, for all in it"}, ""},
		"then the Namespace's": {time.Time{}, situation{size: 3, own: awake(office), namespace: annotations{annotation.OverrideKey: "1 until 2026-06-08T00:00:00Z"}}, asked(t, sleep, "for", "1h"),
			"0 until 2026-06-05T20:30:13+02:00", "0 until Fri 2026-06-05 20:30:13 CEST (in 60m), then 1 (by the Namespace's override)", true, nil, ""},

		"pause":                   {time.Time{}, situation{size: 3, own: awake(office)}, asked(t, pause), "true", "stays at 3", true, nil, ""},
		"pause again":             {time.Time{}, situation{size: 3, own: with(awake(office), annotation.Paused, "true")}, asked(t, pause), "", "stays at 3", true, nil, ""},
		"pause anew":              {time.Time{}, situation{size: 3, own: with(awake(office), annotation.Paused, "yes")}, asked(t, pause), "true", "stays at 3", true, nil, ""},
		"pause no more":           {time.Time{}, situation{size: 3, own: with(awake(office), annotation.Paused, "false")}, asked(t, pause), "true", "stays at 3", true, nil, ""},
		"pause what has no rules": {time.Time{}, situation{size: 3}, asked(t, pause), "true", "3 (no rules)", true, nil, ""},
		"pause what is paused by the Namespace": {time.Time{}, situation{size: 3, own: awake(office), namespace: annotations{annotation.Paused: "true"}}, asked(t, pause),
			"true", "stays at 3", true, nil, ""},

		"unpause": {evening, situation{size: 3, own: with(awake(office), annotation.Paused, "true")}, asked(t, unpause),
			"-", "0 (always = 0) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3)", true, nil, ""},
		"unpause a mistake": {evening, situation{size: 3, own: with(awake(office), annotation.Paused, "yes")}, asked(t, unpause),
			"-", "0 (always = 0) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3)", true, nil, ""},
		"unpause nothing": {evening, situation{size: 0, own: asleep(office)}, asked(t, unpause),
			"", "0 (always = 0) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3)", true, nil, ""},
		"unpause under the Namespace's": {evening, situation{size: 0, own: asleep(office), namespace: annotations{annotation.Paused: "true"}}, asked(t, unpause),
			"false", `0 (always = 0) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3); its own "false" beats what its Namespace says, now and later`, true, nil, ""},
		"unpause under the Namespace's mistake": {evening, situation{size: 0, own: with(asleep(office), annotation.Paused, "true"), namespace: annotations{annotation.Paused: "yes"}}, asked(t, unpause),
			"false", `0 (always = 0) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3); its own "false" beats what its Namespace says, now and later`, true, nil, ""},
		"unpause where the Namespace says false": {evening, situation{size: 0, own: with(asleep(office), annotation.Paused, "true"), namespace: annotations{annotation.Paused: "false"}}, asked(t, unpause),
			"-", "0 (always = 0) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3)", true, nil, ""},
		"unpause what says so": {evening, situation{size: 0, own: with(asleep(office), annotation.Paused, "false"), namespace: annotations{annotation.Paused: "true"}}, asked(t, unpause),
			"", `0 (always = 0) until Mon 2026-06-08 07:00 CEST (in 2d8h), then normal (3); its own "false" beats what its Namespace says, now and later`, true, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			now := c.now
			if now.IsZero() {
				now = friday
			}
			before := c.x.subject(t)
			kept := before.Object.DeepCopy()
			e, err := c.r.edit(target{subjects: []live.Subject{before}}, now)
			if err != nil || c.fault != "" {
				if err == nil || err.Error() != c.fault {
					t.Errorf("\n got %v\nwant %s", err, c.fault)
				}
				return
			}
			checkValue(t, e, c.value)
			o := c.r.outcome(e, now)
			if o.text != c.text {
				t.Errorf("\n got %s\nwant %s", o.text, c.text)
			}
			if o.counts != c.counts || !slices.Equal(o.warnings, c.warnings) {
				t.Errorf("counts is %v, want %v; warnings\n%s\nwant\n%s", o.counts, c.counts, strings.Join(o.warnings, "\n"), strings.Join(c.warnings, "\n"))
			}
			if !maps.Equal(before.Object.Annotations, kept.Annotations) {
				t.Error("the Deployment that was read has changed")
			}
		})
	}
}

// checkValue checks what is written: nothing, "-" for a removal, or a value.
func checkValue(t *testing.T, e edit, want string) {
	t.Helper()
	got := ""
	if !e.same {
		got = ptr.Deref(e.value, "-")
	}
	if got != want {
		t.Errorf("it writes %q, want %q", got, want)
	}
}

func TestNamespace(t *testing.T) {
	plain := annotations{annotation.Windows: office, annotation.Timezone: "Europe/Berlin"}
	others := []situation{
		{name: "a-web", size: 3, own: annotations{annotation.StatusKey: "{}"}},
		{name: "b-out", size: 2, own: annotations{annotation.Windows: "none"}},
		{name: "c-own", size: 2, own: annotations{annotation.OverrideKey: "2 until 2026-06-08T00:00:00+02:00"}},
		{name: "d-paused", size: 4, own: annotations{annotation.Paused: "true"}},
		{name: "e-bad", size: 5, own: annotations{annotation.Windows: "x"}},
		{name: "f-run-on", size: 5, own: annotations{annotation.Paused: "false"}},
	}
	for name, c := range map[string]struct {
		name        string
		annotations annotations
		r           request
		value, text string
		members     []string
		warnings    []string
		fault       string
	}{
		"sleep": {"team", plain, asked(t, sleep, "for", "2h"), "0 until 2026-06-05T21:30:13+02:00", "0 until Fri 2026-06-05 21:30:13 CEST (in 120m)", []string{
			"a-web: 0 until Fri 2026-06-05 21:30:13 CEST (in 120m), then 0 (always = 0) until Mon 2026-06-08 07:00 CEST",
			"b-out: 2 (opted out)",
			"c-own: 2 (by its own override) until Mon 2026-06-08 00:00 CEST (in 2d4h), then 0 (always = 0)",
			"d-paused: paused at 4",
			`e-bad: left at 5, for its annotations make no sense; annotation curfew/windows: line 1, column 1: "x": this is not a day of the week; the days are Mon Tue Wed Thu Fri Sat Sun`,
			"f-run-on: 0 until Fri 2026-06-05 21:30:13 CEST (in 120m), then 0 (always = 0) until Mon 2026-06-08 07:00 CEST",
		}, nil, ""},
		"until the next change": {"team", plain, asked(t, sleep), "0 until 2026-06-05T20:00:00+02:00", "0 until Fri 2026-06-05 20:00 CEST (in 29m)", nil, nil, ""},
		"wake what is awake": {"team", plain, asked(t, wake), "", "", nil, nil,
			"namespace/team: its rules ask for that already, and the objects in it may have others; say how long with --for 2h or --until 22:00"},
		"the zone of its rules":  {"team", annotations{annotation.Windows: "20:00-06:00 Asia/Tokyo = 0"}, asked(t, sleep, "until", "22:00"), "0 until 2026-06-06T22:00:00+09:00", "0 until Sat 2026-06-06 22:00 JST (in 19h)", nil, nil, ""},
		"its zone without rules": {"team", annotations{annotation.Timezone: "Asia/Tokyo"}, asked(t, sleep, "until", "22:00"), "0 until 2026-06-06T22:00:00+09:00", "0 until Sat 2026-06-06 22:00 JST (in 19h)", nil, nil, ""},
		"no rules": {"team", nil, asked(t, sleep), "", "", nil, nil,
			"namespace/team: it has no rules whose next change could end this; say how long with --for 2h or --until 22:00"},
		"hold": {"team", plain, asked(t, hold, "for", "2h"), "", "", nil, nil,
			"namespace/team: the objects in it have sizes of their own; say with --replicas which one to hold, such as --replicas 2"},
		"hold so many":   {"team", plain, asked(t, hold, "until", "22:00", "replicas", "50%"), "50% until 2026-06-05T22:00:00+02:00", "50% until Fri 2026-06-05 22:00 CEST (in 149m)", nil, nil, ""},
		"the same again": {"team", with(plain, annotation.OverrideKey, "0 until 2026-06-05T20:00:00Z"), asked(t, sleep, "until", "22:00"), "", "0 until Fri 2026-06-05 22:00 CEST (in 149m)", nil, nil, ""},
		"protected": {"kube-system", nil, asked(t, sleep, "for", "2h"), "0 until 2026-06-05T19:30:13Z", "0 until Fri 2026-06-05 19:30:13 UTC (in 120m)", []string{
			"a-web: 3 (no rules)",
			"b-out: 2 (opted out)",
			"c-own: 2 (by its own override) until Mon 2026-06-08 00:00 CEST (in 2d4h), then 2 (no rules)",
			"d-paused: 4 (no rules)",
			`e-bad: left at 5, for its annotations make no sense; annotation curfew/windows: line 1, column 1: "x": this is not a day of the week; the days are Mon Tue Wed Thu Fri Sat Sun`,
			"f-run-on: 5 (no rules)",
		},
			[]string{"nothing that this Namespace says reaches what is in it; name that instead"}, ""},
		"resume": {"team", with(plain, annotation.OverrideKey, "0 until 2026-06-05T20:00:00Z"), asked(t, resume), "-", "", []string{
			"a-web: normal (3) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0)",
			"b-out: 2 (opted out)",
			"c-own: 2 (by its own override) until Mon 2026-06-08 00:00 CEST (in 2d4h), then 0 (always = 0)",
			"d-paused: paused at 4",
			`e-bad: left at 5, for its annotations make no sense; annotation curfew/windows: line 1, column 1: "x": this is not a day of the week; the days are Mon Tue Wed Thu Fri Sat Sun`,
			"f-run-on: normal (5) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0)",
		}, nil, ""},
		"pause": {"team", plain, asked(t, pause), "true", "", []string{
			"a-web: stays at 3",
			"b-out: 2 (opted out)",
			"c-own: stays at 2",
			"d-paused: stays at 4",
			`e-bad: left at 5, for its annotations make no sense; annotation curfew/windows: line 1, column 1: "x": this is not a day of the week; the days are Mon Tue Wed Thu Fri Sat Sun`,
			"f-run-on: normal (5) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0); its own curfew/paused is nearer",
		}, nil, ""},
		"unpause": {"team", with(plain, annotation.Paused, "true"), asked(t, unpause), "-", "", []string{
			"a-web: normal (3) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0)",
			"b-out: 2 (opted out)",
			"c-own: 2 (by its own override) until Mon 2026-06-08 00:00 CEST (in 2d4h), then 0 (always = 0)",
			"d-paused: paused at 4; its own curfew/paused is nearer",
			`e-bad: left at 5, for its annotations make no sense; annotation curfew/windows: line 1, column 1: "x": this is not a day of the week; the days are Mon Tue Wed Thu Fri Sat Sun`,
			"f-run-on: normal (5) until Fri 2026-06-05 20:00 CEST (in 29m), then 0 (always = 0)",
		}, nil, ""},
		"unpause nothing": {"team", plain, asked(t, unpause), "", "", nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			to := target{namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.name, Annotations: c.annotations}}}
			for _, x := range others {
				if c.members == nil { // not what the case is about
					x.own = nil
				}
				if x.namespace = c.annotations; isProtected(c.name) {
					x.namespace = nil
				}
				to.subjects = append(to.subjects, x.subject(t))
			}
			e, err := c.r.edit(to, friday)
			if err != nil || c.fault != "" {
				if err == nil || err.Error() != c.fault {
					t.Errorf("\n got %v\nwant %s", err, c.fault)
				}
				return
			}
			checkValue(t, e, c.value)
			o := c.r.outcome(e, friday)
			if o.text != c.text || !slices.Equal(o.warnings, c.warnings) {
				t.Errorf("\n got %s\nwant %s\nwarnings %q", o.text, c.text, o.warnings)
			}
			if c.members != nil && !slices.Equal(o.members, c.members) {
				t.Errorf("\n got %s\nwant %s", strings.Join(o.members, "\n     "), strings.Join(c.members, "\n     "))
			}
		})
	}
}

// TestNobodyReached: a Namespace's override that no Deployment takes is warned of.
func TestNobodyReached(t *testing.T) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}
	night := asked(t, sleep, "for", "2h")
	for name, c := range map[string]struct {
		r    request
		in   []situation
		want int
	}{
		"empty":         {night, nil, 1},
		"opted out":     {night, []situation{{own: annotations{annotation.Windows: "none"}}}, 1},
		"one":           {night, []situation{{own: annotations{annotation.Windows: "none"}}, {name: "other"}}, 0},
		"paused anyway": {asked(t, pause), []situation{{own: with(awake(office), annotation.Paused, "false")}}, 1},
		"resumed":       {asked(t, resume), nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			to := target{namespace: namespace}
			for _, x := range c.in {
				to.subjects = append(to.subjects, x.subject(t))
			}
			e, err := c.r.edit(to, friday)
			if err != nil {
				t.Fatal(err)
			}
			if o := c.r.outcome(e, friday); len(o.warnings) != c.want {
				t.Errorf("warnings %q, want %d", o.warnings, c.want)
			}
		})
	}
}
