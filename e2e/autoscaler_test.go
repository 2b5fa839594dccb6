package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// A HorizontalPodAutoscaler owns every size of its target above 0; a window of 0
// puts both to sleep and wakes both. The autoscaler's controller is the real
// one. It knows no load here, but holds its bounds.

// TestAutoscalerSleepsAndWakes: 0 in the window, what was there before at its
// end, and then the size is the autoscaler's again.
func TestAutoscalerSleepsAndWakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		inside func(s *space) // happens in the window
		back   int32          // the size at its end
	}{
		"nothing happens":                        {back: 5},
		"the minimum rises over what there was":  {inside: func(s *space) { s.setMinimum("web", 6) }, back: 6},
		"the minimum rises, and there was more":  {inside: func(s *space) { s.setMinimum("web", 4) }, back: 5},
		"the autoscaler is deleted":              {inside: func(s *space) { s.deleteAutoscaler("web") }, back: 5},
		"the autoscaler is deleted and made new": {inside: func(s *space) { s.deleteAutoscaler("web"); s.autoscale("web", 7, 10) }, back: 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			night := harness.WindowIn(8*time.Second, 8*time.Second)
			s.autoscale("web", 2, 10)
			before := s.create("web", 5, annotations{harness.Windows: night.Rule("0")})
			s.awaitWrites("web", 2)
			if test.inside != nil {
				test.inside(s)
			}
			if time.Now().After(night.End.Add(-time.Second)) {
				t.Skip("this machine is too slow for the test: the window closed before anything happened in it")
			}
			s.awaitWrites("web", 3)
			s.settle()
			s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, test.back))
			if got := harness.Size(s.get("web")); got != test.back {
				t.Errorf("size %d after the window, want %d", got, test.back)
			}
			s.untouched(before)
			s.autoscalersUntouched()
		})
	}
}

// TestAutoscalerMovesItsTarget: before and after the window, the autoscaler and
// kubectl scale move the Deployment, and Curfew does not say a word.
func TestAutoscalerMovesItsTarget(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(12*time.Second, 5*time.Second)
	spec := s.autoscale("web", 2, 10).Spec
	s.create("web", 5, annotations{harness.Windows: night.Rule("0")})
	s.awaitState("web", "normal")
	s.kubectl("scale deployment/web --replicas=4")

	s.awaitWrites("web", 3)
	if diff := cmp.Diff(spec, s.autoscaler("web").Spec); diff != "" {
		t.Errorf("the autoscaler has changed (- before, + after):\n%s", diff)
	}
	s.setMinimum("web", 7)
	s.awaitSize("web", 7) // by the autoscaler's own controller
	s.settle()
	s.kubectl("scale deployment/web --replicas=9")
	s.settle()
	if got := harness.Size(s.get("web")); got != 9 {
		t.Errorf("size %d, want it left at 9", got)
	}
	s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 4))
	s.autoscalersUntouched()
}

// TestAutoscalerOwnsTheSize: curfew/replicas is only what a window of 0 gives
// back, and the status says so, once.
func TestAutoscalerOwnsTheSize(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(12*time.Second, 5*time.Second)
	s.autoscale("web", 2, 10)
	s.create("web", 5, annotations{harness.Windows: night.Rule("0"), harness.Replicas: "3"})
	status := harness.StatusOf(s.awaitState("web", "normal"))
	for _, want := range []string{"HorizontalPodAutoscaler web", harness.Replicas} {
		if !strings.Contains(status.Message, want) {
			t.Errorf("the status does not mention %q: %s", want, status.Message)
		}
	}
	if status.Size != nil {
		t.Errorf("outside a window Curfew claims to hold size %d", *status.Size)
	}
	s.kubectl("scale deployment/web --replicas=6")
	s.awaitWrites("web", 3)
	s.kubectl("scale deployment/web --replicas=8")
	s.settle()
	if got := harness.Size(s.get("web")); got != 8 {
		t.Errorf("size %d, want it left at 8", got)
	}
	s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
	s.autoscalersUntouched()
}

