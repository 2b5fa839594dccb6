package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// completionScript is what kubectl runs to complete the words after "kubectl curfew". It must stand on the PATH under
// the name kubectl_complete-curfew, which is how kubectl finds it.
const completionScript = `#!/usr/bin/env sh
exec kubectl curfew __complete "$@"
`

func newCompletionCommand(streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use:   "completion",
		Short: "Print the script that completes commands, flags and names in your shell",
		Long: `Print the script that completes commands, flags and names in your shell.

kubectl completes the words after "kubectl curfew" by a program with the name
kubectl_complete-curfew. Put the script that this prints on your PATH under that
name. It works in every shell in which kubectl itself completes: see
"kubectl completion --help".`,
		Example: `  # Once, into a directory on your PATH
  kubectl curfew completion > ~/.local/bin/kubectl_complete-curfew
  chmod +x ~/.local/bin/kubectl_complete-curfew`,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		Run:                   func(*cobra.Command, []string) { fmt.Fprint(streams.Out, completionScript) },
	}
}
