package scaler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/wave"
)

var morning = time.Date(2026, 6, 2, 8, 0, 0, 0, time.UTC)

const day = "08:00-20:00 = normal\nalways = 0"

// sleeper is a Deployment that wakes in the morning.
func sleeper(name, turn string) *appsv1.Deployment {
	d := deployment(name, 2, map[string]string{annotation.Windows: day, annotation.Replicas: "2"})
	if turn != "" {
		d.Annotations[annotation.Wave] = turn
	}
	return d
}

// night is a world of them in which they sleep, half an hour before the morning. Pods are ready after so long, by the
// name of the Deployment; never if that is 0.
func night(t *testing.T, limits wave.Limits, ready func(name string) time.Duration, sleepers ...*appsv1.Deployment) *world {
	w := prepareNight(t, sleepers...)
	w.limits = limits
	w.start()
	w.patcher.clear()
	time.Sleep(time.Until(morning.Add(-time.Second)))
	w.kubelet(ready)
	time.Sleep(time.Until(morning))
	return w
}

// prepareNight is a world half an hour before the morning, without a controller, in which it is known who owns a size.
func prepareNight(t *testing.T, sleepers ...*appsv1.Deployment) *world {
	w := prepareWorld(t, morning.Add(-30*time.Minute), clock.RealClock{})
	w.workers = 1                        // of those that are equal, which one comes first is then a matter of order
	w.client = fake.NewSimpleClientset() // the newer one shows no managedFields
	for _, d := range sleepers {
		if err := w.client.Tracker().Add(d); err != nil {
			t.Fatal(err)
		}
	}
	w.patcher.Patcher, w.patcher.client, w.patcher.owns = NewPatcher(sendTo(w.client)), w.client, true
	return w
}

// kubelet makes pods available until the test ends.
func (w *world) kubelet(ready func(name string) time.Duration) {
	ctx, cancel := context.WithCancel(w.t.Context())
	go w.makeReady(ctx, ready)
	w.pods = func() { cancel(); synctest.Wait() }
}

// end ends the controller and the kubelet.
func (w *world) end() {
	w.stop()
	w.pods()
}

func (w *world) makeReady(ctx context.Context, ready func(name string) time.Duration) {
	asked := map[types.UID]time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
		all, err := w.client.AppsV1().Deployments("").List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		for _, d := range all.Items {
			id := types.UID(d.Name)
			size, after := ptr.Deref(d.Spec.Replicas, 1), ready(d.Name)
			if d.Status.AvailableReplicas == size {
				delete(asked, id)
				continue
			}
			if _, ok := asked[id]; !ok {
				asked[id] = time.Now()
			}
			if size > 0 && (after == 0 || time.Since(asked[id]) < after) {
				continue
			}
			d.Status.AvailableReplicas, d.Status.ObservedGeneration = size, d.Generation
			_, _ = w.client.AppsV1().Deployments(d.Namespace).UpdateStatus(ctx, &d, metav1.UpdateOptions{})
		}
	}
}

func after(d time.Duration) func(string) time.Duration {
	return func(string) time.Duration { return d }
}

// woken is when each was woken, after eight.
func (w *world) woken() map[string]time.Duration {
	w.t.Helper()
	at := map[string]time.Duration{}
	for _, s := range w.patcher.scaled() {
		if _, twice := at[s.key.Name]; twice && *s.size > 0 {
			w.t.Errorf("%s is woken twice", s.key.Name)
		}
		if *s.size > 0 {
			at[s.key.Name] = s.at.Sub(morning)
		}
	}
	return at
}

// within holds when each was woken against what is wanted, to the half second.
func (w *world) within(want map[string]time.Duration) {
	w.t.Helper()
	got := w.woken()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		at, ok := got[name]
		if late := at - want[name]; !ok || late < 0 || late > 500*time.Millisecond {
			w.t.Errorf("%s woke at %v, %v; want %v", name, at, ok, want[name])
		}
	}
	if len(got) != len(want) {
		w.t.Errorf("woken: %v", got)
	}
}

