package main

import (
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"

	"curfew/cmd/internal/version"
	"curfew/cmd/kubectl-curfew/exit"
	"curfew/cmd/kubectl-curfew/explain"
	"curfew/cmd/kubectl-curfew/imports"
	"curfew/cmd/kubectl-curfew/lint"
	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/cmd/kubectl-curfew/override"
	"curfew/cmd/kubectl-curfew/plan"
	"curfew/cmd/kubectl-curfew/status"
	"curfew/cmd/kubectl-curfew/timeline"
)

const about = `See, plan and steer what Curfew does.

Curfew scales workloads by the clock, as rules in their annotations say. This
plugin acts with your own rights and no others.`

const examples = `  # What holds now, and until when
  kubectl curfew status

  # What a rule means, before anybody is hurt
  kubectl curfew plan --windows 'Mon-Fri 07:00-20:00 = normal; always = 0' --timezone Europe/Berlin

  # Work late
  kubectl curfew wake deploy/shop --until 23:00`

// run carries out one command line and returns the exit code.
func run(args []string, streams genericiooptions.IOStreams, now func() time.Time) int {
	klog.SetLogger(logr.Discard()) // what client-go logs on the way to an error says nothing that the error does not
	cmd := newCommand(streams, now)
	cmd.SetArgs(args)
	err := cmd.Execute()
	report(streams, err)
	return exit.Code(err)
}

// report prints every error that was joined into one, none of them twice. What an API server or a file has put into it
// is somebody else's, so it is made safe here, whoever has done so before.
func report(streams genericiooptions.IOStreams, err error) {
	said := sets.New[string]()
	var tell func(err error)
	tell = func(err error) {
		err = exit.Cause(err)
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, err := range joined.Unwrap() {
				tell(err)
			}
			return
		}
		if err == nil {
			return
		}
		if text := output.SafeLines(live.Explain(err).Error()); !said.Has(text) {
			said.Insert(text)
			fmt.Fprintln(streams.ErrOut, "error:", text)
		}
	}
	tell(err)
}

func newCommand(streams genericiooptions.IOStreams, now func() time.Time) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "kubectl-curfew",
		Short:   "See, plan and steer what Curfew does",
		Long:    about,
		Example: examples,
		// kubectl finds the plugin by its file's name; people write it as two words.
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl curfew"},
		Version:           version.String(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	cmd.SetIn(streams.In)
	cmd.SetOut(streams.Out)
	cmd.SetErr(streams.ErrOut)
	cmd.Flags().Bool("version", false, "Print the version of this plugin and exit.") // without -v, which is verbosity elsewhere
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w\nSee '%s --help' for usage", err, cmd.CommandPath())
	})
	access := live.NewAccess(streams.ErrOut)
	access.AddFlags(cmd.PersistentFlags())
	hideRare(cmd.PersistentFlags())
	cmd.SetUsageTemplate(cmd.UsageTemplate() + "Use \"{{.Root.DisplayName}} options\" for the other flags that every command takes, such as --as and --server.\n")
	group(cmd, "See what is:",
		status.NewCommand(access, streams, now),
		explain.NewCommand(access, streams, now),
	)
	group(cmd, "See what will be:",
		plan.NewCommand(access, streams, now),
		timeline.NewCommand(access, streams, now),
		lint.NewCommand(streams),
	)
	group(cmd, "Act:", override.NewCommands(access, streams, now)...)
	group(cmd, "Move to Curfew:", imports.NewCommand(streams, now, imports.FromCluster(access), imports.Sources()...))
	cmd.AddCommand(newCompletionCommand(streams), newOptionsCommand(streams), newVersionCommand(streams))
	complete(cmd, access)
	return cmd
}

// group adds commands under a title of their own in the help.
func group(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, cmd := range commands {
		cmd.GroupID = title
		root.AddCommand(cmd)
	}
}

func newVersionCommand(streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use:                   "version",
		Short:                 "Print the version of this plugin",
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintln(streams.Out, cmd.Root().Name(), version.String())
		},
	}
}

// common are the flags of every command that its help shows. The others are shown by the command "options".
var common = sets.New("namespace", "context", "kubeconfig")

func hideRare(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		f.Hidden = !common.Has(f.Name)
		if f.Name == "cache-dir" {
			f.DefValue = "" // somebody's home
		}
	})
}

func newOptionsCommand(streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use:                   "options",
		Short:                 "Print the flags that every command takes",
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		Run: func(cmd *cobra.Command, _ []string) {
			all := pflag.NewFlagSet("", pflag.ContinueOnError)
			cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
				shown := *f
				shown.Hidden = false
				all.AddFlag(&shown)
			})
			fmt.Fprintf(streams.Out, "These flags may be given to every command:\n\n%s", all.FlagUsages())
		},
	}
}
