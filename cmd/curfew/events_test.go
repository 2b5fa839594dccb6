package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"curfew/scaler"
	"curfew/scaler/kind"
)

// apiServer keeps events as an API server does: a name is taken once.
type apiServer struct {
	events.EventSink

	hold chan struct{} // nil: answers at once
	err  error

	mu           sync.Mutex
	created      map[string]*eventsv1.Event
	patched      int
	now, busiest int // requests it is at work on
}

func (a *apiServer) Create(_ context.Context, event *eventsv1.Event) (*eventsv1.Event, error) {
	defer a.enter()()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return nil, a.err
	}
	if _, there := a.created[event.Name]; there {
		return nil, apierrors.NewAlreadyExists(eventsv1.Resource("events"), event.Name)
	}
	if a.created == nil {
		a.created = map[string]*eventsv1.Event{}
	}
	a.created[event.Name] = event
	return event, nil
}

func (a *apiServer) Patch(_ context.Context, event *eventsv1.Event, _ []byte) (*eventsv1.Event, error) {
	defer a.enter()()
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, there := a.created[event.Name]; !there {
		return nil, apierrors.NewNotFound(eventsv1.Resource("events"), event.Name)
	}
	a.patched++
	return event, nil
}

func (a *apiServer) enter() (leave func()) {
	a.mu.Lock()
	a.now++
	a.busiest = max(a.busiest, a.now)
	a.mu.Unlock()
	if a.hold != nil {
		<-a.hold
	}
	return func() { a.mu.Lock(); a.now--; a.mu.Unlock() }
}

func (a *apiServer) atWork() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now
}

func someDeployment(i int) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprint("web-", i), UID: "u", ResourceVersion: "7"}}
}

// startRecorder is a recorder of a process that begins; end is its end.
func startRecorder(t *testing.T, server *apiServer) (r *recorder, ctx context.Context, end func()) {
	t.Helper()
	logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
	ctx, end = context.WithCancel(klog.NewContext(t.Context(), logger))
	r, err := recordTo(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	return r, ctx, end
}

// said is how often the log has a text.
func said(ctx context.Context, text string) int {
	return strings.Count(klog.FromContext(ctx).GetSink().(ktesting.Underlier).GetBuffer().String(), text)
}

// TestEventsAreBounded: an API server that takes no events makes Curfew neither wait nor grow without end.
func TestEventsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &apiServer{hold: make(chan struct{})}
		r, ctx, end := startRecorder(t, server)
		defer end()
		event := func(i int) {
			r.Eventf(someDeployment(i), nil, corev1.EventTypeWarning, scaler.EventInvalidAnnotation, "ReadAnnotations", "%d", i)
		}
		for i := range atOnce {
			event(i)
			synctest.Wait()
		}
		if now := server.atWork(); now != atOnce {
			t.Fatalf("%d events are being written", now)
		}
		const many = mostWaiting + 500
		for i := range many {
			event(atOnce + i)
		}
		if said(ctx, "some are dropped") != 1 {
			t.Errorf("the log says %d times that some are dropped", said(ctx, "some are dropped"))
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if now := server.atWork(); now != mostWriting {
			t.Errorf("%d events are being written after an hour of silence, want %d", now, mostWriting)
		}
		close(server.hold)
		r.flush(ctx)
		event(atOnce + many)
		r.flush(ctx)
		if len(server.created) != atOnce+mostWaiting+1 || said(ctx, "dropped=500") != 1 {
			t.Errorf("%d events arrived, want %d; the log says %d times how many were dropped", len(server.created), atOnce+mostWaiting+1, said(ctx, "dropped=500"))
		}
	})
}

// TestEventsComeAFewAtATime: however many there are, they leave the API server to the work itself.
func TestEventsComeAFewAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &apiServer{hold: make(chan struct{})}
		r, ctx, end := startRecorder(t, server)
		defer end()
		const many = 500
		for i := range many {
			r.Eventf(someDeployment(i), nil, corev1.EventTypeNormal, "WindowStarted", "Scale", "a")
		}
		for range many {
			time.Sleep(5 * time.Millisecond)
			server.hold <- struct{}{}
		}
		r.flush(ctx)
		if len(server.created) != many || server.busiest > atOnce || server.busiest < 2 {
			t.Errorf("%d events, %d of them at the same time", len(server.created), server.busiest)
		}
	})
}

// TestEventsYield: what is more urgent comes first, but does not keep events back for ever.
func TestEventsYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &apiServer{}
		r, ctx, end := startRecorder(t, server)
		defer end()
		var busy atomic.Bool
		busy.Store(true)
		ask := busy.Load
		r.busy.Store(&ask)
		for i := range 100 {
			r.Eventf(someDeployment(i), nil, corev1.EventTypeNormal, "WindowStarted", "Scale", "a")
		}
		time.Sleep(2 * time.Second)
		if sent := r.done.Load(); sent < 5 || sent > 10 {
			t.Errorf("%d events in two busy seconds", sent)
		}
		busy.Store(false)
		begun := time.Now()
		r.flush(ctx)
		if took := time.Since(begun); len(server.created) != 100 || took > longestYield {
			t.Errorf("%d events, %v later", len(server.created), took)
		}
	})
}

