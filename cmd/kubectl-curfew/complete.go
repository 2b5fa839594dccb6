package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/kind"
	"curfew/timewindow"
)

// knownKinds are the kinds that Curfew knows by itself, as --kinds has them.
func knownKinds() []string {
	var names []string
	for _, k := range kind.Known() {
		names = append(names, k.String())
	}
	return names
}

// complete lets a shell complete the values of flags that mean the same on every command.
func complete(root *cobra.Command, access *live.Access) {
	offer := func(cmd *cobra.Command, flag string, values func() []string) {
		// An error would say that the command has said so itself.
		_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return slices.DeleteFunc(values(), func(value string) bool { return !strings.HasPrefix(value, toComplete) }), cobra.ShellCompDirectiveNoFileComp
		})
	}
	offer(root, "context", access.Contexts)
	offer(root, "namespace", func() []string { return access.NamespaceNames(root.Context()) })
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			switch {
			case strings.HasSuffix(f.Name, "timezone"):
				offer(cmd, f.Name, timewindow.ZoneNames)
			case f.Name == "kinds":
				offer(cmd, f.Name, knownKinds)
			case f.Name == "color":
				offer(cmd, f.Name, func() []string { return []string{"auto", "always", "never"} })
			}
		})
	}
}
