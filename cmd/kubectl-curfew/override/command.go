package override

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/kubernetes/scheme"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/timewindow"
)

// options are what the flags of one command say.
type options struct {
	verb       verb
	selection  live.Selection
	controller live.Controller
	lasts      string
	until      string
	replicas   string
	yes        bool
	dryRun     string
	print      *genericclioptions.PrintFlags

	access  *live.Access
	streams genericiooptions.IOStreams
	now     func() time.Time

	request request
	printer printers.ResourcePrinter // nil: say in words
}

// NewCommands returns the commands "wake", "sleep", "hold", "resume", "pause" and "unpause".
func NewCommands(access *live.Access, streams genericiooptions.IOStreams, now func() time.Time) []*cobra.Command {
	var commands []*cobra.Command
	for _, v := range verbs() {
		o := &options{verb: v, dryRun: "none", access: access, streams: streams, now: now}
		commands = append(commands, o.command())
	}
	return commands
}

func (o *options) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:                   o.verb.name + " (KIND/NAME ... | ns/NAME ... | -l SELECTOR | -A) [flags]",
		Short:                 o.verb.short,
		Long:                  o.verb.about,
		Example:               o.verb.examples,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     o.access.CompleteObjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.selection.Args = args
			if err := o.complete(cmd); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	o.selection.AddFlags(flags)
	if o.verb.sets() {
		flags.StringVar(&o.lasts, "for", o.lasts, "For how long, such as 2h, 90m or 1d12h.")
		flags.StringVar(&o.until, "until", o.until, "Until when, such as 22:00, 2026-06-05, 2026-06-05T22:00 or 2026-06-05T22:00:00+02:00.")
		flags.StringVar(&o.replicas, "replicas", o.replicas, "The size, as in a rule: 2, 50% or normal; of a HorizontalPodAutoscaler also 3..10.")
	}
	flags.BoolVarP(&o.yes, "yes", "y", o.yes, "Do not ask before many objects are changed.")
	flags.StringVar(&o.dryRun, "dry-run", o.dryRun, `Change nothing: "client" says what would be sent, "server" has the API server check it.`)
	_ = cmd.RegisterFlagCompletionFunc("dry-run", cobra.FixedCompletions([]cobra.Completion{"none", "client", "server"}, cobra.ShellCompDirectiveNoFileComp))
	o.controller.AddFlags(flags)
	o.print = genericclioptions.NewPrintFlags("").WithTypeSetter(scheme.Scheme)
	o.print.AddFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(o.print.AllowedFormats(), cobra.ShellCompDirectiveNoFileComp))
	for _, rare := range []string{"allow-missing-template-keys", "template"} {
		flags.Lookup(rare).Hidden = true
	}
	return cmd
}

// complete checks the flags and derives what follows from them. The error names the flag.
func (o *options) complete(cmd *cobra.Command) error {
	if err := o.checkArgs(cmd); err != nil {
		return err
	}
	var errs []error
	refuse := func(flag string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
		}
	}
	o.request = request{verb: o.verb, many: o.selection.Selector != "" || o.selection.AllNamespaces}
	changed := cmd.Flags().Changed
	switch {
	case changed("for") && changed("until"):
		errs = append(errs, errors.New("--for and --until are two ways to say when it ends; give one of them"))
	case changed("for"):
		e, err := parseFor(o.lasts)
		refuse("for", err)
		o.request.end = &e
	case changed("until"):
		e, err := parseUntil(o.until)
		refuse("until", err)
		o.request.end = &e
	case o.verb == hold:
		errs = append(errs, errors.New("there is no end; say how long to hold with --for 2h or --until 22:00"))
	}
	if changed("replicas") {
		size, err := parseSize(o.replicas)
		if err == nil && o.verb == wake && size == timewindow.Replicas(0) {
			err = errors.New(`"0" is no waking; to scale to 0 there is "kubectl curfew sleep"`)
		}
		refuse("replicas", err)
		o.request.size = &size
	}
	if _, ok := dryRuns[o.dryRun]; !ok {
		refuse("dry-run", fmt.Errorf("%q is no kind of dry run; it is none, client or server", o.dryRun))
	}
	if changed("output") || changed("template") {
		var err error
		o.printer, err = o.print.ToPrinter()
		refuse("output", err)
	}
	return errors.Join(errs...)
}

// whichOne is the error about a kind without a name.
func whichOne(kind string) error {
	return fmt.Errorf("%[1]q: which one? Write %[1]s/NAME, or choose with -l or -A", strings.ToLower(kind))
}

func (o *options) checkArgs(cmd *cobra.Command) error {
	s := o.selection
	switch {
	case s.Selector != "" || s.AllNamespaces:
	case len(s.Args) == 0:
		flags := ""
		if o.verb.sets() {
			flags = " --for 2h"
		}
		return fmt.Errorf("there is nothing to %s; name an object or a Namespace, or choose with -l or -A, such as\n"+
			"  %[2]s deploy/shop%[3]s\n"+
			"  %[2]s -l team=shop%[3]s\n"+
			"See '%[2]s --help' for more", o.verb.name, cmd.CommandPath(), flags)
	case len(s.Args) == 1 && live.IsKind(s.Args[0]):
		return whichOne(s.Args[0])
	}
	return nil
}
