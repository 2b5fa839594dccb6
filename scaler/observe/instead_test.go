package observe

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// TestLeftTo: never both a ScaledObject and what it scales.
func TestLeftTo(t *testing.T) {
	now := time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)
	type annotations = map[string]string
	rules := annotations{annotation.Windows: "always = 0"}
	by := func(name string, own annotations) *kind.Object {
		return &kind.Object{Kind: kind.ScaledObject, ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: own}}
	}
	unfit := func(o *kind.Object) *kind.Object {
		o.Unfit = "KEDA is paused"
		return o
	}
	const left = "the ScaledObject worker scales this Deployment and has rules or an override; say it there"
	for name, c := range map[string]struct {
		scalers   []*kind.Object
		namespace annotations
		want      string
	}{
		"none":                           {nil, rules, ""},
		"without rules":                  {[]*kind.Object{by("worker", nil)}, nil, ""},
		"with rules":                     {[]*kind.Object{by("worker", rules)}, nil, left},
		"with a mistake":                 {[]*kind.Object{by("worker", annotations{annotation.Windows: "8-20"})}, nil, left},
		"the first of several":           {[]*kind.Object{by("zebra", rules), by("worker", rules), by("ape", nil)}, nil, left},
		"inheriting rules":               {[]*kind.Object{by("worker", nil)}, rules, left},
		"inheriting none":                {[]*kind.Object{by("worker", nil)}, annotations{annotation.Windows: "none"}, ""},
		"inheriting no more than a zone": {[]*kind.Object{by("worker", nil)}, annotations{annotation.Timezone: "Europe/Berlin"}, ""},
		"opted out":                      {[]*kind.Object{by("worker", annotations{annotation.Windows: " None"})}, rules, ""},
		"overridden":                     {[]*kind.Object{by("worker", annotations{annotation.OverrideKey: "0 until 2026-06-05T12:00:01Z"})}, nil, left},
		"overridden though opted out":    {[]*kind.Object{by("worker", annotations{annotation.Windows: "none", annotation.OverrideKey: "0 until 2026-06-05T12:00:01Z"})}, nil, left},
		"overridden before":              {[]*kind.Object{by("worker", annotations{annotation.OverrideKey: "0 until 2026-06-05T12:00:00Z"})}, nil, ""},
		"overridden by nonsense":         {[]*kind.Object{by("worker", annotations{annotation.OverrideKey: "0"})}, nil, ""},
		"inheriting an override":         {[]*kind.Object{by("worker", nil)}, annotations{annotation.OverrideKey: "0 until 2026-06-05T12:00:01Z"}, left},
		"unfit, and inheriting rules":    {[]*kind.Object{unfit(by("worker", nil))}, rules, ""},
		"unfit, and with rules":          {[]*kind.Object{unfit(by("worker", rules))}, nil, left},
		"opted out of an override":       {[]*kind.Object{by("worker", annotations{annotation.Windows: "none"})}, annotations{annotation.OverrideKey: "0 until 2026-06-05T12:00:01Z"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := &kind.Object{Kind: kind.Deployment, Size: 3, ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
			got := LeftTo(o, c.scalers, c.namespace, now)
			if got.Unfit != c.want || o.Unfit != "" || got.Size != 3 || (got == o) != (c.want == "") {
				t.Errorf("%+v", got)
			}
		})
	}
	owned := &kind.Object{Kind: kind.Deployment, Unfit: "it belongs to somebody"}
	if got := LeftTo(owned, []*kind.Object{by("worker", rules)}, nil, now); got != owned {
		t.Errorf("%+v", got)
	}
}

// TestLeftToSaysSo: its own rules are a mistake, and those of its Namespace do not reach it.
func TestLeftToSaysSo(t *testing.T) {
	o := &kind.Object{Kind: kind.Deployment, Unfit: "the ScaledObject worker scales this"}
	if w := Workload(o, map[string]string{annotation.Windows: "always = 0"}, nil, Settings{}); w.Spec.Schedule != nil || len(w.Problems) > 0 {
		t.Errorf("inherited: %+v", w)
	}
	o.Annotations = map[string]string{annotation.Windows: "always = 0"}
	if w := Workload(o, nil, nil, Settings{}); !w.Problems.Grave() {
		t.Errorf("own: %+v", w)
	}
}
