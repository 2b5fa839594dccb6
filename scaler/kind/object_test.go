package kind

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestOf(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 6, 5, 6, 0, 0, 0, time.UTC))
	by := func(manager string) func(*appsv1.Deployment) {
		return func(d *appsv1.Deployment) {
			e := fields(manager, "", ownsSize)
			e.Time = &at
			d.ManagedFields = append(d.ManagedFields, e)
		}
	}
	size := func(size *int32) func(*appsv1.Deployment) {
		return func(d *appsv1.Deployment) { d.Spec.Replicas = size }
	}
	status := func(generation, seen int64, available int32) func(*appsv1.Deployment) {
		return func(d *appsv1.Deployment) {
			d.Generation, d.Status.ObservedGeneration, d.Status.AvailableReplicas = generation, seen, available
		}
	}
	type changes = []func(*appsv1.Deployment)
	for name, c := range map[string]struct {
		changes changes
		size    int32
		up      bool
		woken   time.Time
	}{
		"no size":                 {changes{size(nil)}, 1, false, time.Time{}},
		"up":                      {changes{status(1, 1, 3)}, 3, true, time.Time{}},
		"more than it asks for":   {changes{status(2, 2, 5)}, 3, true, time.Time{}},
		"not all":                 {changes{status(1, 1, 2)}, 3, false, time.Time{}},
		"not seen yet":            {changes{status(2, 1, 3)}, 3, false, time.Time{}},
		"woken":                   {changes{by("curfew")}, 3, false, at.Time},
		"somebody else's":         {changes{by("helm")}, 3, false, time.Time{}},
		"somebody else's as well": {changes{by("curfew"), by("helm")}, 3, false, time.Time{}},
		"put to sleep":            {changes{size(ptr.To[int32](0)), by("curfew")}, 0, true, time.Time{}},
		"woken without a date at all": {changes{func(d *appsv1.Deployment) {
			d.ManagedFields = []metav1.ManagedFieldsEntry{fields("curfew", "", ownsSize)}
		}}, 3, false, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](3)}}
			for _, change := range c.changes {
				change(d)
			}
			if o := Deployment.Of(d); o.Size != c.size || o.Up() != c.up || !o.Woken.Equal(c.woken) {
				t.Errorf("size %d, up %v, woken %v", o.Size, o.Up(), o.Woken)
			}
		})
	}
}
