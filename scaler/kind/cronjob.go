package kind

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// CronJob is off while it is suspended. One that its owner has suspended has the normal size 0: it stays so and is not
// written. Of what else its spec says nothing is ever touched.
var CronJob = &Kind{
	Resource: batchv1.SchemeGroupVersion.WithResource("cronjobs"), Name: "CronJob",
	Sizer: cronJob{onOff{"a CronJob", "suspends"}}, Inherits: true,
}

type cronJob struct{ onOff }

// Read takes the size from spec.suspend.
func (cronJob) Read(from runtime.Object, o *Object) error {
	var c *batchv1.CronJob
	if err := as(from, &c); err != nil {
		return err
	}
	o.running(!ptr.Deref(c.Spec.Suspend, false))
	return nil
}

// Fields is spec.suspend.
func (cronJob) Fields() [][]string { return [][]string{{"f:spec", "f:suspend"}} }

// Write sets spec.suspend.
func (cronJob) Write(_ *Object, size int32, patch Patch) { patch.Set(size == off, "spec", "suspend") }
