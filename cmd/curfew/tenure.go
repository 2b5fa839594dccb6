package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
)

var errNotSurelyLeading = errors.New("not sent, for the lease may have run out")

// tenure is the time for which this process surely leads. A process that was frozen, or whose host slept, finds its
// timers where it left them and believes itself the leader until it has looked at the lease again; by then another one
// may be at work. So every write is held to the tenure at the moment it is sent.
//
// It lasts for a while from the beginning of the request that renewed the lease last, by the wall clock and by the
// monotonic one: the latter stands still while a host sleeps, the former can be set.
type tenure struct {
	clock clock.PassiveClock
	lasts time.Duration

	mu      sync.Mutex
	since   time.Time     // zero: it has not begun, or is over
	changed chan struct{} // closed and replaced when since has changed
}

func newTenure(clk clock.PassiveClock, lasts time.Duration) *tenure {
	return &tenure{clock: clk, lasts: lasts, changed: make(chan struct{})}
}

// set begins it anew, or ends it if since is zero. It reports whether it had begun before.
func (t *tenure) set(since time.Time) (had bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	had = !t.since.IsZero()
	t.since = since
	close(t.changed)
	t.changed = make(chan struct{})
	return had
}

// left is how much of it is left, which is nothing or less if it is over.
func (t *tenure) left() (time.Duration, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.since.IsZero() {
		return 0, t.changed
	}
	wall := t.clock.Now().Round(0).Sub(t.since.Round(0)) // Round drops the monotonic reading
	return t.lasts - max(t.clock.Since(t.since), wall.Abs()), t.changed
}

// guard lets no write pass that is outside the tenure, and gives up what has no answer when it ends. Outside, a write
// waits for a new tenure and fails nevertheless: what it was decided on may have changed.
func (t *tenure) guard(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet {
			return next.RoundTrip(r)
		}
		left, changed := t.left()
		if left <= 0 {
			for left <= 0 && r.Context().Err() == nil {
				select {
				case <-changed:
					left, changed = t.left()
				case <-r.Context().Done():
				}
			}
			return nil, errNotSurelyLeading
		}
		ctx, cancel := context.WithTimeout(r.Context(), left)
		answer, err := next.RoundTrip(r.WithContext(ctx))
		if err != nil {
			cancel()
			return nil, err
		}
		answer.Body = bodyThen{answer.Body, cancel}
		return answer, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip sends a request.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// bodyThen calls a function when a body has been closed.
type bodyThen struct {
	io.ReadCloser
	then func()
}

// Close closes the body.
func (b bodyThen) Close() error {
	defer b.then()
	return b.ReadCloser.Close()
}

// tenureLock tells a tenure what becomes of the lease.
type tenureLock struct {
	resourcelock.Interface
	tenure *tenure
	lost   func() // is called when another one is seen to hold the lease after this one did
}

// Get reads the lease.
func (l tenureLock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	if err == nil && record.HolderIdentity != l.Identity() {
		if l.tenure.set(time.Time{}) && record.HolderIdentity != "" {
			l.lost()
		}
	}
	return record, raw, err
}

// Create makes the lease, with this process as the holder.
func (l tenureLock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.write(ctx, record, l.Interface.Create)
}

// Update renews the lease, takes it or lets it go.
func (l tenureLock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.write(ctx, record, l.Interface.Update)
}

func (l tenureLock) write(ctx context.Context, record resourcelock.LeaderElectionRecord, write func(context.Context, resourcelock.LeaderElectionRecord) error) error {
	begun := l.tenure.clock.Now() // others count from when they see it, which is later
	if record.HolderIdentity != l.Identity() {
		begun = time.Time{}
		l.tenure.set(begun) // from now on, whether or not it is heard of
	}
	err := write(ctx, record)
	if err == nil {
		l.tenure.set(begun)
	}
	return err
}
