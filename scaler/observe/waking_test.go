package observe

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestWoken(t *testing.T) {
	at := time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)
	entry := func(manager, subresource string) metav1.ManagedFieldsEntry {
		e := fields(manager, subresource, ownsSize)
		e.Time = &metav1.Time{Time: at}
		return e
	}
	for name, c := range map[string]struct {
		size   *int32
		owners []metav1.ManagedFieldsEntry
		want   time.Time
	}{
		"by Curfew":         {ptr.To[int32](2), []metav1.ManagedFieldsEntry{entry(FieldManager, "")}, at},
		"asleep":            {ptr.To[int32](0), []metav1.ManagedFieldsEntry{entry(FieldManager, "")}, time.Time{}},
		"the default size":  {nil, []metav1.ManagedFieldsEntry{entry(FieldManager, "")}, at},
		"by somebody":       {ptr.To[int32](2), []metav1.ManagedFieldsEntry{entry("helm", "")}, time.Time{}},
		"by an autoscaler":  {ptr.To[int32](2), []metav1.ManagedFieldsEntry{entry("kube-controller-manager", "scale")}, time.Time{}},
		"by several":        {ptr.To[int32](2), []metav1.ManagedFieldsEntry{entry(FieldManager, ""), entry("helm", "")}, time.Time{}},
		"nobody knows when": {ptr.To[int32](2), []metav1.ManagedFieldsEntry{fields(FieldManager, "", ownsSize)}, time.Time{}},
		"nobody knows who":  {ptr.To[int32](2), nil, time.Time{}},
	} {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{ManagedFields: c.owners}, Spec: appsv1.DeploymentSpec{Replicas: c.size}}
		if got := Woken(d); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestUp(t *testing.T) {
	for name, c := range map[string]struct {
		size             *int32
		generation, seen int64
		available        int32
		want             bool
	}{
		"up":                             {ptr.To[int32](2), 3, 3, 2, true},
		"more than it asks for":          {ptr.To[int32](2), 3, 3, 4, true},
		"one is missing":                 {ptr.To[int32](2), 3, 3, 1, false},
		"its controller has not seen it": {ptr.To[int32](2), 3, 2, 2, false},
		"the default size":               {nil, 1, 1, 0, false},
		"asleep":                         {ptr.To[int32](0), 1, 1, 0, true},
	} {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: c.generation}, Spec: appsv1.DeploymentSpec{Replicas: c.size}}
		d.Status.ObservedGeneration, d.Status.AvailableReplicas = c.seen, c.available
		if got := Up(d); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