// TestAutoscalerAndAWindowAboveNothing: a window of 2 is not Curfew's to keep,
// and the status says what to do.
func TestAutoscalerAndAWindowAboveNothing(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"2", "50%"} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			night := harness.WindowIn(8*time.Second, 4*time.Second)
			s.autoscale("web", 2, 10)
			s.create("web", 5, annotations{harness.Windows: night.Rule(size)})
			s.awaitWrites("web", 3)
			s.settle()
			writes := s.curfewDid("web", adopted, adopted, adopted)
			if t.Failed() {
				return
			}
			for _, want := range []string{"HorizontalPodAutoscaler web", "minReplicas"} {
				if message := writes[1].Status().Message; !strings.Contains(message, want) {
					t.Errorf("the status in the window does not mention %q: %s", want, message)
				}
			}
			if message := writes[2].Status().Message; message != "" {
				t.Errorf("the status after the window still says: %s", message)
			}
			if d := s.get("web"); harness.Size(d) != 5 || d.Annotations[harness.Remembered] != "" {
				t.Errorf("size %d, remembered %q, want 5 and nothing", harness.Size(d), d.Annotations[harness.Remembered])
			}
			s.autoscalersUntouched()
		})
	}
}

// TestAutoscalerComesAndGoes in a window of 2: with it, the size is its own; when
// it has gone, the window holds again.
func TestAutoscalerComesAndGoes(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.create("web", 5, annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("2")})
	s.awaitSize("web", 2)

	s.autoscale("web", 4, 10)
	s.awaitSize("web", 4) // by the autoscaler's own controller
	s.await("web", "hands off", func(d *appsv1.Deployment) bool {
		status := harness.StatusOf(d)
		return status != nil && status.Size == nil && strings.Contains(status.Message, "minReplicas")
	})
	s.settle()
	earlier := len(s.writes("web"))
	s.kubectl("scale deployment/web --replicas=6")
	s.settle()
	if got := harness.Size(s.get("web")); got != 6 || len(s.writes("web")) != earlier {
		t.Errorf("size %d after %d writes, want Curfew to leave 6 alone", got, len(s.writes("web"))-earlier)
	}

	s.deleteAutoscaler("web")
	s.awaitSize("web", 2)
	s.settle()
	if memory := s.get("web").Annotations[harness.Remembered]; memory != "6" {
		t.Errorf("remembered %q, want the autoscaler's last size, 6", memory)
	}
	s.kubectl("scale deployment/web --replicas=3")
	s.awaitWrites("web", earlier+2)
	s.awaitSize("web", 2)
	s.kubectl("annotate deployment/web curfew/windows-")
	s.awaitSize("web", 6)
	s.settle()
	s.nothingLeft("web")
	s.autoscalersUntouched()
}

// TestAutoscalerComesIntoTheNight: one that is made while its target sleeps does
// not wake it, and its minimum counts in the morning.
func TestAutoscalerComesIntoTheNight(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	night := harness.WindowIn(-time.Hour, time.Hour+10*time.Second)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitWrites("web", 1)
	s.autoscale("web", 4, 10)
	s.awaitWrites("web", 2)
	s.settle()
	s.curfewDid("web", step{size: 0}, at(night.End, 4))
	s.autoscalersUntouched()
}

// TestAutoscalerUnseen: without the right to see autoscalers Curfew works as if
// there were none, and says so once.
func TestAutoscalerUnseen(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	s.hideAutoscalers()
	curfew := s.startLeader()
	night := harness.WindowIn(8*time.Second, 5*time.Second)
	s.autoscale("web", 1, 10)
	s.create("web", 5, annotations{harness.Windows: night.Rule("2")})
	s.awaitWrites("web", 3)
	s.settle()
	s.curfewDid("web", adopted, at(night.Start, 2), at(night.End, 5))
	if n := strings.Count(curfew.Log.String(), "no right to list and watch HorizontalPodAutoscalers"); n != 1 {
		t.Errorf("Curfew says %d times that it has no right to see autoscalers, want once:\n%s", n, curfew.Log)
	}
	if refused, err := s.cluster.Audit(s.ctx, cluster.By(harness.User(s.home)), cluster.To("horizontalpodautoscalers")); err != nil || len(refused) > 0 {
		t.Errorf("Curfew asks for autoscalers all the same: %v, %v", refused, err)
	}
}

// TestAutoscalerUnseenContests: where Curfew may not see an autoscaler whose
// minimum is over the window's size, the two would take turns for ever. They do
// not, and the status says what the matter is.
func TestAutoscalerUnseenContests(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	s.hideAutoscalers()
	s.startLeader()
	s.autoscale("web", 3, 10)
	s.create("web", 5, annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("1")})
	event := s.awaitEvent("web", "ReplicasContested")
	s.sleepUntil(time.Now().Add(15 * time.Second))
	writes := harness.Resizes(s.writes("web"))
	if len(writes) > 7 {
		t.Errorf("Curfew wrote the size %d times, want few", len(writes))
	}
	s.saysContested(writes, []string{"(through scale)", "HorizontalPodAutoscaler"})
	if !strings.Contains(event.Note, "HorizontalPodAutoscaler") {
		t.Errorf("the event does not mention the autoscaler: %s", event.Note)
	}
	if memory := s.get("web").Annotations[harness.Remembered]; memory != "5" {
		t.Errorf("remembered %q, want 5", memory)
	}
}