func TestWavesAndLimits(t *testing.T) {
	const ready = 10 * time.Second
	two := []*appsv1.Deployment{sleeper("a", "1"), sleeper("b", "1"), sleeper("c", "2"), sleeper("d", "10"), sleeper("none", "")}
	for name, c := range map[string]struct {
		limits   wave.Limits
		sleepers []*appsv1.Deployment
		want     map[string]time.Duration
	}{
		"no waves":      {wave.Limits{}, []*appsv1.Deployment{sleeper("a", ""), sleeper("b", "")}, map[string]time.Duration{"a": 0, "b": 0}},
		"three waves":   {wave.Limits{}, two, map[string]time.Duration{"a": 0, "b": 0, "none": 0, "c": ready, "d": 2 * ready}},
		"one at a time": {wave.Limits{Concurrency: 1}, two, map[string]time.Duration{"a": 0, "b": ready, "c": 2 * ready, "d": 3 * ready, "none": 4 * ready}},
		"six a minute":  {wave.Limits{PerMinute: 6}, []*appsv1.Deployment{sleeper("a", ""), sleeper("b", ""), sleeper("c", "")}, map[string]time.Duration{"a": 0, "b": 10 * time.Second, "c": 20 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var all []*appsv1.Deployment
				for _, d := range c.sleepers {
					all = append(all, d.DeepCopy())
				}
				w := night(t, c.limits, after(ready), all...)
				defer w.end()
				time.Sleep(2 * time.Minute)
				w.within(c.want)
				notes := 0
				for _, at := range c.want {
					if at > 0 {
						notes++
					}
				}
				// Each is put to sleep or was, woken by one write, and whoever waits for more than a moment says so by another.
				if n, want := w.patcher.count(), len(c.want)+notes; n != want {
					t.Errorf("%d writes, want %d", n, want)
				}
				if got := w.metric("curfew_boundary_delay_seconds"); got != float64(2*len(c.want)-notes) && got != float64(len(c.want)-notes) {
					t.Errorf("%v delays counted", got)
				}
				if got := w.metric("curfew_wakes_on_their_way"); got != 0 {
					t.Errorf("%v are on their way", got)
				}
			})
		})
	}
}

func TestWaitingIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := night(t, wave.Limits{}, after(time.Minute), sleeper("a", "1"), sleeper("b", "2"))
		defer w.end()
		time.Sleep(time.Second)
		if s := w.get("b").Annotations[annotation.StatusKey]; !strings.Contains(s, `"state":"window"`) {
			t.Errorf("said at once: %s", s)
		}
		if got := w.metric("curfew_workloads", "state", "waiting"); got != 1 {
			t.Errorf("%v wait", got)
		}
		time.Sleep(20 * time.Second)
		const want = `{"state":"waiting","size":0,"normal":2,"message":"waits for its turn to wake, in wave 2"}`
		if s := w.get("b").Annotations[annotation.StatusKey]; s != want {
			t.Errorf("%s, want %s", s, want)
		}
		for series, want := range map[string]float64{"curfew_held_replicas": 2, "curfew_wakes_on_their_way": 1} {
			if got := w.metric(series); got != want {
				t.Errorf("%s is %v, want %v", series, got, want)
			}
		}
		if got := w.metric("curfew_workload_expected_down", "name", "b"); got != 1 {
			t.Error("it is not expected to be down")
		}
		before := w.patcher.count()
		time.Sleep(30 * time.Second)
		if n := w.patcher.count() - before; n != 0 {
			t.Errorf("%d writes while it waits", n)
		}
		time.Sleep(30 * time.Second)
		if s := annotation.ParseStatus(w.get("b").Annotations[annotation.StatusKey]); s.State != annotation.StateNormal {
			t.Errorf("woken, it says %+v", s)
		}
	})
}

func TestAStuckWave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := func(name string) time.Duration {
			if name == "a" {
				return 0
			}
			return time.Second
		}
		w := night(t, wave.Limits{}, stuck, sleeper("a", "1"), sleeper("b", "2"))
		defer w.end()
		time.Sleep(6 * time.Minute)
		w.within(map[string]time.Duration{"a": 0, "b": DefaultWaveTimeout})
		w.stop()
		w.start()
		time.Sleep(15 * time.Minute)
		var late []string
		for _, e := range w.recorder.all() {
			if strings.HasPrefix(e, EventWakeTimedOut) {
				late = append(late, e)
			}
		}
		want := "WakeTimedOut: Woken to 2 at 2026-06-02T08:00:00Z and not available after 5m0s; others wait for it no longer"
		if len(late) != 2 || late[0] != want || late[1] != want {
			t.Errorf("events: %q", late) // the second has the name of the first
		}
	})
}

