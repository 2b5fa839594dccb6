// Command demo shows Curfew at work on a real API server. `make demo` runs it.
//
// It builds what it needs, says so, and hands over to the program in story/.
// It is a program of its own, of the standard library alone, so that there is
// something to read before the first minutes of compiling are over.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"curfew/e2e/build"
)

func main() {
	story, err := prepare()
	if err == nil {
		// The story takes this process over: its signals, its exit code.
		err = syscall.Exec(story, []string{story}, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "demo:", err)
	os.Exit(1)
}

func prepare() (story string, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Println("Curfew scales workloads by the clock. This is a real Kubernetes API server on\n" +
		"loopback, and one Deployment whose night begins in a few seconds.")
	fmt.Println()
	module, err := build.Module()
	if err != nil {
		return "", err
	}
	if _, err := build.Control(ctx, module, os.Stdout); err != nil {
		return "", err
	}
	if _, err := build.Program(ctx, module, "curfew", os.Stdout); err != nil {
		return "", err
	}
	return build.Story(ctx, module, os.Stdout)
}
