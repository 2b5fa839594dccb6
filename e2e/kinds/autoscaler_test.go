package kinds_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"curfew/e2e/harness"
)

// autoscaling is an autoscaler of a Deployment of its name. There is nobody here
// who knows any load, so that it does nothing but hold its bounds.
func autoscaling(name string, least, most int32) *autoscalingv2.HorizontalPodAutoscaler {
	utilization := int32(60)
	return &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: name},
			MinReplicas:    &least, MaxReplicas: most,
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
				Name:   corev1.ResourceCPU,
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &utilization},
			}}},
		},
	}
}

// floor is the annotation by which a target speaks for its autoscaler.
const floor = harness.Prefix + "hpa"

// says waits until the status of an object says something.
func (s *stage) says(name, message string) {
	s.Helper()
	s.await(name, "a status that says: "+message, func(u *unstructured.Unstructured) bool {
		status := harness.ParseStatus(u.GetAnnotations()[harness.Status])
		return status != nil && strings.Contains(status.Message, message)
	})
}

// remembers waits until an object has a size, and another in its memory.
func (s *stage) remembers(name, size, memory string) {
	s.Helper()
	s.await(name, fmt.Sprintf("size %s, and %q is remembered", size, memory), func(u *unstructured.Unstructured) bool {
		return s.size(u) == size && u.GetAnnotations()[harness.Remembered] == memory
	})
}

// always is a rule that holds while a test lasts.
func always(size string) annotations {
	return annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule(size)}
}

// TestAutoscalerBounds: of a minimum and a maximum.
func TestAutoscalerBounds(t *testing.T) {
	t.Parallel()
	s := newStage(t, rowOf("HorizontalPodAutoscaler"))
	s.lead()
	for name, play := range map[string]func(s *stage, name string){
		"the minimum alone": func(s *stage, name string) {
			window := harness.WindowIn(4*time.Second, 4*time.Second)
			before := s.create(name, annotations{harness.Windows: window.Rule("5")})
			s.remembers(name, "5..10", "3")
			s.patch(name, patch{"", `{"spec":{"maxReplicas":20}}`}) // is its owner's as ever
			s.awaitSize(name, "3..20")
			s.settle()
			for _, write := range s.wrote(name, 2) {
				for _, path := range write.Touched {
					if path == ".spec.maxReplicas" {
						s.Errorf("it touches the maximum: %s", write)
					}
				}
			}
			s.unchanged(before)
		},
		"never above the maximum": func(s *stage, name string) {
			s.create(name, always("20"))
			s.remembers(name, "10..10", "3")
			s.says(name, "20 is more than its maximum, so it is held at that, 10")
			s.patch(name, patch{"", `{"spec":{"maxReplicas":15}}`})
			s.awaitSize(name, "15..15")
			s.annotate(name, harness.Windows, "none")
			s.awaitSize(name, "3..15")
			s.awaitClean(name)
			s.wrote(name, 3)
		},
		"each end has its owner": func(s *stage, name string) {
			s.create(name, always("12..40"))
			s.remembers(name, "12..40", "3..10")
			s.patch(name, patch{"", `{"spec":{"maxReplicas":30}}`})
			s.remembers(name, "12..40", "3..30")
			s.patch(name, patch{"", `{"spec":{"minReplicas":4}}`})
			s.remembers(name, "12..40", "4..30")
			// What a window holds, no maximum may be under: the API server says no.
			_, err := s.objects.Patch(s.ctx, name, mergePatch, []byte(`{"spec":{"maxReplicas":8}}`), metav1.PatchOptions{FieldManager: "somebody"})
			if !apierrors.IsInvalid(err) {
				s.Errorf("a maximum under the window's minimum: %v", err)
			}
			s.patch(name, patch{"", `{"spec":{"minReplicas":2,"maxReplicas":8}}`})
			s.remembers(name, "12..40", "2..8")
			s.annotate(name, harness.Windows, "none")
			s.awaitSize(name, "2..8")
			s.awaitClean(name)
			s.wrote(name, 5)
		},
		"ranges that touch": func(s *stage, name string) {
			first := harness.WindowIn(4*time.Second, 3*time.Second)
			second := harness.Window{Start: first.End, End: first.End.Add(3 * time.Second)}
			s.create(name, annotations{harness.Windows: first.Rule("12..40") + "\n" + second.Rule("6")})
			s.remembers(name, "12..40", "3..10")
			s.remembers(name, "6..10", "3")
			s.awaitSize(name, "3..10")
			s.settle()
			writes := s.wrote(name, 3)
			for i, at := range []time.Time{first.Start, second.Start, second.End} {
				if late := writes[i].Done.Sub(at); late < 0 || late > 3*time.Second {
					s.Errorf("boundary %d was kept %v after its time", i+1, late)
				}
			}
		},
		"a normal range": func(s *stage, name string) {
			rules := harness.WindowIn(4*time.Second, 4*time.Second)
			s.create(name, annotations{harness.Windows: rules.Rule("5"), harness.Replicas: "4..9"})
			s.awaitSize(name, "4..9")
			s.awaitSize(name, "5..9")
			s.awaitSize(name, "4..9")
			s.wrote(name, 3)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(s.in(t), strings.ReplaceAll(name, " ", "-"))
		})
	}
}

