// Command kubectl-curfew is the plugin behind "kubectl curfew": see what rules mean before they are applied.
package main

import (
	"os"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func main() {
	os.Exit(run(os.Args[1:], genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}, time.Now))
}