// TestWhoCannotWake: those that wait for somebody do not wait for what cannot be woken, or not for ever.
func TestWhoCannotWake(t *testing.T) {
	const timeout = DefaultWaveTimeout
	for name, c := range map[string]struct {
		change func(*appsv1.Deployment)
		refuse bool
		want   time.Duration // when the next wave comes
	}{
		"refused": {func(*appsv1.Deployment) {}, true, timeout},
		"invalid": {func(d *appsv1.Deployment) { d.Annotations[annotation.Windows] = "always 0" }, false, 0},
		"paused":  {func(d *appsv1.Deployment) { d.Annotations[annotation.Paused] = "true" }, false, 0},
		"deleted": {func(d *appsv1.Deployment) {
			d.DeletionTimestamp, d.Finalizers = &metav1.Time{Time: morning}, []string{"example.com/wait"}
		}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := prepareNight(t, sleeper("a", "1"), sleeper("b", "2"))
				w.start()
				defer w.end()
				w.update("a", c.change)
				if c.refuse {
					w.patcher.refuses(func(o write) error {
						if o.key.Name == "a" {
							return apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, "a", errors.New("no"))
						}
						return nil
					})
				}
				time.Sleep(time.Until(morning.Add(-time.Second)))
				w.kubelet(after(time.Second))
				time.Sleep(time.Until(morning.Add(10 * time.Minute)))
				w.within(map[string]time.Duration{"b": c.want})
			})
		})
	}
}

func TestAPersonDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := night(t, wave.Limits{Concurrency: 1}, after(time.Minute), sleeper("a", "1"), sleeper("b", "2"), sleeper("c", "3"))
		defer w.end()
		time.Sleep(10 * time.Second)
		w.update("c", func(d *appsv1.Deployment) { d.Annotations[annotation.OverrideKey] = "1 until 2026-06-02T09:00:00Z" })
		if w.size("c") != 1 || w.size("b") != 0 {
			t.Errorf("sizes: c %d, b %d", w.size("c"), w.size("b"))
		}
		time.Sleep(5 * time.Minute)
		w.within(map[string]time.Duration{"a": 0, "c": 10 * time.Second, "b": 70 * time.Second})
	})
}

// TestANewLeaderGoesOnInTheMiddle: who waits and who is on their way is all on the objects.
func TestANewLeaderGoesOnInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []*appsv1.Deployment
		for i := range 30 {
			all = append(all, sleeper(fmt.Sprintf("%02d", i), fmt.Sprint(1+i/10)))
		}
		w := night(t, wave.Limits{Concurrency: 3}, after(10*time.Second), all...)
		defer w.end()
		for range 10 {
			time.Sleep(7 * time.Second)
			w.stop()
			time.Sleep(time.Second)
			w.start()
		}
		time.Sleep(5 * time.Minute)
		type woken struct {
			name string
			at   time.Duration
		}
		var order []woken
		for name, at := range w.woken() {
			order = append(order, woken{name, at})
		}
		slices.SortFunc(order, func(x, y woken) int { return int(x.at - y.at) })
		if len(order) != len(all) {
			t.Fatalf("%d are awake", len(order))
		}
		for i, o := range order {
			if i >= 3 && o.at-order[i-3].at < 10*time.Second {
				t.Errorf("%v is the fourth at once after %v", o, order[i-3])
			}
			if i > 0 && o.name[0] < order[i-1].name[0] {
				t.Errorf("%v comes after %v", o, order[i-1])
			}
		}
	})
}

// TestDownInReverse: what sleeps at one instant does so from the highest wave down, and waits for nobody.
func TestDownInReverse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []*appsv1.Deployment
		for _, name := range []string{"3", "1", "4", "2"} {
			all = append(all, sleeper(name, name))
		}
		w := prepareNight(t, all...)
		w.start()
		defer w.stop()
		time.Sleep(time.Until(morning.Add(time.Hour)))
		w.patcher.clear()
		time.Sleep(12 * time.Hour)
		var order []string
		for _, s := range w.patcher.scaled() {
			if *s.size == 0 {
				order = append(order, s.key.Name)
			}
		}
		if got := strings.Join(order, ""); got != "4321" {
			t.Errorf("down in the order %s", got)
		}
	})
}
