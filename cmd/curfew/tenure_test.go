package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
)

// host is the clocks of a machine that can be set and that can sleep.
type host struct {
	clock.RealClock
	ahead time.Duration // of the wall clock, beyond what elapsed

	mu   sync.Mutex
	real map[time.Time]time.Time // by what Now has said: what a monotonic reading would be
}

func (h *host) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	wall := now.Round(0).Add(h.ahead)
	if h.real == nil {
		h.real = map[time.Time]time.Time{}
	}
	h.real[wall] = now
	return wall
}

func (h *host) Since(t time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(h.real[t])
}

func TestTenure(t *testing.T) {
	const lasts = 10 * time.Second
	for name, c := range map[string]struct {
		happens func(*tenure, *host)
		want    bool
	}{
		"never led":               {func(*tenure, *host) {}, false},
		"has just renewed":        {func(n *tenure, h *host) { n.set(h.Now()) }, true},
		"renewed a while ago":     {func(n *tenure, h *host) { n.set(h.Now()); time.Sleep(lasts - 1) }, true},
		"frozen until it is over": {func(n *tenure, h *host) { n.set(h.Now()); time.Sleep(lasts) }, false},
		"the host slept":          {func(n *tenure, h *host) { n.set(h.Now()); h.ahead += 42 * time.Minute }, false},
		"the clock was set back":  {func(n *tenure, h *host) { n.set(h.Now()); h.ahead -= time.Hour }, false},
		"the clock is slewed":     {func(n *tenure, h *host) { n.set(h.Now()); h.ahead -= time.Second }, true},
		"set back, and renewed":   {func(n *tenure, h *host) { n.set(h.Now()); h.ahead -= time.Hour; n.set(h.Now()) }, true},
		"let go":                  {func(n *tenure, h *host) { n.set(h.Now()); n.set(time.Time{}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{}
				n := newTenure(h, lasts)
				c.happens(n, h)
				sent := 0
				guarded := n.guard(roundTripper(func(*http.Request) (*http.Response, error) {
					sent++
					return &http.Response{Body: io.NopCloser(strings.NewReader(""))}, nil
				}))
				ask := func(method string) error {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					r, err := http.NewRequestWithContext(ctx, method, "http://host", nil)
					if err != nil {
						t.Fatal(err)
					}
					answer, err := guarded.RoundTrip(r)
					if err == nil {
						answer.Body.Close()
					}
					return err
				}
				if err := ask(http.MethodPatch); (err == nil) != c.want || err != nil && !errors.Is(err, errNotSurelyLeading) {
					t.Errorf("a write: %v", err)
				}
				if err := ask(http.MethodGet); err != nil {
					t.Errorf("a read: %v", err)
				}
				if want := map[bool]int{true: 2, false: 1}[c.want]; sent != want {
					t.Errorf("%d requests were sent, want %d", sent, want)
				}
			})
		})
	}
}

// A write that has no answer is given up when the tenure ends; one that waited for a new tenure is decided anew.
func TestTenureEndsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		n := newTenure(h, 10*time.Second)
		n.set(h.Now())
		time.Sleep(4 * time.Second)
		begun := time.Now()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, "http://host", nil)
		if err != nil {
			t.Fatal(err)
		}
		guarded := n.guard(roundTripper(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}))
		send := func() error {
			answer, err := guarded.RoundTrip(r)
			if err == nil {
				answer.Body.Close()
			}
			return err
		}
		if err := send(); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != 6*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		time.AfterFunc(time.Minute, func() { n.set(h.Now()) })
		if err := send(); !errors.Is(err, errNotSurelyLeading) || time.Since(begun) != 66*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

// lease is one that answers as it is told.
type lease struct {
	resourcelock.Interface
	holder string
	err    error
	takes  time.Duration
	wrote  []string // the holders
}

func (l *lease) Identity() string { return "me" }

func (l *lease) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	return &resourcelock.LeaderElectionRecord{HolderIdentity: l.holder}, nil, l.err
}

func (l *lease) Update(_ context.Context, record resourcelock.LeaderElectionRecord) error {
	time.Sleep(l.takes)
	l.wrote = append(l.wrote, record.HolderIdentity)
	return l.err
}

func (l *lease) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.Update(ctx, record)
}

func TestTenureFollowsTheLease(t *testing.T) {
	mine, nobody := resourcelock.LeaderElectionRecord{HolderIdentity: "me"}, resourcelock.LeaderElectionRecord{}
	for name, c := range map[string]struct {
		led     bool
		lease   lease
		asks    func(context.Context, tenureLock)
		left    time.Duration
		hasLost bool
	}{
		"taken":                  {false, lease{}, func(ctx context.Context, l tenureLock) { _ = l.Create(ctx, mine) }, 10 * time.Second, false},
		"renewed slowly":         {true, lease{takes: 4 * time.Second}, func(ctx context.Context, l tenureLock) { _ = l.Update(ctx, mine) }, 6 * time.Second, false},
		"not renewed":            {true, lease{takes: 4 * time.Second, err: io.EOF}, func(ctx context.Context, l tenureLock) { _ = l.Update(ctx, mine) }, 5 * time.Second, false},
		"let go":                 {true, lease{}, func(ctx context.Context, l tenureLock) { _ = l.Update(ctx, nobody) }, 0, false},
		"let go, but not surely": {true, lease{err: io.EOF}, func(ctx context.Context, l tenureLock) { _ = l.Update(ctx, nobody) }, 0, false},
		"still its own":          {true, lease{holder: "me"}, func(ctx context.Context, l tenureLock) { _, _, _ = l.Get(ctx) }, 9 * time.Second, false},
		"somebody else's":        {true, lease{holder: "you"}, func(ctx context.Context, l tenureLock) { _, _, _ = l.Get(ctx) }, 0, true},
		"nobody's":               {true, lease{}, func(ctx context.Context, l tenureLock) { _, _, _ = l.Get(ctx) }, 0, false},
		"not to be read":         {true, lease{err: io.EOF}, func(ctx context.Context, l tenureLock) { _, _, _ = l.Get(ctx) }, 9 * time.Second, false},
		"standing by":            {false, lease{holder: "you"}, func(ctx context.Context, l tenureLock) { _, _, _ = l.Get(ctx) }, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newTenure(clock.RealClock{}, 10*time.Second)
				if c.led {
					n.set(time.Now())
					time.Sleep(time.Second)
				}
				lost := false
				c.asks(t.Context(), tenureLock{&c.lease, n, func() { lost = true }})
				if left, _ := n.left(); left != c.left || lost != c.hasLost {
					t.Errorf("%v is left, and lost is %v", left, lost)
				}
			})
		})
	}
}

func TestLetGo(t *testing.T) {
	gone := apierrors.NewNotFound(coordinationv1.Resource("leases"), "curfew")
	for name, c := range map[string]struct {
		lease lease
		wrote int
		err   error
	}{
		"its own":         {lease{holder: "me"}, 1, nil},
		"somebody else's": {lease{holder: "you"}, 0, nil},
		"nobody's":        {lease{}, 0, nil},
		"gone":            {lease{err: gone}, 0, nil},
		"not to be read":  {lease{err: io.EOF}, 0, io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			if err := letGo(t.Context(), &c.lease); !errors.Is(err, c.err) || len(c.lease.wrote) != c.wrote {
				t.Errorf("%v, and it wrote %q", err, c.lease.wrote)
			}
		})
	}
}