// TestFloor: what a Deployment says of sizes above 0 is its autoscaler's minimum,
// and neither takes turns with the other. The autoscaler's controller is the real
// one.
func TestFloor(t *testing.T) {
	t.Parallel()
	deployments := newStage(t, rowOf("Deployment"))
	autoscalers := deployments.of(rowOf("HorizontalPodAutoscaler"))
	autoscalers.grant(autoscalers.row)
	kinds := "--kinds=" + autoscalers.flag() // besides Deployments
	curfew := deployments.lead(kinds)
	scenes := map[string]func(d, h *stage, name string){
		"night and morning": func(d, h *stage, name string) {
			night := harness.WindowIn(5*time.Second, 5*time.Second)
			morning := harness.Window{Start: night.End, End: night.End.Add(5 * time.Second)}
			h.create(name, nil)
			before := d.create(name, annotations{floor: "floor", harness.Windows: night.Rule("0") + "\n" + morning.Rule("5..8")})
			d.awaitSize(name, "0")
			h.awaitSize(name, "3..10")
			h.remembers(name, "5..8", "3..10")
			d.awaitSize(name, "5") // by the autoscaler's own controller, if not by Curfew
			h.awaitSize(name, "3..10")
			d.settle()
			for i, write := range d.wrote(name, 2) {
				at := []time.Time{night.Start, night.End}[i]
				if late := write.Done.Sub(at); late < 0 || late > 3*time.Second {
					d.Errorf("boundary %d of the Deployment was kept %v after its time", i+1, late)
				}
			}
			for i, write := range h.wrote(name, 2) {
				at := []time.Time{morning.Start, morning.End}[i]
				if late := write.Done.Sub(at); late < 0 || late > 3*time.Second {
					h.Errorf("boundary %d of the autoscaler was kept %v after its time", i+1, late)
				}
			}
			d.unchanged(before)
		},
		"it comes and goes": func(d, h *stage, name string) {
			d.create(name, annotations{floor: "floor", harness.Windows: always("6")[harness.Windows]})
			d.says(name, "sees no HorizontalPodAutoscaler")
			d.awaitSize(name, "6") // so far it is its own to keep
			h.create(name, nil)
			h.remembers(name, "6..10", "3")
			d.await(name, "hands off, and nothing to say", func(u *unstructured.Unstructured) bool {
				status := harness.ParseStatus(u.GetAnnotations()[harness.Status])
				return status != nil && status.Size == nil && status.Message == ""
			})
			d.patch(name, patch{"", fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`, floor)})
			h.awaitSize(name, "3..10")
			h.awaitClean(name)
			d.says(name, "curfew/hpa: floor here")
			d.annotate(name, floor, "floor")
			h.awaitSize(name, "6..10")
			h.annotate(name, harness.Windows, "none")
			h.awaitSize(name, "3..10")
			d.says(name, "has rules of its own")
			h.patch(name, patch{"", fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`, harness.Windows)})
			h.awaitSize(name, "6..10")
			d.must(d.objects.Delete(d.ctx, name, metav1.DeleteOptions{}))
			h.awaitSize(name, "3..10")
			h.awaitClean(name)
			h.wrote(name, 6)
		},
		"a mistake": func(d, h *stage, name string) {
			h.create(name, nil)
			d.create(name, annotations{floor: "floor", harness.Windows: always("6")[harness.Windows]})
			h.awaitSize(name, "6..10")
			d.annotate(name, harness.Windows, "Mon-Fri 8-20 = 6")
			d.awaitState(name, "invalid")
			if status := h.awaitState(name, "invalid"); !strings.Contains(status.Message, "Deployment "+name) {
				h.Errorf("it says %q", status.Message)
			}
			h.awaitSize(name, "6..10") // as it stands
			d.annotate(name, harness.Windows, always("6")[harness.Windows])
			h.awaitState(name, "window")
			d.annotate(name, floor, "min")
			d.says(name, "curfew/hpa")
			h.awaitState(name, "invalid")
			h.awaitSize(name, "6..10")
			d.patch(name, patch{"", fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`, floor)})
			h.awaitSize(name, "3..10")
			h.wrote(name, 2)
		},
	}
	t.Run("side by side", func(t *testing.T) {
		for name, play := range scenes {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				play(deployments.in(t), autoscalers.in(t), strings.ReplaceAll(name, " ", "-"))
			})
		}
	})
	if t.Failed() {
		return
	}
	// A restart writes nothing, and who leaves gives both ends back.
	rules := always("6..8")
	rules[floor] = "floor"
	autoscalers.create("kept", nil)
	deployments.create("kept", rules)
	autoscalers.remembers("kept", "6..8", "3..10")
	deployments.awaitState("kept", "window")
	autoscalers.settle() // no write is on its way
	curfew.Kill()
	deployments.lead(kinds)
	autoscalers.settle()
	autoscalers.wrote("kept", 1)
	if code, err := deployments.run("--release", kinds).Wait(deployments.ctx); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v", code, err)
	}
	autoscalers.awaitSize("kept", "3..10")
	autoscalers.awaitClean("kept")
	deployments.awaitClean("kept")
	deployments.wrote("kept", 0)
}

// TestFloorTakesTheKind: where autoscalers are not looked after, the target says so.
func TestFloorTakesTheKind(t *testing.T) {
	t.Parallel()
	d := newStage(t, rowOf("Deployment"))
	h := d.of(rowOf("HorizontalPodAutoscaler"))
	d.lead()
	h.create("shop", nil)
	rules := always("6")
	rules[floor] = "floor"
	d.create("shop", rules)
	d.says("shop", "put horizontalpodautoscalers.autoscaling among Curfew's --kinds")
	d.settle()
	d.wrote("shop", 0)
	h.wrote("shop", 0)
}
