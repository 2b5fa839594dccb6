package scaler

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// Timers measure elapsed time, and windows are wall time. The two part when somebody sets the clock, and when the host
// sleeps. stepCheck is how often that is looked for, smallestStep what it takes to be acted on; what is smaller is the
// clock being slewed, which a timer that fires early or late by as much is corrected for when it fires.
const (
	stepCheck    = 5 * time.Second
	smallestStep = 200 * time.Millisecond
)

// watchSteps calls stepped each time the wall clock has moved by more or less than the time that passed.
func watchSteps(ctx context.Context, clk clock.WithTicker, stepped func(by time.Duration)) {
	start := clk.Now()
	ticker := clk.NewTicker(stepCheck)
	defer ticker.Stop()
	var before time.Duration
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
		// Round drops the monotonic reading, so that the first difference is one of wall clocks.
		ahead := clk.Now().Round(0).Sub(start.Round(0)) - clk.Since(start)
		if by := ahead - before; by.Abs() >= smallestStep {
			before = ahead
			stepped(by)
		}
	}
}
