package kind

import (
	"encoding/json"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestCronJob(t *testing.T) {
	owned := func(manager string) []metav1.ManagedFieldsEntry {
		return []metav1.ManagedFieldsEntry{fields(manager, "", `{"f:spec":{"f:schedule":{},"f:suspend":{}}}`), fields("cron", "status", `{"f:status":{"f:suspend":{}}}`)}
	}
	for name, c := range map[string]struct {
		suspend *bool
		size    int32
	}{
		"absent":    {nil, 1},
		"running":   {ptr.To(false), 1},
		"suspended": {ptr.To(true), 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := CronJob.Of(&batchv1.CronJob{
				ObjectMeta: metav1.ObjectMeta{Name: "report", Generation: 7, ManagedFields: owned("helm")},
				Spec:       batchv1.CronJobSpec{Suspend: c.suspend},
			})
			if o.Size != c.size || !o.Up() || o.Unfit != "" || o.Writer.Manager != "helm" {
				t.Errorf("size %d, up %v, unfit %q, writer %v", o.Size, o.Up(), o.Unfit, o.Writer)
			}
			for size, want := range map[int32]string{0: `{"spec":{"suspend":true}}`, 1: `{"spec":{"suspend":false}}`} {
				patch := Patch{}
				o.Kind.Write(o, size, patch)
				if got, _ := json.Marshal(patch); string(got) != want {
					t.Errorf("%d is written as %s", size, got)
				}
			}
		})
	}
	if o := CronJob.Of(object(t, `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"report"},"spec":{"suspend":true}}`)); o.Size != 0 || o.Unfit != "" {
		t.Errorf("from a file: size %d, unfit %q", o.Size, o.Unfit)
	}
	if o := CronJob.Of(object(t, `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"report"},"spec":{"suspend":"yes"}}`)); o.Unfit == "" {
		t.Error("a word is taken for a size")
	}
}
