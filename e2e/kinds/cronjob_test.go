package kinds_test

import (
	"fmt"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"curfew/e2e/harness"
)

// yearly is a CronJob that nobody will see at work, unless it has missed its turn.
func yearly(name string) any {
	template := harness.NewDeployment(name, 1, nil).Spec.Template
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	return &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.CronJobSpec{
		Schedule: "0 0 1 1 *", TimeZone: ptr.To("Etc/UTC"), ConcurrencyPolicy: batchv1.ForbidConcurrent,
		SuccessfulJobsHistoryLimit: ptr.To[int32](7),
		JobTemplate:                batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template}},
	}}
}

// TestNoJobStartsInAWindow: Kubernetes' own controller starts the Job of a CronJob
// that has missed its turn at once, but while a window holds; and at once after it,
// though nothing but spec.suspend was ever touched.
func TestNoJobStartsInAWindow(t *testing.T) {
	t.Parallel()
	s := newStage(t, rowOf("CronJob"))
	s.lead()
	before := s.create("held", s.open())
	s.create("free", nil)
	s.awaitSize("held", s.asleep)
	turn := time.Date(time.Now().UTC().Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	missed := patch{"status", fmt.Sprintf(`{"status":{"lastScheduleTime":%q}}`, turn.AddDate(-1, 0, 0).Format(time.RFC3339))}
	s.patch("held", missed)
	s.patch("free", missed)
	jobs := batchv1.SchemeGroupVersion.WithResource("jobs")
	job := func(name string) string { return fmt.Sprintf("%s-%d", name, turn.Unix()/60) }
	awaitJob := func(name string) {
		t.Helper()
		_, err := s.cluster.AwaitObject(s.ctx, jobs, s.namespace, job(name), "the Job "+job(name), func(*unstructured.Unstructured) bool { return true })
		s.must(err)
	}
	awaitJob("free")
	s.settle()
	all, err := s.cluster.Client.BatchV1().Jobs(s.namespace).List(s.ctx, metav1.ListOptions{})
	s.must(err)
	if len(all.Items) != 1 {
		t.Fatalf("while a window holds there are %d Jobs: %+v", len(all.Items), all.Items)
	}
	s.annotate("held", harness.Windows, "none")
	awaitJob("held")
	s.wrote("held", 2)
	s.unchanged(before)
}

// TestSuspendedStaysSuspended: who has suspended a CronJob is not overruled by the
// end of a window; who resumes it in a window is, until that ends.
func TestSuspendedStaysSuspended(t *testing.T) {
	t.Parallel()
	s := newStage(t, rowOf("CronJob"))
	s.inherits()
	s.lead()
	suspended := func(u *unstructured.Unstructured) {
		s.must(unstructured.SetNestedField(u.Object, true, "spec", "suspend"))
	}
	for name, then := range map[string]struct {
		patch   string
		resized int
		size    string
	}{
		"left":    {"", 0, "true"},
		"resumed": {`{"spec":{"suspend":false}}`, 2, "false"},
	} {
		before := s.createAs(name, s.open(), suspended)
		s.awaitState(name, "window")
		if then.patch != "" {
			s.patch(name, patch{"", then.patch})
			s.awaitEvent(name, "DriftCorrected")
			s.awaitSize(name, s.asleep)
		}
		s.annotate(name, harness.Windows, "none")
		s.awaitSize(name, then.size)
		s.awaitClean(name)
		s.wrote(name, then.resized)
		s.unchanged(before)
	}

	s.createAs("off", nil, suspended)
	s.create("on", nil)
	s.byDefault("always = 2") // which is meant for others
	s.awaitState("off", "normal")
	s.awaitState("on", "normal")
	s.byDefault("always = 0")
	s.awaitState("off", "window")
	s.awaitSize("on", s.asleep)
	s.byDefault("")
	s.awaitSize("on", s.awake)
	s.awaitClean("on")
	s.awaitClean("off")
	s.wrote("off", 0)
	s.wrote("on", 2)
}
