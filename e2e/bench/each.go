package bench

import (
	"context"
	"sync"

	"k8s.io/client-go/util/workqueue"
)

// each calls do with 0 to n-1, so many at a time, until one fails.
func each(ctx context.Context, n, workers int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var once sync.Once
	var failed error
	workqueue.ParallelizeUntil(ctx, workers, n, func(i int) {
		if err := do(ctx, i); err != nil {
			once.Do(func() { failed = err; stop(err) })
		}
	})
	if failed == nil {
		failed = context.Cause(ctx)
	}
	return failed
}
