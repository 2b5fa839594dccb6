package scaler

import (
	"context"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// longestForeign is how long the caches of foreign kinds are waited for. A list of them takes seconds where there are
// thousands; a webhook that is gone, without which they cannot be read, may be gone for ever.
const longestForeign = 15 * time.Second

// caches are those that are filled from the API server, and what tells that they are.
type caches []filling

type filling struct {
	what    string
	foreign bool
	filled  []cache.DoneChecker
}

func (f filling) done() bool {
	for _, checker := range f.filled {
		select {
		case <-checker.Done():
		default:
			return false
		}
	}
	return true
}

// synced reports whether all are filled but those of foreign kinds.
func (all caches) synced() bool {
	for _, f := range all {
		if !f.foreign && !f.done() {
			return false
		}
	}
	return true
}

// await waits until all are filled; for those of foreign kinds not for long. It reports false if the context ends
// before.
func (all caches) await(ctx context.Context) bool {
	logger := klog.FromContext(ctx)
	var own, foreign []cache.DoneChecker
	for _, f := range all {
		if f.foreign {
			foreign = append(foreign, f.filled...)
		} else {
			own = append(own, f.filled...)
		}
	}
	quiet := klog.NewContext(ctx, logger.V(4)) // it is talkative
	if !cache.WaitFor(quiet, "the cache", own...) {
		return false
	}
	within, cancel := context.WithTimeout(quiet, longestForeign)
	defer cancel()
	if !cache.WaitFor(within, "the cache of foreign kinds", foreign...) && ctx.Err() == nil {
		logger.Info("The API server does not list some kinds: they are looked after as soon as it does", "kinds", all.unfilled())
	}
	return ctx.Err() == nil
}

// unfilled are those that are not filled.
func (all caches) unfilled() []string {
	var names []string
	for _, f := range all {
		if !f.done() {
			names = append(names, f.what)
		}
	}
	return names
}
