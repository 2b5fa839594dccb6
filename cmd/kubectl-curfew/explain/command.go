package explain

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/observe"
)

const about = `Explain the size of one object, such as a Deployment or a StatefulSet: everything that has
a say, and what becomes of it.

  Decision     what should be now and why, worked out here from the annotations and the clock
  Inputs       what it is made from, and where each comes from: the object, its Namespace,
               a flag of the controller, an autoscaler, or whoever set the size last
  Overrides    those that somebody wrote, running or not
  Rules        from top to bottom; the first whose time it is holds, and is marked with >
  Problems     mistakes in full, with a caret under the place
  Curfew said  what the controller has written on the object. Where that is not what
               is so, the controller may not be running
  Changes      the next ten, if everybody but Curfew leaves the object alone
  Events       Curfew's last ten about it

-o json and -o yaml give what status gives of an object, and besides: decision, inputs
(name, value, from), overrides and rules (text, holds, verdict), problems, said, changes (at,
size, state, rule) and events (at, type, reason, note). events is null if they may not be read.

The exit code is 0, or 1 if the object could not be read.`

const examples = `  # Why is it that size?
  kubectl curfew explain deploy/shop

  # A StatefulSet; a custom resource that has a scale subresource
  kubectl curfew explain sts/db
  kubectl curfew explain rollouts.argoproj.io/shop

  # The next change, for a script
  kubectl curfew explain deploy/shop -o json | jq '.changes[0]'`

// options are what the flags say.
type options struct {
	live.Controller
	output string
	colour output.Colour

	access  *live.Access
	streams genericiooptions.IOStreams
	now     func() time.Time
}

// NewCommand returns the command "explain".
func NewCommand(access *live.Access, streams genericiooptions.IOStreams, now func() time.Time) *cobra.Command {
	o := &options{access: access, streams: streams, now: now}
	cmd := &cobra.Command{
		Use:                   "explain KIND/NAME [flags]",
		Short:                 "Explain the size of an object: what has a say, and what wins",
		Long:                  about,
		Example:               examples,
		DisableFlagsInUseLine: true,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if named(args) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return access.CompleteObjects(cmd, args, toComplete)
		},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("which object? Write %s deploy/NAME, or another kind; '%s status' lists them", cmd.CommandPath(), cmd.Root().DisplayName())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains([]string{"", "json", "yaml"}, o.output) {
				return fmt.Errorf("--output: %q is not a format; it is json or yaml", o.output)
			}
			settings, err := o.Settings()
			if err != nil {
				return err
			}
			return o.run(cmd.Context(), args, settings)
		},
	}
	flags := cmd.Flags()
	o.AddFlags(flags)
	flags.StringVarP(&o.output, "output", "o", o.output, "Format of the output: json, yaml. (default sections of text)")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]cobra.Completion{"json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	o.colour.AddFlag(flags)
	return cmd
}

// named reports whether the arguments name an object.
func named(args []string) bool {
	return len(args) > 1 || len(args) == 1 && strings.Contains(args[0], "/")
}

func (o *options) run(ctx context.Context, args []string, settings observe.Settings) error {
	if len(args) == 1 && !named(args) && live.IsKind(args[0]) {
		return fmt.Errorf("which one? Write %s/NAME", output.Safe(args[0]))
	}
	subjects, err := o.access.Load(ctx, live.Selection{Args: args}, settings)
	if err != nil {
		return err
	}
	if len(subjects) != 1 {
		return fmt.Errorf("one object is explained at a time, and this names %d; write deploy/NAME, or another kind", len(subjects))
	}
	events, err := o.events(ctx, subjects[0])
	if err != nil {
		return err
	}
	e := Of(subjects[0], events, o.now())
	switch o.output {
	case "json":
		return output.JSON(o.streams.Out, e)
	case "yaml":
		return output.YAML(o.streams.Out, e)
	}
	return printer{e, o.streams.Out, o.colour.On(o.streams.Out, os.Getenv)}.print()
}

// events reads the events; nil if that is not allowed, which is no reason to say nothing else.
func (o *options) events(ctx context.Context, s live.Subject) ([]Event, error) {
	client, err := o.access.Client()
	if err != nil {
		return nil, err
	}
	events, err := readEvents(ctx, client, s.Object.Object)
	if apierrors.IsForbidden(err) {
		fmt.Fprintf(o.streams.ErrOut, "warning: %s; events are not shown\n", live.Explain(err))
		return nil, nil
	}
	return events, err
}