// TestAutoscalerAndNoRulesAnyMore: what sleeps is woken, at no less than the
// autoscaler's minimum, and what does not is left alone.
func TestAutoscalerAndNoRulesAnyMore(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.needAudit()
	s.autoscale("web", 2, 10)
	s.create("web", 5, annotations{harness.Windows: harness.WindowIn(-time.Hour, 3*time.Hour).Rule("0")})
	s.awaitSize("web", 0)
	s.setMinimum("web", 6)
	s.kubectl("scale deployment/web --replicas=8") // is drift as ever
	s.awaitWrites("web", 2)
	s.awaitSize("web", 0)
	s.kubectl("annotate deployment/web curfew/windows-")
	said := s.scaledAt("web")
	s.awaitSize("web", 6)
	s.settle()
	writes := s.writes("web")
	if last := writes[len(writes)-1]; last.Replicas == nil || *last.Replicas != 6 || last.Done.Sub(said) > prompt {
		t.Errorf("the rules were removed at %v, and Curfew's last write is %s", said, last)
	}
	s.nothingLeft("web")
	s.autoscalersUntouched()
}

// autoscale makes an autoscaler for the Deployment of the same name.
func (s *space) autoscale(name string, least, most int32) *autoscalingv2.HorizontalPodAutoscaler {
	s.Helper()
	utilization := int32(60)
	autoscaler := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: name},
			MinReplicas:    &least,
			MaxReplicas:    most,
			Metrics: []autoscalingv2.MetricSpec{{
				Type: autoscalingv2.ResourceMetricSourceType,
				Resource: &autoscalingv2.ResourceMetricSource{
					Name:   corev1.ResourceCPU,
					Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &utilization},
				},
			}},
		},
	}
	created, err := s.cluster.Client.AutoscalingV2().HorizontalPodAutoscalers(s.namespace).Create(s.ctx, autoscaler, metav1.CreateOptions{})
	s.must(err)
	return created
}

// hideAutoscalers takes the right to see autoscalers from this namespace's Curfew.
func (s *space) hideAutoscalers() {
	s.Helper()
	roles := s.cluster.Client.RbacV1().Roles(s.namespace)
	role, err := roles.Get(s.ctx, "curfew", metav1.GetOptions{})
	s.must(err)
	var kept []rbacv1.PolicyRule
	for _, rule := range role.Rules {
		if rule.APIGroups[0] != "autoscaling" {
			kept = append(kept, rule)
		}
	}
	if len(kept) != len(role.Rules)-1 {
		s.Fatalf("want one rule about autoscalers, got %v", role.Rules)
	}
	role.Rules = kept
	_, err = roles.Update(s.ctx, role, metav1.UpdateOptions{})
	s.must(err)
	s.sleepUntil(time.Now().Add(time.Second)) // for the API server to take it in
}

func (s *space) autoscaler(name string) *autoscalingv2.HorizontalPodAutoscaler {
	s.Helper()
	autoscaler, err := s.cluster.Client.AutoscalingV2().HorizontalPodAutoscalers(s.namespace).Get(s.ctx, name, metav1.GetOptions{})
	s.must(err)
	return autoscaler
}

func (s *space) setMinimum(name string, least int32) {
	s.Helper()
	s.must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		autoscaler := s.autoscaler(name)
		autoscaler.Spec.MinReplicas = &least
		_, err := s.cluster.Client.AutoscalingV2().HorizontalPodAutoscalers(s.namespace).Update(s.ctx, autoscaler, metav1.UpdateOptions{})
		return err
	}))
}

func (s *space) deleteAutoscaler(name string) {
	s.Helper()
	s.must(s.cluster.Client.AutoscalingV2().HorizontalPodAutoscalers(s.namespace).Delete(s.ctx, name, metav1.DeleteOptions{}))
}

// autoscalersUntouched checks that Curfew has not tried to write to one.
func (s *space) autoscalersUntouched() {
	s.Helper()
	tried, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.By(harness.User(s.home)), cluster.To("horizontalpodautoscalers"), cluster.In(s.namespace))
	s.must(err)
	if len(tried) > 0 {
		s.Errorf("Curfew writes to autoscalers: %v", tried)
	}
}
