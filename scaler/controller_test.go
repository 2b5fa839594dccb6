package scaler

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

var june = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) // a Monday

const nights = "Mon-Fri 20:00-06:00 = 0"

func TestAMonthOfNights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: nights}))
		defer func() { w.stop() }()
		first := w.patcher.count() // the first status
		time.Sleep(30 * 24 * time.Hour)
		var want []string
		for d := june.Truncate(24 * time.Hour); d.Before(june.AddDate(0, 0, 29)); d = d.AddDate(0, 0, 1) {
			if wd := d.Weekday(); wd == time.Saturday || wd == time.Sunday {
				continue
			}
			want = append(want, d.Add(20*time.Hour).Format(time.RFC3339)+" 0", d.Add(30*time.Hour).Format(time.RFC3339)+" 3")
		}
		var got []string
		for _, s := range w.patcher.scaled() {
			if late := s.at.Sub(s.at.Truncate(time.Minute)); late > 100*time.Millisecond {
				t.Errorf("the write of %v is late by %v", s.at, late)
			}
			got = append(got, fmt.Sprint(s.at.Format(time.RFC3339), " ", *s.size))
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("sizes written:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if n := w.patcher.count() - first; n != len(want) {
			t.Errorf("%d writes for %d boundaries", n, len(want))
		}
		if n := len(w.recorder.all()); n != len(want) {
			t.Errorf("%d events for %d boundaries", n, len(want))
		}
	})
}

func TestRestartsInsideAWindowWriteNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: "14:00-14:05 = 2"}))
		time.Sleep(2*time.Hour + time.Minute)
		for range 2 {
			before := w.patcher.count()
			w.stop()
			w.start()
			if n := w.patcher.count() - before; n != 0 {
				t.Errorf("%d writes after a restart", n)
			}
		}
		time.Sleep(time.Hour)
		w.stop()
		if n := len(w.patcher.scaled()); n != 2 || w.size("web") != 3 {
			t.Errorf("%d sizes written, the last is %d", n, w.size("web"))
		}
	})
}

func TestAwayOverABoundary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: nights}))
		w.stop()
		time.Sleep(9 * time.Hour)
		w.start()
		if w.size("web") != 0 {
			t.Errorf("the size is %d after the start", w.size("web"))
		}
		w.stop()
	})
}

func TestManyIdleObjectsForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []*appsv1.Deployment
		for i := range 2000 {
			all = append(all, deployment(fmt.Sprint("web-", i), 3, map[string]string{annotation.Windows: "2026-06-01..2026-06-03 = 0"}))
		}
		w := newWorld(t, june, clock.RealClock{}, all...)
		defer w.stop()
		before := w.patcher.count()
		if before != 2000 {
			t.Fatalf("%d writes to open 2000 windows", before)
		}
		time.Sleep(24 * time.Hour)
		if n := w.patcher.count() - before; n != 0 {
			t.Errorf("%d writes in a day of nothing", n)
		}
	})
}

func TestConflictIsTriedAgainAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, nil))
		defer w.stop()
		failures := 3
		w.patcher.refuses(func(write) error {
			if failures--; failures >= 0 {
				return apierrors.NewConflict(schema.GroupResource{Resource: "deployments"}, "web", errors.New("changed"))
			}
			return nil
		})
		w.update("web", func(d *appsv1.Deployment) { d.Annotations = map[string]string{annotation.Windows: "always = 0"} })
		time.Sleep(time.Second)
		if w.size("web") != 0 {
			t.Errorf("the size is %d", w.size("web"))
		}
		if got := testutil.ToFloat64(w.reconciler.Metrics.reconciles.WithLabelValues(resultConflict)); got != 3 {
			t.Errorf("%v conflicts counted", got)
		}
	})
}

func TestRefusedWriteIsSaidAndTriedAgainMoreAndMoreSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, nil))
		defer w.stop()
		w.patcher.refuses(func(write) error {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, "web", errors.New("no"))
		})
		w.update("web", func(d *appsv1.Deployment) { d.Annotations = map[string]string{annotation.Windows: "always = 0"} })
		time.Sleep(time.Hour)
		tries := w.patcher.asked()
		if tries < 120 || tries > 150 {
			t.Errorf("%d tries in an hour", tries)
		}
		if got := w.recorder.all(); len(got) == 0 || !strings.HasPrefix(got[0], EventWriteRefused) {
			t.Errorf("events: %q", got)
		}
		w.patcher.refuses(nil)
		time.Sleep(lastRetry)
		if w.size("web") != 0 {
			t.Error("it does not go on when the right comes back")
		}
	})
}

