// Command story is the demo proper: a night in the life of a Deployment, told
// as it happens. See ../main.go.
//
// With KEEP=1 in its environment it leaves the cluster up at the end, and ends
// with Ctrl-C.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	narrator := newNarrator(os.Stdout)
	err := show(ctx, narrator, os.Getenv("KEEP") != "" && os.Getenv("KEEP") != "0")
	stop()
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(os.Stderr, narrator.bad("demo: "+err.Error()))
		os.Exit(1)
	}
}

// show sets the stage, tells the story and clears up.
func show(ctx context.Context, narrator *narrator, keep bool) error {
	stage, err := setStage(ctx, narrator)
	if err != nil {
		return err
	}
	defer stage.clear()
	if err := tell(ctx, stage); err != nil {
		return fmt.Errorf("%w\n\nWhat Curfew said:\n%s", err, stage.curfew.Log)
	}
	if !keep {
		narrator.say("It all went as told. KEEP=1 would have left the cluster up.")
		return nil
	}
	narrator.say("It all went as told. The cluster stays up until you press Ctrl-C:")
	narrator.quote(fmt.Sprintf("export KUBECONFIG=%s\nalias kubectl=%s", stage.cluster.Kubeconfig, stage.cluster.Kubectl))
	<-ctx.Done()
	return nil
}
