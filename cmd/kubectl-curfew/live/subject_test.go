package live

import (
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

func TestSubjects(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	const night = "20:00-06:00 = 0"
	created := time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)
	namespaces := []*corev1.Namespace{
		{ObjectMeta: metav1.ObjectMeta{Name: "shop", Annotations: map[string]string{annotation.Windows: night, annotation.Timezone: "Europe/Rome", "other": "x"}}},
		{ObjectMeta: metav1.ObjectMeta{Name: "quiet", Annotations: map[string]string{annotation.Timezone: "Europe/Rome"}}},
		{ObjectMeta: metav1.ObjectMeta{Name: "kube-system", Annotations: map[string]string{annotation.Windows: night}}},
	}
	hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}
	hpa.Spec.ScaleTargetRef.Kind, hpa.Spec.ScaleTargetRef.Name = "Deployment", "web"
	for name, c := range map[string]struct {
		namespace, name string
		own             map[string]string
		concerned       bool
		zone            string
		grace           time.Duration
		autoscaled      bool
	}{
		"inherits":                           {"shop", "web", nil, true, "Europe/Rome", 0, true},
		"has its own":                        {"shop", "db", map[string]string{annotation.Windows: night, annotation.Timezone: "Asia/Tokyo"}, true, "Asia/Tokyo", 0, false},
		"opted out":                          {"shop", "db", map[string]string{annotation.Windows: "none"}, true, "Europe/Rome", 0, false},
		"the Namespace's zone without rules": {"quiet", "web", nil, false, "Europe/Rome", 0, false},
		"a protected Namespace":              {"kube-system", "dns", nil, false, "Asia/Tokyo", 0, false},
		"a Namespace nobody can see":         {"dark", "web", nil, false, "Asia/Tokyo", 0, false},
		"the zone of all its rules":          {"dark", "web", map[string]string{annotation.Windows: "20:00-06:00 Europe/Oslo = 0"}, true, "Europe/Oslo", 0, false},
		"new by the controller's flag": {"dark", "web", map[string]string{annotation.Windows: night,
			annotation.StatusKey: `{"state":"waiting","until":"2026-06-05T12:15:00Z"}`}, true, "Asia/Tokyo", 15 * time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := object(kind.Deployment, c.namespace, c.name)
			o.Annotations, o.CreationTimestamp = c.own, metav1.NewTime(created)
			s := subjects([]Object{o}, Around{Namespaces: namespaces, Autoscalers: []*autoscalingv2.HorizontalPodAutoscaler{hpa}}, observe.Settings{Zone: tokyo})[0]
			if s.Concerned() != c.concerned || s.Zone.String() != c.zone || s.Workload.Grace != c.grace || (s.Workload.Autoscaler != nil) != c.autoscaled {
				t.Errorf("concerned %v, zone %v, grace %v, autoscaler %v", s.Concerned(), s.Zone, s.Workload.Grace, s.Workload.Autoscaler)
			}
		})
	}
}