// TestEventsOfAStateComeOnce: what no status remembers is told once, over restarts too.
func TestEventsOfAStateComeOnce(t *testing.T) {
	namespace := func(version string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "u", ResourceVersion: version}}
	}
	changed := someDeployment(1)
	changed.ResourceVersion = "8"
	other := someDeployment(1)
	other.UID = "v"
	type said struct {
		about        runtime.Object
		reason, note string
	}
	for name, c := range map[string]struct {
		said []said // by one process after the other
		want int
	}{
		"a mistake on a Namespace":               {[]said{{namespace("1"), scaler.EventInvalidAnnotation, "a"}, {namespace("1"), scaler.EventInvalidAnnotation, "a"}}, 1},
		"the same, after another change":         {[]said{{namespace("1"), scaler.EventInvalidAnnotation, "a"}, {namespace("2"), scaler.EventInvalidAnnotation, "a"}}, 1},
		"another mistake on a Namespace":         {[]said{{namespace("1"), scaler.EventInvalidAnnotation, "a"}, {namespace("2"), scaler.EventInvalidAnnotation, "b"}}, 2},
		"a write that is refused":                {[]said{{someDeployment(1), scaler.EventWriteRefused, "a"}, {changed, scaler.EventWriteRefused, "a"}}, 1},
		"a write that is refused for two":        {[]said{{someDeployment(1), scaler.EventWriteRefused, "a"}, {someDeployment(2), scaler.EventWriteRefused, "a"}}, 2},
		"one that was deleted and made again":    {[]said{{someDeployment(1), scaler.EventWriteRefused, "a"}, {other, scaler.EventWriteRefused, "a"}}, 2},
		"what happens twice is told twice":       {[]said{{someDeployment(1), "WindowStarted", "a"}, {changed, "WindowStarted", "a"}}, 2},
		"a mistake that comes back, which is so": {[]said{{someDeployment(1), scaler.EventInvalidAnnotation, "a"}, {changed, scaler.EventInvalidAnnotation, "a"}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &apiServer{}
				for _, s := range c.said {
					r, ctx, end := startRecorder(t, server)
					r.Eventf(s.about, nil, corev1.EventTypeWarning, s.reason, "Scale", "%s", s.note)
					begun := time.Now()
					r.flush(ctx)
					if waited := time.Since(begun); waited > 0 {
						t.Errorf("the end waits %v for events that are through", waited)
					}
					end()
					time.Sleep(time.Second) // names come from the clock
				}
				if len(server.created) != c.want {
					t.Errorf("%d events, want %d", len(server.created), c.want)
				}
			})
		})
	}
}

// TestEventsAtTheEnd: a process that ends waits for its events, as long as there is hope.
func TestEventsAtTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		repeat int
		want   time.Duration
	}{
		"written":                          {},
		"refused, which ends it":           {err: apierrors.NewForbidden(eventsv1.Resource("events"), "", errors.New("no"))},
		"repeats are only counted":         {repeat: 3, want: longestQuiet},
		"an API server that does not hear": {err: errors.New("connection refused"), want: longestQuiet},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &apiServer{err: c.err}
				r, ctx, end := startRecorder(t, server)
				defer end()
				for range 1 + c.repeat {
					r.Eventf(someDeployment(1), nil, corev1.EventTypeNormal, "WindowStarted", "Scale", "a")
					synctest.Wait()
				}
				begun := time.Now()
				r.flush(ctx)
				if waited := time.Since(begun); waited != c.want {
					t.Errorf("it waits %v, want %v", waited, c.want)
				}
			})
		})
	}
	t.Run("slow, but it goes on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := &apiServer{hold: make(chan struct{})}
			r, ctx, end := startRecorder(t, server)
			defer end()
			for i := range 20 {
				r.Eventf(someDeployment(i), nil, corev1.EventTypeNormal, "WindowStarted", "Scale", "a")
			}
			go func() {
				for range 20 {
					time.Sleep(longestQuiet * 9 / 10)
					server.hold <- struct{}{}
				}
			}()
			begun := time.Now()
			r.flush(ctx)
			if waited := time.Since(begun); waited != longestFlush {
				t.Errorf("it waits %v, want %v", waited, longestFlush)
			}
			time.Sleep(time.Minute) // the rest arrives
		})
	})
}

// TestEventsOfAnyKind: an event names its object whatever the kind, also one that client-go has no type for.
func TestEventsOfAnyKind(t *testing.T) {
	rollout := kind.NewScaled(schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"}, "Rollout")
	for _, k := range append(kind.Known(), rollout) {
		t.Run(k.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &apiServer{}
				r, ctx, end := startRecorder(t, server)
				defer end()
				o := &kind.Object{Kind: k, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u", ResourceVersion: "7"}}
				r.Eventf(o, nil, corev1.EventTypeNormal, "WindowStarted", "Scale", "asleep")
				r.flush(ctx)
				want := corev1.ObjectReference{APIVersion: k.GroupVersionKind().GroupVersion().String(), Kind: k.Name, Namespace: "shop", Name: "web", UID: "u", ResourceVersion: "7"}
				if len(server.created) != 1 {
					t.Fatalf("%d events", len(server.created))
				}
				for _, event := range server.created {
					if event.Regarding != want || event.Namespace != "shop" {
						t.Errorf("in %s, about %+v; want %+v", event.Namespace, event.Regarding, want)
					}
				}
			})
		})
	}
}
