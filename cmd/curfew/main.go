// Command curfew is the controller that scales workloads by the clock.
package main

import (
	"fmt"
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register" // --logging-format=json
)

func main() {
	saveMemory()
	if err := cli.RunNoErrOutput(newCommand()); err != nil {
		fmt.Fprintln(os.Stderr, "curfew:", err)
		os.Exit(1)
	}
}
