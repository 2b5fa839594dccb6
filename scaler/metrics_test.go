package scaler

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// atStart is what a standby serves, and what alerts and dashboards are built on.
const atStart = `
# HELP curfew_reconcile_total Times a workload was looked at, by result: unchanged, boundary (a window started or ended, and its size was written), written (anything else was), conflict (tried again at once), contested (waiting to put a size back), waiting (for its turn to wake), invalid (a mistake in its annotations), error (a failure that may pass, tried again).
# TYPE curfew_reconcile_total counter
curfew_reconcile_total{result="boundary"} 0
curfew_reconcile_total{result="conflict"} 0
curfew_reconcile_total{result="contested"} 0
curfew_reconcile_total{result="error"} 0
curfew_reconcile_total{result="invalid"} 0
curfew_reconcile_total{result="unchanged"} 0
curfew_reconcile_total{result="waiting"} 0
curfew_reconcile_total{result="written"} 0
# HELP curfew_scale_writes_total Sizes written, by reason: window (one started), normal (nothing holds any more, or curfew/replicas says so), drift (somebody else had changed it), override, release (the rules are gone).
# TYPE curfew_scale_writes_total counter
curfew_scale_writes_total{reason="drift"} 0
curfew_scale_writes_total{reason="normal"} 0
curfew_scale_writes_total{reason="override"} 0
curfew_scale_writes_total{reason="release"} 0
curfew_scale_writes_total{reason="window"} 0
# HELP curfew_wake_timeouts_total Workloads that were not available in time after they were woken, where waves or limits make others wait for them.
# TYPE curfew_wake_timeouts_total counter
curfew_wake_timeouts_total 0
# HELP curfew_wakes_on_their_way Workloads that were woken and are not available yet, where waves or limits make others wait for them.
# TYPE curfew_wakes_on_their_way gauge
curfew_wakes_on_their_way 0
# HELP curfew_workloads Workloads that Curfew looks after, by state: window, normal, override, paused, contested, waiting, invalid.
# TYPE curfew_workloads gauge
curfew_workloads{state="contested"} 0
curfew_workloads{state="invalid"} 0
curfew_workloads{state="normal"} 0
curfew_workloads{state="override"} 0
curfew_workloads{state="paused"} 0
curfew_workloads{state="waiting"} 0
curfew_workloads{state="window"} 0
`

func TestMetricsAtTheStart(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	NewMetrics(registry, clock.RealClock{}, true)
	if err := testutil.GatherAndCompare(registry, strings.NewReader(atStart), "curfew_reconcile_total", "curfew_scale_writes_total", "curfew_workloads", "curfew_wakes_on_their_way", "curfew_wake_timeouts_total",
		"curfew_held_replicas", "curfew_replica_hours_saved_total", "curfew_workload_desired_replicas", "curfew_workload_expected_down"); err != nil {
		t.Error(err)
	}
}

func TestEveryReasonHasALabel(t *testing.T) {
	for _, reason := range decide.Reasons() {
		if writeReasons[reason] == "" {
			t.Errorf("a write because of %s is not counted", reason)
		}
	}
}