// TestABoundaryDoesNotWaitForABackOff: whatever has failed so often that it is tried seldom, its next boundary is kept
// when it comes.
func TestABoundaryDoesNotWaitForABackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Replicas: "3", annotation.Windows: "14:00-15:00:07 = 0"}))
		defer w.stop()
		time.Sleep(3*time.Hour - time.Minute) // june is noon
		w.patcher.refuses(func(write) error { return errors.New("the network is down") })
		w.update("web", func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](5) })
		time.Sleep(time.Minute - 50*time.Millisecond)
		last := w.patcher.asked()
		w.patcher.refuses(nil)
		time.Sleep(8 * time.Second)
		if scaled := w.patcher.scaled(); w.size("web") != 3 || scaled[len(scaled)-1].at.Format(time.TimeOnly) != "15:00:07" {
			t.Errorf("size %d after %d tries and then the writes %v", w.size("web"), last, scaled)
		}
	})
}

// TestWhatCountsAsRefused: a no of the API server is told on the object, and a failure that is nobody's no is not.
func TestWhatCountsAsRefused(t *testing.T) {
	deployments := schema.GroupResource{Resource: "deployments"}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"a right, a policy or a quota":   {apierrors.NewForbidden(deployments, "web", errors.New("no")), true},
		"a policy, as Invalid":           {apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "web", nil), true},
		"a webhook without a code":       {&apierrors.StatusError{ErrStatus: metav1.Status{Code: 400, Message: "denied the request"}}, true},
		"a webhook with a code":          {&apierrors.StatusError{ErrStatus: metav1.Status{Code: 403, Message: "denied the request"}}, true},
		"too large":                      {apierrors.NewRequestEntityTooLargeError("no"), true},
		"a token that is not valid":      {apierrors.NewUnauthorized("no"), false},
		"too many requests":              {apierrors.NewTooManyRequests("later", 1), false},
		"a failure of the API server":    {apierrors.NewInternalError(errors.New("no")), false},
		"a webhook that does not answer": {apierrors.NewTimeoutError("no", 1), false},
		"no answer":                      {errors.New("connection refused"), false},
	} {
		if got := refused(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOneBrokenObjectHurtsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{},
			deployment("broken", 3, map[string]string{annotation.Windows: "Mon-Fri 8-20 CET"}),
			deployment("panics", 3, map[string]string{annotation.Windows: nights}),
			deployment("web", 3, map[string]string{annotation.Windows: nights}))
		defer w.stop()
		w.patcher.refuses(func(o write) error {
			if o.key.Name == "panics" {
				panic("a fault of ours")
			}
			return nil
		})
		time.Sleep(9 * time.Hour)
		if w.size("web") != 0 || w.size("broken") != 3 {
			t.Errorf("web %d, broken %d", w.size("web"), w.size("broken"))
		}
		var invalid []string
		for _, e := range w.recorder.all() {
			if strings.HasPrefix(e, EventInvalidAnnotation) {
				invalid = append(invalid, e)
			}
		}
		if len(invalid) != 1 || !strings.Contains(invalid[0], "curfew/windows") || !strings.Contains(invalid[0], "8-20") {
			t.Errorf("events about the mistake: %q", invalid)
		}
		if s := annotation.ParseStatus(w.get("broken").Annotations[annotation.StatusKey]); s.State != annotation.StateInvalid || s.Message == "" {
			t.Errorf("status %+v", s)
		}
		if got := w.metric("curfew_workloads", "state", "invalid"); got != 1 {
			t.Errorf("%v invalid workloads counted", got)
		}
	})
}

func TestNeverTouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := deployment("curfew", 2, map[string]string{annotation.Windows: "always = 0"})
		own.Namespace = "curfew"
		ending := deployment("ending", 2, map[string]string{annotation.Windows: "always = 0"})
		ending.DeletionTimestamp, ending.Finalizers = &metav1.Time{Time: june}, []string{"example.com/wait"}
		w := newWorld(t, june, clock.RealClock{}, own, ending, deployment("other", 2, map[string]string{"other/windows": "always = 0"}))
		defer w.stop()
		time.Sleep(time.Hour)
		if n := w.patcher.count(); n != 0 {
			t.Errorf("%d writes", n)
		}
	})
}

func TestDeletedInAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: "always = 0"}))
		defer w.stop()
		writes := w.patcher.count()
		if err := w.client.AppsV1().Deployments("default").Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if n := w.patcher.count() - writes; n != 0 {
			t.Errorf("%d writes to what is gone", n)
		}
		if got := w.metric("curfew_workloads", "state", "window"); got != 0 {
			t.Errorf("%v workloads still counted", got)
		}
		if got := testutil.ToFloat64(w.reconciler.Metrics.reconciles.WithLabelValues(resultError)); got != 0 {
			t.Errorf("%v errors", got)
		}
	})
}

func TestDryRunWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{})
		defer w.stop()
		w.reconciler.DryRun = true
		if _, err := w.client.AppsV1().Deployments("default").Create(t.Context(), deployment("web", 3, map[string]string{annotation.Windows: nights}), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour)
		if n := w.patcher.count() + len(w.recorder.all()); n != 0 {
			t.Errorf("%d writes and events", n)
		}
	})
}

// steppedClock is a wall clock that somebody can set, over timers that run on.
type steppedClock struct {
	clock.RealClock
	by *atomic.Int64 // nanoseconds
}

func (c steppedClock) Now() time.Time { return time.Now().Round(0).Add(time.Duration(c.by.Load())) }

// Since is elapsed time for an instant that Now gave before any step.
func (c steppedClock) Since(t time.Time) time.Duration { return time.Since(t) }

func TestWallClockSteps(t *testing.T) {
	for name, c := range map[string]struct {
		by   time.Duration
		want int32
	}{
		"forward into the window":     {9 * time.Hour, 0},
		"forward over it":             {20 * time.Hour, 3},
		"back":                        {-time.Hour, 3},
		"by the sleep of a host":      {8*time.Hour + 42*time.Minute, 0},
		"by less than what is looked": {100 * time.Millisecond, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var by atomic.Int64
				w := newWorld(t, june, steppedClock{by: &by}, deployment("web", 3, map[string]string{annotation.Windows: nights}))
				defer w.stop()
				synctest.Wait()
				by.Store(int64(c.by))
				time.Sleep(2 * stepCheck)
				if w.size("web") != c.want {
					t.Errorf("%v after the step the size is %d, want %d", w.clock.Now(), w.size("web"), c.want)
				}
				if n := len(w.patcher.scaled()); c.want == 3 && n != 0 || n > 1 {
					t.Errorf("%d sizes written", n)
				}
			})
		})
	}
}

func TestOnlyWhatIsReadWakes(t *testing.T) {
	base := deployment("web", 3, map[string]string{annotation.Windows: nights})
	for name, c := range map[string]struct {
		change func(*appsv1.Deployment)
		want   bool
	}{
		"nothing":             {func(*appsv1.Deployment) {}, false},
		"resource version":    {func(d *appsv1.Deployment) { d.ResourceVersion = "2" }, false},
		"status":              {func(d *appsv1.Deployment) { d.Status.Replicas = 3 }, false},
		"size":                {func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](4) }, true},
		"size goes":           {func(d *appsv1.Deployment) { d.Spec.Replicas = nil }, true},
		"rules":               {func(d *appsv1.Deployment) { d.Annotations[annotation.Windows] = "always = 0" }, true},
		"rules go":            {func(d *appsv1.Deployment) { d.Annotations = nil }, true},
		"deletion":            {func(d *appsv1.Deployment) { d.DeletionTimestamp = &metav1.Time{} }, true},
		"another of the name": {func(d *appsv1.Deployment) { d.UID = "uid-2" }, true},
		"owner of the size": {func(d *appsv1.Deployment) {
			d.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "helm", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			is := base.DeepCopy()
			c.change(is)
			if got := matters(kind.Deployment.Of(base), kind.Deployment.Of(is)); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
