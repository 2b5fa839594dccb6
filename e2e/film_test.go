package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"curfew/e2e/harness"
)

// frame is one state of a Deployment.
type frame struct {
	name string
	size int32
	up   bool // it has all the replicas that it asks for
	seen time.Time
}

// rising tells whether it was woken and is not up yet.
func (f frame) rising() bool { return f.size > 0 && !f.up }

// film is every state of every Deployment of a namespace, in the order in which
// the API server had them, which is one order for all.
type film struct {
	mu     sync.Mutex
	frames []frame
}

// startFilm films until the test ends.
func (s *space) startFilm() *film {
	s.Helper()
	ctx, stop := context.WithCancel(s.ctx)
	list, err := s.deployments().List(ctx, metav1.ListOptions{})
	s.must(err)
	// A busy API server closes a watch that is read too slowly; then it goes on from where it was.
	stream, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return s.deployments().Watch(ctx, o)
		},
	})
	s.must(err)
	f := &film{}
	done := make(chan struct{})
	s.Cleanup(func() {
		stop()
		<-done
	})
	go func() {
		defer close(done)
		for event := range stream.ResultChan() {
			if d, ok := event.Object.(*appsv1.Deployment); ok && event.Type != watch.Deleted {
				f.add(d)
			} else if ctx.Err() == nil {
				s.Errorf("the film has torn: %v", event)
			}
		}
	}()
	return f
}

func (f *film) add(d *appsv1.Deployment) {
	size := harness.Size(d)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frames = append(f.frames, frame{
		name: d.Name, size: size, seen: time.Now(),
		up: d.Status.ObservedGeneration >= d.Generation && d.Status.AvailableReplicas >= size,
	})
}

// show plays what there is so far: now is the state of each, with was before.
func (f *film) show(each func(now map[string]frame, was, is frame)) {
	f.mu.Lock()
	frames := f.frames
	f.mu.Unlock()
	now := map[string]frame{}
	for _, is := range frames {
		was := now[is.name]
		now[is.name] = is
		each(now, was, is)
	}
}

// wave is of which wave a Deployment is by its name, "w2-017"; 0 for none.
func (f frame) wave() int {
	var wave int
	if _, err := fmt.Sscanf(f.name, "w%d-", &wave); err != nil {
		return 0
	}
	return wave
}

// checkWaves checks that nobody woke before all of lower waves were up, but for
// some that need not be waited for.
func (f *film) checkWaves(s *space, all []string, excused ...string) {
	s.Helper()
	free := map[string]bool{}
	for _, name := range excused {
		free[name] = true
	}
	f.show(func(now map[string]frame, was, is frame) {
		if was.size > 0 || is.size == 0 || is.wave() == 0 || free[is.name] {
			return
		}
		for _, name := range all {
			other, known := now[name]
			if !known {
				other.name = name
			}
			if w := other.wave(); w > 0 && w < is.wave() && !free[name] && (other.size == 0 || other.rising()) {
				s.Errorf("%s wakes while %s is not up: %+v", is.name, name, other)
			}
		}
	})
}

// most are those of whom most were on their way at once, by when that began. It
// does not count some, nor who is in no wave, such as Curfew's own Deployment.
func (f *film) most(not ...string) map[string]time.Time {
	var most map[string]time.Time
	rising := map[string]time.Time{}
	f.show(func(_ map[string]frame, _, is frame) {
		if is.wave() == 0 {
			return
		}
		for _, name := range not {
			if is.name == name {
				return
			}
		}
		if _, was := rising[is.name]; !is.rising() {
			delete(rising, is.name)
		} else if !was {
			rising[is.name] = is.seen
		}
		if len(rising) > len(most) {
			most = maps.Clone(rising)
		}
	})
	return most
}
