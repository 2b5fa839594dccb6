package kind

import (
	"encoding/json"
	"strings"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

func autoscalerOf(least *int32, most int32, entries ...metav1.ManagedFieldsEntry) *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", ManagedFields: entries},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: least, MaxReplicas: most,
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}},
	}
}

func TestAutoscalerHasTwoSizes(t *testing.T) {
	for name, c := range map[string]struct {
		from        *autoscalingv2.HorizontalPodAutoscaler
		least, most int32
	}{
		"no minimum": {autoscalerOf(nil, 10), 1, 10},
		"both":       {autoscalerOf(ptr.To[int32](3), 10), 3, 10},
		"0":          {autoscalerOf(ptr.To[int32](0), 1), 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			o := Autoscaler.Of(c.from)
			if o.Unfit != "" || o.Size != c.least || o.Ceiling.Max != c.most || o.Target.String() != "Deployment shop/web" || !o.Up() {
				t.Errorf("%+v, %+v, %v", o, o.Ceiling, o.Target)
			}
			patch := Patch{}
			Autoscaler.Write(o, 12, patch)
			Autoscaler.Bounded().WriteMax(40, patch)
			if text, _ := json.Marshal(patch); string(text) != `{"spec":{"maxReplicas":40,"minReplicas":12}}` {
				t.Errorf("%s", text)
			}
		})
	}
}

// TestAutoscalerHasTwoWriters: who says anew what one end is says nothing of the other.
func TestAutoscalerHasTwoWriters(t *testing.T) {
	o := Autoscaler.Of(autoscalerOf(ptr.To[int32](3), 10,
		fields("curfew", "", `{"f:spec":{"f:minReplicas":{}}}`), fields("helm", "", `{"f:spec":{"f:maxReplicas":{}}}`)))
	if o.Writer != (decide.Writer{Manager: "curfew", Curfew: true}) || o.Ceiling.Writer != (decide.Writer{Manager: "helm"}) {
		t.Errorf("%+v, %+v", o.Writer, o.Ceiling.Writer)
	}
}

// TestFitsNot is what means nothing for a kind, and what does.
func TestFitsNot(t *testing.T) {
	const until = " until 2099-06-05T20:00:00Z"
	a := func(keysAndValues ...string) map[string]string {
		all := map[string]string{}
		for i := 0; i < len(keysAndValues); i += 2 {
			all[keysAndValues[i]] = keysAndValues[i+1]
		}
		return all
	}
	for name, c := range map[string]struct {
		kind      *Kind
		own       map[string]string
		namespace map[string]string
		want      []string // of the one problem; none: there is none
		harmless  bool
	}{
		"a range on an autoscaler":        {Autoscaler, a(annotation.Windows, "always = 12..40", annotation.Replicas, "3..10", annotation.Remembered, "3..10"), nil, nil, false},
		"0 on an autoscaler":              {Autoscaler, a(annotation.Windows, "Sat = 5; Sun = 0"), nil, []string{"curfew/windows", `column 16: "0"`, "cannot go to 0", "on its target"}, false},
		"a share of 0 on an autoscaler":   {Autoscaler, a(annotation.Windows, "Sun = 0%"), nil, []string{"cannot go to 0"}, false},
		"a range from 0":                  {Autoscaler, a(annotation.Windows, "Sun = 0..5"), nil, []string{"cannot go to 0"}, false},
		"an override of 0":                {Autoscaler, a(annotation.OverrideKey, "0"+until), nil, []string{"curfew/override", "on its target"}, true},
		"a normal 0":                      {Autoscaler, a(annotation.Replicas, "0"), nil, []string{"curfew/replicas", "on its target"}, false},
		"curfew/hpa on an autoscaler":     {Autoscaler, a(annotation.HPA, "floor"), nil, []string{"curfew/hpa", "put it on what one scales"}, false},
		"a range on a Deployment":         {Deployment, a(annotation.Windows, "always = 12..40"), nil, []string{"curfew/windows", `"12..40"`, "one size and no range", "on its HorizontalPodAutoscaler"}, false},
		"a range on a StatefulSet":        {StatefulSet, a(annotation.Windows, "always = 12..40"), nil, []string{"a StatefulSet has one size"}, false},
		"an override with a range":        {Deployment, a(annotation.OverrideKey, "1..2"+until), nil, []string{"curfew/override", "no range"}, true},
		"a normal range":                  {Deployment, a(annotation.Replicas, "3..10"), nil, []string{"curfew/replicas", "no range"}, false},
		"a remembered range":              {Deployment, a(annotation.Remembered, "3..10"), nil, []string{"curfew/remembered-replicas", "remove the annotation"}, false},
		"a Namespace's range":             {Deployment, nil, a(annotation.Windows, "always = 12..40"), nil, false},
		"a range for its autoscaler":      {Deployment, a(annotation.Windows, "always = 12..40", annotation.HPA, "floor"), nil, nil, false},
		"a normal range all the same":     {Deployment, a(annotation.Replicas, "3..10", annotation.HPA, "floor"), nil, []string{"curfew/replicas", "no range"}, false},
		"a CronJob has no autoscaler":     {CronJob, a(annotation.HPA, "floor"), nil, []string{"curfew/hpa", "does not scale a CronJob"}, false},
		"a range on a CronJob, said once": {CronJob, a(annotation.Windows, "always = 12..40"), nil, []string{"curfew/windows", "on or off"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			spec, problems := annotation.ParseIn(c.namespace, c.own, nil)
			own := func(key string) bool { _, ok := c.own[key]; return ok }
			problems = append(problems, c.kind.Fit(&spec, own)...)
			problems = append(problems, c.kind.FitBounds(&spec, own)...)
			if len(c.want) == 0 {
				if len(problems) > 0 {
					t.Error(problems)
				}
				return
			}
			if len(problems) != 1 || problems[0].Harmless != c.harmless {
				t.Fatalf("%d problems: %v", len(problems), problems)
			}
			for _, want := range c.want {
				if !strings.Contains(problems.Error(), want) {
					t.Errorf("%q does not say %q", problems, want)
				}
			}
		})
	}
}
