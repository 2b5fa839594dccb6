package kinds_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"curfew/e2e/harness"
)

const (
	pausedReplicas  = "autoscaling.keda.sh/paused-replicas"
	rememberedPause = harness.Prefix + "remembered-pause"
)

// scaling is a ScaledObject that scales a Deployment of its name.
func scaling(name string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"scaleTargetRef": map[string]any{"name": name}, "minReplicaCount": 1, "maxReplicaCount": 9, "cooldownPeriod": 60,
			"triggers": []any{map[string]any{"type": "cpu", "metricType": "Utilization", "metadata": map[string]any{"value": "60"}}},
		},
	}
}

// pausedAt is a patch of the annotation by which KEDA pauses.
func pausedAt(value string) string {
	return fmt.Sprintf(`{"metadata":{"annotations":{%q:%s}}}`, pausedReplicas, value)
}

// TestComesLater: Curfew waits for a resource that the cluster does not have yet.
// It is the first to run, before anything else is done with ScaledObjects.
func TestComesLater(t *testing.T) {
	s := newStage(t, rowOf("Deployment")).of(rowOf("ScaledObject"))
	s.grant(s.row)
	curfew := s.lead()
	s.must(curfew.Log.Await(s.ctx, "The cluster has no scaledobjects.keda.sh yet"))
	s.must(define(s.ctx, s.cluster, scaledObjects))
	t.Parallel()
	s.create("worker", s.open())
	s.awaitSize("worker", s.asleep)
	s.wrote("worker", 1)
}

// TestPauseIsGivenBack: what the owner of a ScaledObject has told KEDA comes back as
// it was, or as it has become meanwhile.
func TestPauseIsGivenBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, rowOf("ScaledObject"))
	curfew := s.lead()
	with := func(name string, curfew annotations, keda annotations) *unstructured.Unstructured {
		return s.createAs(name, curfew, func(u *unstructured.Unstructured) {
			all := u.GetAnnotations()
			for key, value := range keda {
				all[key] = value
			}
			u.SetAnnotations(all)
		})
	}
	remembers := func(name, value string) {
		s.Helper()
		s.await(name, fmt.Sprintf("paused at 0, and %q is remembered", value), func(u *unstructured.Unstructured) bool {
			return s.size(u) == s.asleep && text(u, "metadata", "annotations", rememberedPause) == value
		})
	}
	optsOut := func(name, size string, sizes int, before *unstructured.Unstructured) {
		s.Helper()
		s.annotate(name, harness.Windows, "none")
		s.awaitSize(name, size)
		s.awaitClean(name)
		s.wrote(name, sizes)
		s.unchanged(before)
	}
	five := annotations{pausedReplicas: "5"}

	before := with("changed", s.open(), five)
	remembers("changed", "5")
	s.patch("changed", patch{"", pausedAt(`"7"`)})
	remembers("changed", "7")
	optsOut("changed", "7", 3, before)

	before = with("removed", s.open(), five)
	remembers("removed", "5")
	s.patch("removed", patch{"", pausedAt("null")})
	s.awaitEvent("removed", "DriftCorrected")
	remembers("removed", "")
	optsOut("removed", "", 3, before)

	before = with("forgotten", s.open(), five)
	remembers("forgotten", "5")
	s.patch("forgotten", patch{"", fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`, rememberedPause)})
	optsOut("forgotten", "", 2, before)

	before = with("at-zero", s.open(), annotations{pausedReplicas: "0"})
	s.awaitState("at-zero", "window")
	optsOut("at-zero", "0", 0, before)

	before = with("resumed", s.open(), annotations{pausedReplicas: "0"})
	s.awaitState("resumed", "window")
	s.patch("resumed", patch{"", pausedAt("null")})
	s.awaitEvent("resumed", "DriftCorrected")
	s.awaitSize("resumed", s.asleep)
	optsOut("resumed", "", 2, before)

	for name, keda := range map[string]annotations{
		"empty": {pausedReplicas: ""},
		"word":  {pausedReplicas: "two"},
		"as-is": {"autoscaling.keda.sh/paused": "true"},
	} {
		before := with(name, s.open(), keda)
		if status := s.awaitState(name, "invalid"); !strings.Contains(status.Message, "autoscaling.keda.sh/paused") {
			t.Errorf("%s: the message is %q", name, status.Message)
		}
		s.wrote(name, 0)
		s.unchanged(before)
	}

	before = with("kept", s.open(), five)
	remembers("kept", "5")
	curfew.Kill()
	s.lead()
	s.annotate("kept", harness.Windows, "none")
	s.awaitSize("kept", "5")
	s.awaitClean("kept")
	for i, want := range []string{`"5"`, "null"} {
		if write := s.wrote("kept", 2)[i]; !strings.Contains(string(write.Body), fmt.Sprintf("%q:%s", rememberedPause, want)) {
			t.Errorf("write %d does not say what is remembered: %s", i+1, write)
		}
	}
	s.unchanged(before)

	with("left", s.open(), five)
	remembers("left", "5")
	if code, err := s.run("--release").Wait(s.ctx); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v", code, err)
	}
	s.awaitSize("left", "5")
	s.awaitClean("left")
}

// TestNeverBoth: what a Namespace says reaches a ScaledObject and what it scales, and
// only one of them is written.
func TestNeverBoth(t *testing.T) {
	t.Parallel()
	s := newStage(t, rowOf("ScaledObject"))
	deployments := s.of(rowOf("Deployment"))
	s.inherits()
	s.lead("--kinds=deployments.apps")
	deployments.create("worker", nil)
	deployments.create("plain", nil)
	s.create("worker", nil)
	s.byDefault("always = 0")
	s.awaitSize("worker", "0")
	deployments.awaitSize("plain", "0")
	s.settle()
	deployments.wrote("worker", 0)
	if u := deployments.get("worker"); u.GetAnnotations()[harness.Status] != "" {
		t.Errorf("it is looked after: %s", u.GetAnnotations()[harness.Status])
	}

	deployments.annotate("worker", harness.Windows, "always = 1")
	status := deployments.awaitState("worker", "invalid")
	if want := "the ScaledObject worker scales this Deployment"; !strings.Contains(status.Message, want) {
		t.Errorf("the message is %q", status.Message)
	}
	deployments.awaitEvent("worker", "InvalidAnnotation")
	deployments.patch("worker", patch{"", fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`, harness.Windows)})
	deployments.awaitClean("worker")
	deployments.wrote("worker", 0)

	s.annotate("worker", harness.Windows, "none")
	s.awaitSize("worker", "")
	deployments.awaitSize("worker", "0")
	s.must(s.objects.Delete(s.ctx, "worker", metav1.DeleteOptions{}))
	s.byDefault("")
	deployments.awaitSize("worker", "3")
	deployments.awaitSize("plain", "3")
	deployments.wrote("worker", 2)
	deployments.wrote("plain", 2)
}
