package observe

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// TestFloor is what an autoscaler does in the window of its target, at 21:00 UTC.
func TestFloor(t *testing.T) {
	type a = map[string]string
	const until = " until 2026-06-05T23:00:00Z"
	for name, c := range map[string]struct {
		target, namespace, own a
		unfit                  string // the autoscaler
		size                   int32  // that it is held at; 0: none
		state                  annotation.State
		says                   string
	}{
		"a size":                          {target: a{annotation.Windows: "20:00-22:00 = 5"}, size: 5, state: "window"},
		"a range":                         {target: a{annotation.Windows: "20:00-22:00 = 5..20"}, size: 5, state: "window"},
		"0 is normal":                     {target: a{annotation.Windows: "20:00-22:00 = 0"}, state: "normal"},
		"a share of 0 is normal":          {target: a{annotation.Windows: "20:00-22:00 = 0%"}, state: "normal"},
		"the target's zone":               {target: a{annotation.Windows: "23:00-24:00 = 5", annotation.Timezone: "Europe/Berlin"}, size: 5, state: "window"},
		"the Namespace's rules":           {namespace: a{annotation.Windows: "20:00-22:00 = 5"}, size: 5, state: "window"},
		"the target opts out":             {target: a{annotation.Windows: "none"}, namespace: a{annotation.Windows: "20:00-22:00 = 5"}},
		"an override":                     {target: a{annotation.OverrideKey: "6" + until}, size: 6, state: "override"},
		"an override of 0":                {target: a{annotation.Windows: "20:00-22:00 = 5", annotation.OverrideKey: "0" + until}, state: "override"},
		"the target is paused":            {target: a{annotation.Windows: "20:00-22:00 = 5", annotation.Paused: "true"}, state: "paused"},
		"the target is led":               {target: a{annotation.Windows: "21:10-22:00 = 5", annotation.Lead: "15m"}, size: 5, state: "window"},
		"the target's normal is its own":  {target: a{annotation.Windows: "08:00-09:00 = 5", annotation.Replicas: "7"}, state: "normal"},
		"it has rules of its own":         {target: a{annotation.Windows: "20:00-22:00 = 5"}, own: a{annotation.Windows: "20:00-22:00 = 4"}, size: 4, state: "window"},
		"it opts out":                     {target: a{annotation.Windows: "20:00-22:00 = 5"}, own: a{annotation.Windows: "none"}},
		"it has an override of its own":   {target: a{annotation.Windows: "20:00-22:00 = 5"}, own: a{annotation.OverrideKey: "4" + until}, size: 4, state: "override"},
		"its own override has run out":    {target: a{annotation.Windows: "20:00-22:00 = 5"}, own: a{annotation.OverrideKey: "4 until 2026-06-05T20:30:00Z"}, size: 5, state: "window"},
		"its own override is nearer":      {target: a{annotation.OverrideKey: "6" + until}, own: a{annotation.OverrideKey: "4" + until}, size: 4, state: "override"},
		"it goes on though its target is": {target: a{annotation.Windows: "20:00-22:00 = 5", annotation.Paused: "true"}, own: a{annotation.Paused: "false"}, size: 5, state: "window"},
		"the target has a mistake":        {target: a{annotation.Windows: "20-22 = 5"}, state: "invalid", says: "the Deployment web says, which has a mistake: annotation curfew/windows"},
		"it belongs to another":           {target: a{annotation.Windows: "20:00-22:00 = 5"}, unfit: "this belongs to a ScaledObject"},
		"the target asks by mistake":      {target: a{annotation.Windows: "20:00-22:00 = 5", annotation.HPA: "min"}, state: "invalid", says: "has a mistake: annotation curfew/hpa"},
	} {
		t.Run(name, func(t *testing.T) {
			target := &kind.Object{Kind: kind.Deployment, Size: 3, ObjectMeta: metav1.ObjectMeta{Name: "web", Annotations: a{annotation.HPA: annotation.Floor}}}
			for key, value := range c.target {
				target.Annotations[key] = value
			}
			o := &kind.Object{Kind: kind.Autoscaler, Size: 2, Ceiling: &decide.Ceiling{Max: 10}, Unfit: c.unfit,
				ObjectMeta: metav1.ObjectMeta{Name: "web", Annotations: c.own}}
			w := Floor(Workload(o, c.namespace, nil, Settings{}), o, target, c.namespace, Settings{})
			d := decide.Decide(w, time.Date(2026, 6, 5, 21, 0, 0, 0, time.UTC))
			switch {
			case d.Status.State != c.state || !strings.Contains(d.Status.Message, c.says):
				t.Errorf("%s, want %q", d.Status, c.state)
			case (d.Size == nil) != (c.size == 0) || d.Size != nil && *d.Size != c.size:
				t.Errorf("size %v in %s, want %d", d.Size, d.Status, c.size)
			}
		})
	}
}

// TestNoFloor: what does not ask for it is not heard.
func TestNoFloor(t *testing.T) {
	says := &kind.Object{Kind: kind.Deployment, ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{annotation.Windows: "always = 5"}}}
	o := &kind.Object{Kind: kind.Autoscaler}
	for name, target := range map[string]*kind.Object{"no word of it": says, "no target": nil} {
		if w := Floor(Workload(o, nil, nil, Settings{}), o, target, nil, Settings{}); w.Spec.Schedule != nil {
			t.Errorf("%s: %v", name, w.Spec.Schedule)
		}
	}
}

// TestFloorKeepsStep: where boundaries are spread, an autoscaler and its target have theirs at the same instant.
func TestFloorKeepsStep(t *testing.T) {
	target := &kind.Object{Kind: kind.Deployment, ObjectMeta: metav1.ObjectMeta{UID: "6b9b1a44-6f0d-4d3e-9a6b-0f3c7d1f2e10",
		Annotations: map[string]string{annotation.Windows: "always = 5", annotation.Spread: "10m", annotation.HPA: annotation.Floor}}}
	o := &kind.Object{Kind: kind.Autoscaler, ObjectMeta: metav1.ObjectMeta{UID: "e2f2b0c5-57cd-4d0b-8a43-8a1d6a2d9f01"}}
	w := Floor(Workload(o, nil, nil, Settings{}), o, target, nil, Settings{})
	if want := Workload(target, nil, nil, Settings{}).Shift; w.Shift != want || want == 0 {
		t.Errorf("its share is %v, and its target's %v", w.Shift, want)
	}
}
