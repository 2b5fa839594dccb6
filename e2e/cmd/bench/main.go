// Command bench measures Curfew at scale. `make bench` runs it; see package
// bench.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"curfew/e2e/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := bench.NewCommand().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
