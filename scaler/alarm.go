package scaler

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// alarm waits for instants of the wall clock that may turn out to be sooner.
type alarm chan struct{}

func newAlarm() alarm { return make(alarm, 1) }

// ring has the instant worked out again that is waited for.
func (a alarm) ring() {
	select {
	case a <- struct{}{}:
	default:
	}
}

// wait waits for an instant, zero being never. It returns when that has come, when the alarm has rung, or when the context
// has ended, and reports whether the instant has come.
func (a alarm) wait(ctx context.Context, clk clock.WithTicker, until time.Time) (due bool) {
	var come <-chan time.Time
	if !until.IsZero() {
		timer := clk.NewTimer(max(0, until.Sub(clk.Now())))
		defer timer.Stop()
		come = timer.C()
	}
	select {
	case <-ctx.Done():
	case <-a:
	case <-come:
		return true
	}
	return false
}
