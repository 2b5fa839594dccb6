package main

import (
	"fmt"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	cliflag "k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/term"

	"curfew/cmd/internal/version"
)

const about = `Curfew scales workloads by the clock.

A Deployment, or whatever else --kinds names, says in its annotations when it
should run and at what size; Curfew makes that so right now, and writes only when
something has to change. It needs either a --kubeconfig or to run in a cluster.`

func newCommand() *cobra.Command {
	o := newOptions()
	flags := o.flags()
	cmd := &cobra.Command{
		Use:           "curfew",
		Short:         "Scale workloads by the clock",
		Long:          about,
		Version:       version.String(),
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := logsapi.ValidateAndApply(o.logging, nil); err != nil {
				return err
			}
			if err := o.complete(); err != nil {
				return fmt.Errorf("%w\nsee 'curfew --help'", err)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return run(ctx, o)
		},
	}
	global := flags.FlagSet("global")
	global.BoolP("help", "h", false, "Show this help.")
	global.Bool("version", false, "Show the version.")
	for _, set := range flags.FlagSets {
		cmd.Flags().AddFlagSet(set)
	}
	columns, _, _ := term.TerminalSize(cmd.OutOrStdout())
	cliflag.SetUsageAndHelpFunc(cmd, flags, columns)
	return cmd
}
