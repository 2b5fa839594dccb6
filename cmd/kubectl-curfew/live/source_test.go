package live

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// TestSource: what counts of an annotation and of overrides, and whose it is.
func TestSource(t *testing.T) {
	now := time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)
	const later, later2, past = "2 until 2026-06-05T13:00:00Z", "1 until 2026-06-05T14:00:00Z", "3 until 2026-06-05T12:00:00Z"
	type annotations = map[string]string
	for name, c := range map[string]struct {
		own, namespace  annotations
		windows, during string
	}{
		"nothing":            {nil, nil, "", ""},
		"its own":            {annotations{annotation.Windows: "a", annotation.OverrideKey: later}, annotations{annotation.Windows: "b", annotation.OverrideKey: later2}, "a Deployment", later + " Deployment"},
		"the Namespace's":    {nil, annotations{annotation.Windows: "b", annotation.OverrideKey: later2}, "b Namespace", later2 + " Namespace"},
		"its own is over":    {annotations{annotation.OverrideKey: past}, annotations{annotation.OverrideKey: later2}, "", later2 + " Namespace"},
		"its own is wrong":   {annotations{annotation.OverrideKey: "x"}, annotations{annotation.OverrideKey: later2}, "", later2 + " Namespace"},
		"both are over":      {annotations{annotation.OverrideKey: past}, annotations{annotation.OverrideKey: past}, "", ""},
		"opted out of it":    {annotations{annotation.Windows: "none"}, annotations{annotation.OverrideKey: later2}, "none Deployment", ""},
		"opted out, its own": {annotations{annotation.Windows: "none", annotation.OverrideKey: later}, nil, "none Deployment", later + " Deployment"},
	} {
		t.Run(name, func(t *testing.T) {
			o := object(kind.Deployment, "x", "x")
			o.Annotations = c.own
			ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "x", Annotations: c.namespace}}
			s := NewSubjects([]Object{o}, Around{Namespaces: []*corev1.Namespace{ns}}, observe.Settings{})[0]
			said := func(value any, from Source) string {
				if from == "" {
					return ""
				}
				return fmt.Sprintf("%s %s", value, from)
			}
			if got := said(s.Annotation(annotation.Windows)); got != c.windows {
				t.Errorf("the rules are %q, want %q", got, c.windows)
			}
			if o, from := s.Override(now); said(o, from) != c.during {
				t.Errorf("the override is %q, want %q", said(o, from), c.during)
			}
		})
	}
	s := NewSubjects([]Object{object(kind.Deployment, "x", "x")}, Around{Namespaces: []*corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: "x", Annotations: map[string]string{annotation.Replicas: "3"}}}}}, observe.Settings{})[0]
	if _, from := s.Annotation(annotation.Replicas); from != "" {
		t.Error("a Namespace gives every Deployment in it a normal size")
	}
}
