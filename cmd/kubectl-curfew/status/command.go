package status

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/observe"
)

const about = `Show what Curfew makes of Deployments and other workloads: their size now, why, until when, and what
comes then.

Without arguments, these are the Deployments of the namespace that have rules, be they
their Namespace's, or anything else of Curfew's, and what carries an annotation of
Curfew's itself of the other kinds that it knows. With --kinds they are the objects of
these kinds that have rules, be they their Namespace's, as the controller sees them if
it has the same --kinds. What is named is always shown, of whichever kind (sts/NAME),
and ns/NAME stands for what is in another namespace.

  NOW     the size it should have, and its normal one: 0/3. ? is a size nobody knows.
          A HorizontalPodAutoscaler has its minimum and maximum: 5..10/3..10; what is
          on or off, such as a CronJob, is running or suspended
  WHY     the rule that holds, or: normal, override, paused, contested by somebody,
          waiting (new), invalid, opted out, none
  UNTIL   when that ends, in the zone of its rules
  NEXT    the size from then on, and why

What should be is worked out here, from the annotations and the clock. It is compared
with what the object asks for and what Curfew has written on it, so a Curfew that
does not run does not go unnoticed: then WHY says "not applied yet".

-o json and -o yaml give a list, {"items": [...]}, or with --watch each item for itself:
  kind, namespace, name, timezone
  state     window, normal, override, paused, contested, waiting, invalid, optedOut,
            none, deleting, or with --watch gone
  rule      the rule that holds, as it was written
  source    whose rules, override, pause or mistake it is: the kind of that object, such as
            Deployment or Namespace
  size      the replicas it should ask for; normal: without any rule; replicas: does
            ask for; ready: has. Of what is on or off, 1 or 0. max and normalMax: the
            maximum that goes with size and normal, of a HorizontalPodAutoscaler
  applied   whether it is as it should be, and Curfew has said so
  until     when something else will be asked for; absent if never
  next      what that will be: size, state, rule
  message   what is wrong or in the way

The exit code is 0, or 1 if anything could not be shown.`

const examples = `  # What there is in the namespace
  kubectl curfew status

  # Everywhere, with what is in the way, and stay
  kubectl curfew status -A -o wide --watch

  # Two of them
  kubectl curfew status deploy/shop sts/db

  # StatefulSets too, whether they have rules of their own or their Namespace's
  kubectl curfew status -A --kinds deployments.apps,statefulsets.apps

  # What is not as it should be, for a script
  kubectl curfew status -A -o json | jq -r '.items[] | select(.applied | not) | .namespace + "/" + .name'`

// options are what the flags say.
type options struct {
	live.Selection
	live.Controller
	output string
	watch  bool
	colour output.Colour

	access  *live.Access
	streams genericiooptions.IOStreams
	now     func() time.Time
}

// NewCommand returns the command "status".
func NewCommand(access *live.Access, streams genericiooptions.IOStreams, now func() time.Time) *cobra.Command {
	o := &options{access: access, streams: streams, now: now}
	cmd := &cobra.Command{
		Use:                   "status [deploy/NAME ...] [flags]",
		Short:                 "Show the size of workloads now, why, and until when",
		Long:                  about,
		Example:               examples,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     access.CompleteObjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Args = args
			if !slices.Contains(outputs(), o.output) {
				return fmt.Errorf("--output: %q is not a format; it is one of %s", o.output, strings.Join(outputs()[1:], ", "))
			}
			settings, err := o.Settings()
			if err != nil {
				return err
			}
			if o.watch {
				return o.follow(cmd.Context(), settings)
			}
			return o.once(cmd.Context(), settings)
		},
	}
	flags := cmd.Flags()
	o.Selection.AddFlags(flags)
	o.Controller.AddFlags(flags)
	flags.StringVarP(&o.output, "output", "o", o.output, "Format of the output: "+strings.Join(outputs()[1:], ", ")+". (default a table)")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputs()[1:], cobra.ShellCompDirectiveNoFileComp))
	flags.BoolVarP(&o.watch, "watch", "w", o.watch, "Stay, and show each object again when anything about it changes.")
	o.colour.AddFlag(flags)
	return cmd
}

func outputs() []string { return []string{"", "wide", "json", "yaml", "name"} }

// once shows how things stand.
func (o *options) once(ctx context.Context, settings observe.Settings) error {
	subjects, failed := o.access.Load(ctx, o.Selection, settings)
	now := o.now()
	items := []Item{} // never null
	for _, s := range o.shown(subjects) {
		items = append(items, Of(s, now))
	}
	if failed != nil && len(items) == 0 {
		return failed
	}
	if len(items) == 0 && failed == nil && o.output != "json" && o.output != "yaml" {
		return o.nothingThere(ctx)
	}
	return errors.Join(failed, o.print(items, now))
}

// shown leaves out what Curfew has nothing to do with, unless it was asked for by name.
func (o *options) shown(subjects []live.Subject) []live.Subject {
	if o.Named() {
		return subjects
	}
	return slices.DeleteFunc(slices.Clone(subjects), func(s live.Subject) bool { return !s.Concerned() })
}

// nothingThere says so, and what to do, as kubectl does. It is an error if there is no such namespace either.
func (o *options) nothingThere(ctx context.Context) error {
	where, hint := "", ", or look everywhere with -A"
	switch {
	case o.AllNamespaces:
		hint = ""
	case len(o.Args) > 0: // Namespaces, which are there
		where = " in " + output.Safe(strings.Join(o.Args, " "))
	default:
		namespace, err := o.access.Namespace()
		if err != nil {
			return err
		}
		client, err := o.access.Client()
		if err != nil {
			return err
		}
		if _, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{}); apierrors.IsNotFound(err) {
			return err // whatever else is wrong, it is not what was asked for
		}
		where = " in " + namespace + " namespace"
	}
	if o.Selector != "" {
		where += " with the labels " + o.Selector
	}
	fmt.Fprintf(o.streams.ErrOut, "Nothing with rules of Curfew's found%s.\n"+
		"Give one rules with\n"+
		"  kubectl annotate deploy/NAME curfew/timezone=Europe/Berlin curfew/windows='Mon-Fri 20:00-07:00 = 0'\n"+
		"see first what they would do with 'kubectl curfew plan'%s.\n", where, hint)
	return nil
}

func (o *options) print(items []Item, now time.Time) error {
	switch o.output {
	case "json":
		return output.JSON(o.streams.Out, ItemList{items})
	case "yaml":
		return output.YAML(o.streams.Out, ItemList{items})
	}
	p := o.printer()
	return p.print(items, now)
}

// follow shows how things stand and then what changes, until somebody interrupts.
func (o *options) follow(ctx context.Context, settings observe.Settings) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	seen, ended := make(chan []live.Subject), make(chan error, 1)
	go func() {
		ended <- o.access.Watch(ctx, o.Selection, settings, func(subjects []live.Subject) {
			select {
			case seen <- o.shown(subjects):
			case <-ctx.Done():
			}
		})
	}()
	p := o.printer()
	first := true
	return watch(ctx, seen, o.now, func(items []Item, now time.Time) error {
		if first && len(items) == 0 {
			if err := o.nothingThere(ctx); err != nil {
				return err
			}
		}
		first = false
		return p.print(items, now)
	}, ended)
}
