package timeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/live/livetest"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// monday is the start of the week in which the tests look, and wednesday is when they do.
var (
	monday    = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	wednesday = time.Date(2026, 6, 3, 12, 0, 0, 0, time.UTC)
	old       = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

type annotations = map[string]string

// subject is a Deployment as live would have it.
func subject(namespace, name string, size int32, created time.Time, own annotations, more ...func(*decide.Workload)) live.Subject {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Annotations: own, CreationTimestamp: metav1.NewTime(created)}}
	d.Spec.Replicas = &size
	o := kind.Deployment.Of(d)
	w := observe.Workload(o, nil, nil, observe.Settings{})
	for _, change := range more {
		change(&w)
	}
	return live.Subject{Object: live.Object{Object: o}, Workload: w, Zone: w.Spec.Zone}
}

func byManifest(w *decide.Workload) { w.Writer = decide.Writer{Manager: "kubectl-client-side-apply"} }

func byCurfew(w *decide.Workload) { w.Writer = decide.Writer{Manager: "curfew", Curfew: true} }

// week is the model of that week.
func week(t *testing.T, subjects ...live.Subject) Model {
	t.Helper()
	m, err := Make(subjects, View{Range: Week}, wednesday, false)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// said is a row in words: when each span starts, in UTC, what it is, and its size.
func said(row Row) []string {
	var all []string
	for _, s := range row.Spans {
		size := fmt.Sprint(s.Size)
		if s.Max > 0 {
			size += fmt.Sprintf("..%d", s.Max)
		}
		all = append(all, fmt.Sprintf("%s %s %s", time.Unix(s.At, 0).UTC().Format("Mon 15:04"), s.Kind, size))
	}
	return all
}

func TestEveryKind(t *testing.T) {
	const days = "Tue 12:00 - Thu 12:00 = "
	for name, c := range map[string]struct {
		subject live.Subject
		want    []string
		texts   []string // each is the start of one
		saved   int64    // in replica-hours
	}{
		"down": {subject("a", "w", 0, old, annotations{annotation.Windows: days + "0", annotation.Remembered: "3"}, byCurfew),
			[]string{"Mon 00:00 normal 3", "Tue 12:00 down 0", "Thu 12:00 normal 3"}, []string{days + "0"}, 3 * 48},
		"a share": {subject("a", "w", 3, old, annotations{annotation.Windows: days + "50%"}, byManifest),
			[]string{"Mon 00:00 normal 3", "Tue 12:00 down 2", "Thu 12:00 normal 3"}, []string{days + "50%"}, 48},
		"scaled up": {subject("a", "w", 3, old, annotations{annotation.Windows: days + "5", annotation.Replicas: "3"}, byManifest),
			[]string{"Mon 00:00 normal 3", "Tue 12:00 up 5", "Thu 12:00 normal 3"}, []string{days + "5"}, -2 * 48},
		"as big as normal": {subject("a", "w", 3, old, annotations{annotation.Windows: days + "3"}, byManifest),
			[]string{"Mon 00:00 normal 3", "Tue 12:00 normal 3", "Thu 12:00 normal 3"}, []string{days + "3"}, 0},
		"an override beats the rules from now on": {subject("a", "w", 0, old,
			annotations{annotation.Windows: days + "0", annotation.OverrideKey: "4 until 2026-06-04T00:00:00Z", annotation.Remembered: "3"}, byCurfew),
			[]string{"Mon 00:00 normal 3", "Tue 12:00 down 0", "Wed 12:00 override 4", "Thu 00:00 down 0", "Thu 12:00 normal 3"}, []string{days + "0"}, 3*36 - 12},
		"an override alone": {subject("a", "w", 3, old, annotations{annotation.OverrideKey: "0 until 2026-06-04T00:00:00Z"}, byManifest),
			[]string{"Mon 00:00 alone 3", "Wed 12:00 override 0", "Thu 00:00 alone 3"}, nil, 3 * 12},
		"paused in a window": {subject("a", "w", 0, old, annotations{annotation.Windows: days + "0", annotation.Paused: "true", annotation.Remembered: "3",
			annotation.StatusKey: `{"state":"paused","size":0,"normal":3}`}, byCurfew),
			[]string{"Mon 00:00 normal 3", "Tue 12:00 down 0", "Wed 12:00 paused 0"}, []string{days + "0"}, 3 * 132},
		"invalid": {subject("a", "w", 3, old, annotations{annotation.Windows: "Mon-Fri 8-20 = 0"}, byManifest),
			[]string{"Mon 00:00 invalid 3"}, []string{"annotation curfew/windows: line 1"}, 0},
		"invalid while it is down": {subject("a", "w", 0, old, annotations{annotation.Windows: "Mon-Fri 8-20 = 0", annotation.Replicas: "3"}, byCurfew),
			[]string{"Mon 00:00 invalid 3", "Wed 12:00 invalid 0"}, []string{"annotation curfew/windows: line 1"}, 3 * 108},
		"an unknown key is harmful": {subject("a", "w", 3, old, annotations{annotation.Windows: days + "0", "curfew/window": "x"}, byManifest),
			[]string{"Mon 00:00 invalid 3"}, []string{"annotation curfew/window: there is no such"}, 0},
		"waiting": {subject("a", "w", 3, wednesday.Add(-time.Hour), annotations{annotation.Windows: days + "0", annotation.Grace: "3h"}, byManifest),
			[]string{"Wed 11:00 waiting 3", "Wed 14:00 down 0", "Thu 12:00 normal 3"}, []string{"new, and left", days + "0"}, 3 * 22},
		"contested until something else is asked for": {subject("a", "w", 3, old, annotations{annotation.Windows: days + "0",
			annotation.Remembered: "3", annotation.StatusKey: `{"state":"contested","size":0,"normal":3,"rule":"` + days + `0","message":"\"helm\" keeps changing the size"}`}, byCurfew),
			[]string{"Mon 00:00 normal 3", "Tue 12:00 down 0", "Wed 12:00 contested 0", "Thu 12:00 normal 3"}, []string{days + "0", `"helm" keeps`}, 3 * 48},
		"opted out": {subject("a", "w", 3, old, annotations{annotation.Windows: "none"}, byManifest), []string{"Mon 00:00 alone 3"}, nil, 0},
		"created on Tuesday": {subject("a", "w", 3, monday.AddDate(0, 0, 1), annotations{annotation.Windows: days + "0"}, byManifest),
			[]string{"Tue 00:00 normal 3", "Tue 12:00 down 0", "Thu 12:00 normal 3"}, []string{days + "0"}, 3 * 48},
		"normal by rule and size given": {subject("a", "w", 7, old, annotations{annotation.Windows: "always = normal", annotation.Replicas: "2"}, byManifest),
			[]string{"Mon 00:00 normal 2"}, []string{"always = normal"}, 0},
		"an autoscaler's": {subject("a", "w", 5, old, annotations{annotation.Windows: days + "2"}, func(w *decide.Workload) { w.Autoscaler = &decide.Autoscaler{Name: "hpa", Min: 1} }),
			[]string{"Mon 00:00 normal 5", "Tue 12:00 normal 5", "Thu 12:00 normal 5"}, []string{days + "2", "the HorizontalPodAutoscaler hpa owns"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := week(t, c.subject)
			row := m.Groups[0].Rows[0]
			if got := said(row); !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
			if !slices.EqualFunc(row.Texts, c.texts, strings.HasPrefix) {
				t.Errorf("texts are %q", row.Texts)
			}
			if row.Saved != c.saved*3600 || m.Saved != row.Saved || m.Groups[0].Sum != row.Sum {
				t.Errorf("saved %v h, want %v; the group's %v, all %v", float64(row.Saved)/3600, c.saved, m.Groups[0].Sum, m.Sum)
			}
		})
	}
}

// TestOtherKinds: what is on or off, and what has a minimum and a maximum, has bars of its own and is in no sum.
func TestOtherKinds(t *testing.T) {
	const days = "Tue 12:00 - Thu 12:00 = "
	for name, c := range map[string]struct {
		scene livetest.Scene
		want  []string
		row   string // kind, size, maximum and the same of normal, switch, uncounted, saved
	}{
		"a StatefulSet": {livetest.Scene{Kind: kind.StatefulSet, Size: 3, Own: annotations{annotation.Windows: days + "0", annotation.Replicas: "3"}, Age: 30 * 24 * time.Hour},
			[]string{"Mon 00:00 normal 3", "Tue 12:00 down 0", "Thu 12:00 normal 3"}, "StatefulSet 3 0 3 0 false false 144"},
		"a CronJob": {livetest.Scene{Kind: kind.CronJob, Size: 1, Own: annotations{annotation.Windows: days + "0"}, Age: 30 * 24 * time.Hour},
			[]string{"Mon 00:00 normal 1", "Tue 12:00 down 0", "Thu 12:00 normal 1"}, "CronJob 1 0 1 0 true true 0"},
		"a CronJob that its owner has suspended": {livetest.Scene{Kind: kind.CronJob, Size: 0, Own: annotations{annotation.Windows: days + "0"}, Age: 30 * 24 * time.Hour},
			[]string{"Mon 00:00 normal 0", "Tue 12:00 normal 0", "Thu 12:00 normal 0"}, "CronJob 0 0 0 0 true true 0"},
		"an autoscaler": {livetest.Scene{Kind: kind.Autoscaler, Size: 3, Max: 10, Own: annotations{annotation.Windows: days + "5"}, Age: 30 * 24 * time.Hour},
			[]string{"Mon 00:00 normal 3..10", "Tue 12:00 up 5..10", "Thu 12:00 normal 3..10"}, "HorizontalPodAutoscaler 3 10 3 10 false true 0"},
		"an autoscaler's maximum alone": {livetest.Scene{Kind: kind.Autoscaler, Size: 3, Max: 10, Own: annotations{annotation.Windows: days + "3..5"}, Age: 30 * 24 * time.Hour},
			[]string{"Mon 00:00 normal 3..10", "Tue 12:00 down 3..5", "Thu 12:00 normal 3..10"}, "HorizontalPodAutoscaler 3 10 3 10 false true 0"},
	} {
		t.Run(name, func(t *testing.T) {
			row := week(t, c.scene.Subject(wednesday)).Groups[0].Rows[0]
			if got := said(row); !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
			got := fmt.Sprint(row.Kind, " ", row.Size, " ", row.Max, " ", row.Normal, " ", row.NormalMax, " ", row.Switch, " ", row.Uncounted, " ", row.Saved/3600)
			if got != c.row {
				t.Errorf("the row is %s, want %s", got, c.row)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	for _, state := range annotation.States() {
		want := Kind(state)
		if state == annotation.StateWindow {
			want = KindDown
		}
		if got := kindOf(decide.Span{State: state}, 3, 0); got != want {
			t.Errorf("%s looks %s", state, got)
		}
	}
}

// Before and after a view that now is in, no override is forgotten that is still to come, and none is made up.
func TestOtherWeeks(t *testing.T) {
	s := subject("a", "w", 0, old, annotations{annotation.Windows: "Sat,Sun = 0", annotation.Remembered: "3", annotation.OverrideKey: "5 until 2026-06-10T00:00:00Z"}, byCurfew)
	for from, want := range map[string][]string{
		"2026-05-25": {"Mon 00:00 normal 3", "Sat 00:00 down 0"},
		"2026-06-08": {"Mon 00:00 override 5", "Wed 00:00 normal 3", "Sat 00:00 down 0"},
		"2026-06-15": {"Mon 00:00 normal 3", "Sat 00:00 down 0"},
		"2025-06-16": nil, // it was not there yet
	} {
		m, err := Make([]live.Subject{s}, View{Range: Week, From: from}, wednesday, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := said(m.Groups[0].Rows[0]); !slices.Equal(got, want) {
			t.Errorf("from %s\n got %q\nwant %q", from, got, want)
		}
	}
}

// What nobody touches stays as it is.
func TestAsItStandsInOtherWeeks(t *testing.T) {
	for want, own := range map[string]annotations{
		"Mon 00:00 paused 1":  {annotation.Windows: "Sat,Sun = 0", annotation.Remembered: "3", annotation.Paused: "true"},
		"Mon 00:00 invalid 1": {annotation.Windows: "Sat,Sun", annotation.Replicas: "3"},
	} {
		m, err := Make([]live.Subject{subject("a", "w", 1, old, own, byCurfew)}, View{Range: Week, From: "2026-06-08"}, wednesday, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := said(m.Groups[0].Rows[0]); !slices.Equal(got, []string{want}) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Days start where most workloads have theirs, of those that are shown.
func TestUsualZone(t *testing.T) {
	in := func(zone string) live.Subject {
		return subject("a", zone, 1, old, annotations{annotation.Windows: "Sat = 0", annotation.Timezone: zone})
	}
	none := subject("a", "none", 1, old, nil)
	for want, subjects := range map[string][]live.Subject{
		"UTC":           {none},
		"Asia/Tokyo":    {none, none, in("Asia/Tokyo")},
		"Europe/Berlin": {in("Asia/Tokyo"), in("Europe/Berlin"), in("Europe/Berlin"), in("UTC")},
		"Africa/Cairo":  {in("Asia/Tokyo"), in("Africa/Cairo")}, // whatever the order
	} {
		if got := week(t, subjects...).Zone; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestGroups(t *testing.T) {
	rules := annotations{annotation.Windows: "always = 0", annotation.Replicas: "1"}
	m := week(t, subject("a", "x", 0, old, rules), subject("a", "y", 0, old, rules), subject("b", "none", 2, old, nil), subject("c", "z", 0, old, rules))
	var got []string
	for _, g := range m.Groups {
		for _, r := range g.Rows {
			got = append(got, g.Namespace+"/"+r.Name)
		}
	}
	if fmt.Sprint(got) != "[a/x a/y c/z]" || m.Others != 1 {
		t.Errorf("%v, %d others", got, m.Others)
	}
	if hours := int64(7 * 24 * 3600); m.Sum != (Sum{3 * hours, 3 * hours}) || m.Groups[0].Sum != (Sum{2 * hours, 2 * hours}) {
		t.Errorf("sums %v and %v", m.Sum, m.Groups[0].Sum)
	}
	all, err := Make([]live.Subject{subject("b", "none", 2, old, nil)}, View{Range: Week}, wednesday, true)
	if err != nil || len(all.Groups) != 1 || all.Groups[0].Rows[0].Spans[0].Kind != KindAlone {
		t.Errorf("one that was named is not shown: %+v, %v", all, err)
	}
}

// A page must not hold more changes than anybody can see, nor a sum that leaves some of them out without a word.
func TestTooManyChanges(t *testing.T) {
	m := week(t, subject("a", "w", 3, old, annotations{annotation.Windows: "cron(* * * * *) for 30s = 0"}, byManifest))
	row := m.Groups[0].Rows[0]
	if got := row.Spans[mostSpans].At; got != monday.Unix()+mostSpans*30 || m.Sum != (Sum{}) {
		t.Errorf("they end at %v; the sum is %v", time.Unix(got, 0), m.Sum)
	}
	if last := row.Spans[len(row.Spans)-1]; !row.Cut || len(row.Spans) != mostSpans+1 || last.Kind != KindUnknown {
		t.Errorf("cut %v, %d spans, the last %+v", row.Cut, len(row.Spans), last)
	}
}

// What the page is given of an object is what it shows, and safe to look at.
func TestModelGivesNothingAway(t *testing.T) {
	s := subject("a", "w", 3, old, annotations{
		annotation.Windows: "always = 0", annotation.OverrideKey: "\u202e\x1b[31m<script>alert(1)</script>" + strings.Repeat("x", 5000),
		"kubectl.kubernetes.io/last-applied-configuration": "hunter2",
	}, byManifest)
	s.Workload.Status = annotation.Status{State: annotation.StateContested, Message: "\u202e\x1b" + strings.Repeat("x", 5000)}
	s.Object.Labels = map[string]string{"key": "hunter2"}
	s.Object.Raw = &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"password": "hunter2"}}}
	s.Object.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "hunter2"}}
	text, err := json.Marshal(week(t, s))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"hunter2", "<", "\u202e", "\x1b", strings.Repeat("x", 700)} {
		if strings.Contains(string(text), bad) {
			t.Errorf("%q is in %s", bad, text)
		}
	}
}

func TestSumOf(t *testing.T) {
	spans := []Span{{At: 0, Size: 3}, {At: 3600, Size: 0}, {At: 7200, Size: 5}, {At: 9000, Size: 1}}
	if got := sumOf(spans, 3, time.Unix(10800, 0)); got != (Sum{3*3600 - 2*1800 + 2*1800, 3 * 10800}) {
		t.Errorf("%+v", got)
	}
	if got := sumOf(nil, 3, time.Unix(10800, 0)); got != (Sum{}) {
		t.Errorf("nothing saves %+v", got)
	}
}

func BenchmarkMake(b *testing.B) {
	var subjects []live.Subject
	for i := range 1000 {
		subjects = append(subjects, subject("a", fmt.Sprint("w", i), 3, old, annotations{annotation.Windows: "Mon-Fri 07:00-20:00 = normal; always = 0", annotation.Timezone: "Europe/Berlin"}, byManifest))
	}
	for _, r := range Ranges() {
		b.Run(r, func(b *testing.B) {
			for b.Loop() {
				m, err := Make(subjects, View{Range: r}, wednesday, false)
				if err != nil {
					b.Fatal(err)
				}
				text, err := json.Marshal(m)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(text)), "bytes")
			}
		})
	}
}

// Bars begin where lead and spread move the boundaries to, in the past and in the future.
func TestMovedBars(t *testing.T) {
	own := annotations{annotation.Windows: "Tue,Thu 20:00-06:00 = 0; Tue,Thu 12:00-14:00 = normal", annotation.Lead: "1h", annotation.Replicas: "3"}
	m := week(t, subject("a", "web", 3, old, own, func(w *decide.Workload) { w.Shift = 10 * time.Minute }))
	got, want := fmt.Sprint(said(m.Groups[0].Rows[0])), "[Mon 00:00 normal 3 Tue 20:10 down 0 Wed 05:10 normal 3 Thu 20:10 down 0 Fri 05:10 normal 3]"
	if got != want {
		t.Errorf("bars are\n%s, want\n%s", got, want)
	}
}
