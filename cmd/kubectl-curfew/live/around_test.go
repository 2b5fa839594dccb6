package live

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// TestLeft: what a ScaledObject scales is left to it, as far as Curfew is known to look after that.
func TestLeft(t *testing.T) {
	const left = "the ScaledObject worker scales this Deployment and has rules or an override; say it there"
	now := time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		scaler    map[string]string
		namespace map[string]string
		want      string
	}{
		"with rules":                             {map[string]string{annotation.Windows: "always = 0"}, nil, left},
		"without":                                {nil, nil, ""},
		"it inherits, and Curfew has noted that": {map[string]string{annotation.StatusKey: "{}"}, map[string]string{annotation.Windows: "always = 0"}, left},
		"it would inherit, if Curfew saw it":     {nil, map[string]string{annotation.Windows: "always = 0"}, ""},
		"opted out":                              {map[string]string{annotation.Windows: "none"}, nil, ""},
		"an override":                            {map[string]string{annotation.OverrideKey: "0 until 2026-06-05T13:00:00Z"}, nil, left},
		"one that has run out":                   {map[string]string{annotation.OverrideKey: "0 until 2026-06-05T11:00:00Z"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"scaleTargetRef": map[string]any{"name": "web"}}}}
			u.SetGroupVersionKind(kind.ScaledObject.GroupVersionKind())
			u.SetNamespace("a")
			u.SetName("worker")
			u.SetAnnotations(c.scaler)
			around := Around{Now: now, Namespaces: []*corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: c.namespace}}}, Others: []*kind.Object{Read(kind.ScaledObject, u).Object}}
			got := subjects([]Object{object(kind.Deployment, "a", "web"), object(kind.Deployment, "a", "other")}, around, observe.Settings{})
			if got[1].Object.Unfit != c.want || got[0].Object.Unfit != "" {
				t.Errorf("web %q, other %q", got[1].Object.Unfit, got[0].Object.Unfit)
			}
		})
	}
}

// TestFlagged: what the controller was told by its flags is known as far as it has said so.
func TestFlagged(t *testing.T) {
	for status, want := range map[string]string{
		"": "0s true",
		`{"state":"waiting","until":"1970-01-01T00:15:00Z"}`:                                             "15m0s true",
		`{"state":"window","message":"put horizontalpodautoscalers.autoscaling among Curfew's --kinds"}`: "0s false",
	} {
		o := object(kind.Deployment, "a", "web").Object
		o.CreationTimestamp.Time = time.Unix(0, 0)
		o.Annotations = map[string]string{annotation.StatusKey: status}
		got := flagged(o, observe.Settings{})
		if is := fmt.Sprint(got.Grace, " ", got.Floors); is != want {
			t.Errorf("%s: %s, want %s", status, is, want)
		}
	}
}