// TestMetricNames holds the names to Prometheus' conventions, but for one.
func TestMetricNames(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	m := NewMetrics(registry, clock.RealClock{}, true)
	m.look(keyOf("default", "web"), holding{state: annotation.StateWindow, holds: true, below: 3}, resultWritten)
	problems, err := testutil.GatherAndLint(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		// Nobody pays by the replica second, and it says what it is.
		if p.Metric != "curfew_replica_hours_saved_total" || !strings.Contains(p.Text, "seconds") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// held is what the metrics say of default/web and its namespace; -1 where they say nothing.
func (w *world) held() string {
	w.t.Helper()
	return fmt.Sprintf("desired %v, down %v, held %v",
		w.metric("curfew_workload_desired_replicas", "namespace", "default", "kind", "Deployment", "name", "web"),
		w.metric("curfew_workload_expected_down", "namespace", "default", "kind", "Deployment", "name", "web"),
		w.metric("curfew_held_replicas", "namespace", "default"))
}

func TestWhatCountsAsHeld(t *testing.T) {
	for name, c := range map[string]struct {
		size        int32
		annotations map[string]string
		state       annotation.State
		want        string
	}{
		"nothing to do with":          {3, nil, "", "desired -1, down -1, held -1"},
		"opted out":                   {3, map[string]string{annotation.Windows: "none"}, "", "desired -1, down -1, held -1"},
		"no window":                   {3, map[string]string{annotation.Windows: nights}, annotation.StateNormal, "desired -1, down 0, held 0"},
		"no window, normal is given":  {3, map[string]string{annotation.Windows: nights, annotation.Replicas: "3"}, annotation.StateNormal, "desired 3, down 0, held 0"},
		"down":                        {3, map[string]string{annotation.Windows: "always = 0"}, annotation.StateWindow, "desired 0, down 1, held 3"},
		"down, normal is given":       {1, map[string]string{annotation.Windows: "always = 0", annotation.Replicas: "3"}, annotation.StateWindow, "desired 0, down 1, held 3"},
		"lower":                       {4, map[string]string{annotation.Windows: "always = 50%"}, annotation.StateWindow, "desired 2, down 0, held 2"},
		"higher counts 0, not less":   {3, map[string]string{annotation.Windows: "always = 5"}, annotation.StateWindow, "desired 5, down 0, held 0"},
		"down before the window":      {0, map[string]string{annotation.Windows: "always = 0"}, annotation.StateWindow, "desired 0, down 1, held 0"},
		"override down":               {3, map[string]string{annotation.OverrideKey: "0 until 2026-06-02T00:00:00Z"}, annotation.StateOverride, "desired 0, down 1, held 3"},
		"override up":                 {3, map[string]string{annotation.Windows: "always = 0", annotation.OverrideKey: "2 until 2026-06-02T00:00:00Z"}, annotation.StateOverride, "desired 2, down 0, held 1"},
		"override with normal":        {3, map[string]string{annotation.Windows: "always = 0", annotation.OverrideKey: "normal until 2026-06-02T00:00:00Z"}, annotation.StateOverride, "desired -1, down 0, held 0"},
		"paused":                      {0, map[string]string{annotation.Windows: "always = 0", annotation.Paused: "true"}, annotation.StatePaused, "desired -1, down 0, held 0"},
		"paused in a window":          {0, map[string]string{annotation.Windows: "always = 0", annotation.Paused: "true", annotation.Remembered: "3"}, annotation.StatePaused, "desired -1, down 0, held 0"},
		"invalid":                     {0, map[string]string{annotation.Windows: "always 0"}, annotation.StateInvalid, "desired -1, down 0, held 0"},
		"new":                         {3, map[string]string{annotation.Windows: "always = 0", annotation.Grace: "999999h"}, annotation.StateWaiting, "desired -1, down 0, held 0"},
		"window over, not yet ended":  {0, map[string]string{annotation.Windows: nights, annotation.Remembered: "3"}, annotation.StateNormal, "desired -1, down 0, held 0"},
		"normal is lost, and unknown": {0, map[string]string{annotation.Windows: "always = 0", annotation.Remembered: "x"}, annotation.StateInvalid, "desired -1, down 0, held 0"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := deployment("web", c.size, c.annotations)
				d.CreationTimestamp = metav1.NewTime(june)
				w := newWorld(t, june, clock.RealClock{}, d)
				defer w.stop()
				if got := w.held(); got != c.want {
					t.Errorf("%s; want %s", got, c.want)
				}
				for _, state := range annotation.States() {
					want := 0.0
					if state == c.state {
						want = 1
					}
					if got := w.metric("curfew_workloads", "state", string(state)); got != want {
						t.Errorf("%v are %s, want %v", got, state, want)
					}
				}
			})
		})
	}
}

func TestReplicaHoursGrowWhileHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: nights}),
			deployment("api", 2, map[string]string{annotation.Windows: nights}), in("other", deployment("web", 3, map[string]string{annotation.Windows: "always = 3"})))
		defer w.stop()
		saved := func(namespace string) float64 {
			return w.metric("curfew_replica_hours_saved_total", "namespace", namespace)
		}
		wants := func(when string, want, held float64) {
			t.Helper()
			if got := saved("default"); got < want-.01 || got > want+.01 {
				t.Errorf("%s: %v replica hours, want %v", when, got, want)
			}
			if got := w.metric("curfew_held_replicas", "namespace", "default"); got != held {
				t.Errorf("%s: %v held, want %v", when, got, held)
			}
		}
		time.Sleep(7 * time.Hour)
		wants("before the night", 0, 0)
		time.Sleep(3 * time.Hour) // 22:00
		wants("two hours into it", 10, 5)
		wants("and asked again", 10, 5)
		time.Sleep(12 * time.Hour) // 10:00
		wants("after it", 50, 0)
		if got := saved("other"); got != 0 {
			t.Errorf("%v saved where nothing is held", got)
		}

		time.Sleep(11 * time.Hour) // 21:00
		remove := func(name string) {
			if err := w.client.AppsV1().Deployments("default").Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			w.settle()
		}
		remove("web")
		time.Sleep(time.Hour)
		wants("one is left", 50+5+2, 2)
		if got := w.held(); got != "desired -1, down -1, held 2" {
			t.Errorf("of what is gone: %s", got)
		}
		remove("api")
		if got := w.held(); got != "desired -1, down -1, held -1" || saved("default") != -1 {
			t.Errorf("of what is gone: %s, %v hours", got, saved("default"))
		}
	})
}

func TestSettingTheClockSavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var by atomic.Int64
		w := newWorld(t, june, steppedClock{by: &by}, deployment("web", 3, map[string]string{annotation.Windows: "always = 0"}))
		defer w.stop()
		for _, step := range []time.Duration{9 * time.Hour, -9 * time.Hour} {
			by.Store(int64(step))
			time.Sleep(time.Hour)
			w.update("web", func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](1) })
		}
		if got := w.metric("curfew_replica_hours_saved_total"); got < 5.9 || got > 6.1 {
			t.Errorf("%v replica hours in 2 hours", got)
		}
	})
}

func TestWhatCannotBeWrittenIsNotHeldYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: nights}))
		defer w.stop()
		refuse := func(write) error {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, "web", errors.New("no"))
		}
		w.patcher.refuses(refuse)
		time.Sleep(9 * time.Hour)
		if got := w.held(); got != "desired 0, down 1, held 0" {
			t.Errorf("refused to take it down: %s", got)
		}
		w.patcher.refuses(nil)
		time.Sleep(lastRetry)
		w.patcher.refuses(refuse)
		time.Sleep(10 * time.Hour) // 07:00
		if got := w.held(); got != "desired 3, down 0, held 0" {
			t.Errorf("refused to wake it: %s", got)
		}
	})
}

func TestWhatSomebodyElseTakesIsNotSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 4, map[string]string{annotation.Windows: "always = 2"}))
		defer w.stop()
		w.patcher.refuses(func(write) error { return errors.New("not now") })
		for size, want := range map[int32]string{0: "desired 2, down 0, held 2", 3: "desired 2, down 0, held 1"} {
			w.update("web", func(d *appsv1.Deployment) { d.Spec.Replicas = &size })
			if got := w.held(); got != want {
				t.Errorf("at %d: %s; want %s", size, got, want)
			}
		}
	})
}

func TestADryRunHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{})
		defer w.stop()
		w.reconciler.DryRun = true
		if _, err := w.client.AppsV1().Deployments("default").Create(t.Context(), deployment("web", 3, map[string]string{annotation.Windows: "always = 0"}), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if got := w.held(); got != "desired -1, down 0, held 0" || w.metric("curfew_workloads", "state", "window") != 1 {
			t.Errorf("%s, %v in a window", got, w.metric("curfew_workloads", "state", "window"))
		}
	})
}

func TestResultsAndReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, june, clock.RealClock{}, deployment("web", 3, map[string]string{annotation.Windows: nights}))
		defer w.stop()
		counted := map[string]float64{}
		grew := func(when string, metric, label string, by map[string]float64) {
			t.Helper()
			for _, value := range append(results, "window", "normal", "drift", "override", "release") {
				now := w.metric(metric, label, value)
				if now == -1 {
					continue
				}
				if got := now - counted[metric+value]; got != by[value] && value != resultUnchanged {
					t.Errorf("%s: %s %s grew by %v, want %v", when, metric, value, got, by[value])
				}
				counted[metric+value] = now
			}
		}
		step := func(when, result, reason string) {
			t.Helper()
			want := map[string]float64{}
			if result != "" {
				want[result] = 1
			}
			grew(when, "curfew_reconcile_total", "result", want)
			want = map[string]float64{}
			if reason != "" {
				want[reason] = 1
			}
			grew(when, "curfew_scale_writes_total", "reason", want)
		}
		annotate := func(key, value string) func(*appsv1.Deployment) {
			return func(d *appsv1.Deployment) {
				if value == "" {
					delete(d.Annotations, key)
				} else {
					d.Annotations[key] = value
				}
			}
		}
		step("the first status", resultWritten, "")
		time.Sleep(9 * time.Hour)
		step("a window starts", resultBoundary, "window")
		w.update("web", func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](1) })
		step("drift", resultWritten, "drift")
		time.Sleep(9 * time.Hour)
		step("it ends", resultBoundary, "normal")
		w.update("web", annotate(annotation.OverrideKey, "1 until "+w.clock.Now().Add(time.Hour).UTC().Format(time.RFC3339)))
		step("an override", resultWritten, "override")
		time.Sleep(2 * time.Hour)
		step("it ends", resultBoundary, "normal")
		w.update("web", annotate(annotation.Replicas, "2"))
		step("normal is given", resultWritten, "normal")
		w.update("web", annotate(annotation.Replicas, ""))
		step("and no longer", resultWritten, "")
		w.update("web", annotate(annotation.Windows, "always = 0"))
		step("new rules", resultWritten, "window")
		w.update("web", annotate(annotation.Windows, ""))
		step("no rules", resultWritten, "release")
		if got := w.held(); got != "desired -1, down -1, held -1" {
			t.Errorf("of what was released: %s", got)
		}
		w.update("web", annotate(annotation.Windows, "always 0"))
		if got := w.metric("curfew_reconcile_total", "result", resultInvalid); got < 1 {
			t.Errorf("%v looks at a mistake", got)
		}
		if got := w.metric("curfew_boundary_delay_seconds"); got != 3 {
			t.Errorf("%v boundaries, want 3", got)
		}
		w.patcher.refuses(func(write) error { panic("a fault of ours") })
		w.update("web", annotate(annotation.Windows, "always = 1"))
		if got := w.metric("curfew_reconcile_total", "result", resultError); got < 1 {
			t.Errorf("%v panics counted", got)
		}
	})
}

func TestMetricsWithoutWorkloads(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	m := NewMetrics(registry, clock.RealClock{}, false)
	m.look(keyOf("default", "web"), holding{state: annotation.StateWindow, holds: true, below: 3}, resultWritten)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	held := false
	for _, f := range families {
		held = held || f.GetName() == "curfew_held_replicas"
		if strings.HasPrefix(f.GetName(), "curfew_workload_") {
			t.Errorf("there is %s", f.GetName())
		}
	}
	if !held {
		t.Error("what is held in the namespace is missing")
	}
}

func TestMetricsFromAllSides(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	m := NewMetrics(registry, clock.RealClock{}, true)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 500 {
				key := keyOf(fmt.Sprint(i%3), fmt.Sprint(worker, i%7))
				m.look(key, holding{state: annotation.States()[i%7], holds: i%2 == 0, below: int32(i % 5)}, resultWritten)
				m.gone(key)
			}
		})
	}
	for range 50 {
		if _, err := registry.Gather(); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if n := len(m.workloads.workloads) + len(m.workloads.namespaces); n != 0 {
		t.Errorf("%d are left of nothing", n)
	}
}

// BenchmarkMetrics is what 10,000 workloads cost.
func BenchmarkMetrics(b *testing.B) {
	registry := prometheus.NewRegistry()
	m := NewMetrics(registry, clock.RealClock{}, true)
	keys := make([]kind.Key, 10_000)
	for i := range keys {
		keys[i] = keyOf(fmt.Sprint("team-", i%100), fmt.Sprint("web-", i))
		m.look(keys[i], holding{state: annotation.StateWindow, holds: true, below: 3}, resultWritten)
	}
	b.Run("nothing new", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			m.look(keys[i%len(keys)], holding{state: annotation.StateWindow, holds: true, below: 3}, resultUnchanged)
		}
	})
	b.Run("boundary", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			m.look(keys[i%len(keys)], holding{state: annotation.StateWindow, holds: true, below: int32(i / len(keys) % 2)}, resultBoundary)
		}
	})
	b.Run("lock for a scrape", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			m.workloads.snapshot()
		}
	})
	b.Run("scrape", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, err := registry.Gather(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
