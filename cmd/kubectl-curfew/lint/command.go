package lint

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"curfew/cmd/internal/kinds"
	"curfew/cmd/kubectl-curfew/exit"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/timewindow"
)

const about = `Find mistakes in manifests before they are applied, without a cluster.

Workloads and Namespaces are read from files, directories or the standard input,
as YAML or JSON, with many documents or lists in each. What a Namespace says is the
default for the workloads in it, and HorizontalPodAutoscalers and ScaledObjects are
looked at for what they scale, so give all that belongs together in one call. Tell
it the --kinds that the controller is told. What a chart or a
kustomization renders to is linted through a pipe; the patches of a kustomization
and files that are none of Kubernetes' are passed over.

Every finding has a file, a line and a column, which are those of the text itself,
also in the middle of a block of rules, and a hint what to write instead. A fault
is what Curfew or the API server refuses. A warning is legal, and most likely not
what was meant; --strict makes faults of warnings, and --ignore leaves out those
that you have thought about. Objects read from a cluster are welcome: what is only
a mistake in a file, such as a number of replicas next to rules, is not one there.

The output (-o) is one of these. A summary goes to the standard error.

    text   file:line:column: level: message; hint [rule], and the line with a caret
    json   an object with the list "items", whose items have: file, line, column,
           endColumn (behind the text in question), level (error or warning), rule,
           kind, namespace, name, annotation, message, hint. Lines and columns are
           counted from 1, columns in characters; 0 and "" stand for not known
    sarif  SARIF 2.1.0, which code hosts show next to the lines of a change. Paths
           are relative to the working directory

The exit code says how it went.

    0  no fault; there may be warnings
    1  faults
    2  something could not be read: there is no such file, it is no YAML, a document
       is no Kubernetes object, or there is not one object in all; or a flag makes
       no sense
`

const examples = `  # A file
  kubectl curfew lint -f shop.yaml

  # Everything below a directory, and no warnings either
  kubectl curfew lint -R -f deploy/ --strict

  # What a chart and a kustomization render to
  helm template shop | kubectl curfew lint -f -
  kubectl kustomize overlays/prod | kubectl curfew lint -f -

  # What is there now
  kubectl get deployments,statefulsets,namespaces,hpa -A -o yaml | kubectl curfew lint -f -

  # For a code host, where windows that pause an autoscaler are meant
  kubectl curfew lint -R -f deploy/ --ignore autoscaler-paused -o sarif > curfew.sarif`

// unusable is the exit code where something could not be read, be it a flag.
const unusable = 2

// options are what the flags say.
type options struct {
	files     []string
	recursive bool
	timezone  string
	kinds     []string
	output    string
	strict    bool
	ignore    []string

	streams genericiooptions.IOStreams

	told Options // timezone and kinds, as far as they are given
}

// NewCommand returns the command "lint".
func NewCommand(streams genericiooptions.IOStreams) *cobra.Command {
	o := &options{output: "text", streams: streams}
	cmd := &cobra.Command{
		Use:                   "lint -f FILENAME [flags]",
		Short:                 "Find mistakes in manifests before they are applied",
		Long:                  strings.TrimSpace(about + table("faults", Error) + table("warnings", Warning)),
		Example:               examples,
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exit.With(unusable, fmt.Errorf("%q: lint takes flags only; files go behind -f", args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(cmd); err != nil {
				return exit.With(unusable, err)
			}
			return o.run()
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.With(unusable, cmd.Root().FlagErrorFunc()(cmd, err))
	})
	flags := cmd.Flags()
	flags.StringSliceVarP(&o.files, "filename", "f", o.files, "File or directory with manifests; - is the standard input. May be repeated.")
	flags.BoolVarP(&o.recursive, "recursive", "R", o.recursive, "Read the directories below those in --filename too.")
	flags.StringVar(&o.timezone, "timezone", o.timezone, "IANA zone in which rules are read that name none, on objects that name none, such as Europe/Berlin. (default UTC)")
	flags.StringSliceVar(&o.kinds, "kinds", o.kinds, "What the controller looks after, as its own --kinds says, such as deployments.apps,statefulsets.apps.")
	flags.StringVarP(&o.output, "output", "o", o.output, "Format of the output: text, json or sarif.")
	flags.BoolVar(&o.strict, "strict", o.strict, "Make faults of warnings.")
	flags.StringSliceVar(&o.ignore, "ignore", o.ignore, "Rule whose warnings are left out. May be repeated.")
	// An error would mean that there is no such flag.
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("ignore", cobra.FixedCompletions(warnings(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// formats are the values of --output.
var formats = []string{"text", "json", "sarif"}

// warnings are the values of --ignore.
func warnings() []string {
	var ids []string
	for _, r := range Rules() {
		if r.Level == Warning {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// table is the rules of a level for people.
func table(title string, level Level) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThese rules give %s.\n\n", title)
	for _, r := range Rules() {
		if r.Level == level {
			fmt.Fprintf(&b, "    %-27s  %s\n", r.ID, r.Summary)
		}
	}
	return b.String()
}

// complete checks the flags and derives what follows from them. The error names the flag.
func (o *options) complete(cmd *cobra.Command) error {
	if len(o.files) == 0 {
		return fmt.Errorf("there is nothing to lint; give manifests with --filename, such as\n"+
			"  %[1]s -f deployment.yaml\n"+
			"  helm template shop | %[1]s -f -\n"+
			"See '%[1]s --help' for more", cmd.CommandPath())
	}
	var errs []error
	if !slices.Contains(formats, o.output) {
		errs = append(errs, fmt.Errorf("--output: %q is not a format; it is text, json or sarif", o.output))
	}
	if cmd.Flags().Changed("timezone") {
		zone, err := timewindow.LoadZone(o.timezone)
		if err != nil {
			errs = append(errs, fmt.Errorf("--timezone: %w", err))
		}
		o.told.Zone = zone
	}
	if cmd.Flags().Changed("kinds") {
		resources, err := kinds.Parse(o.kinds)
		if err != nil {
			errs = append(errs, fmt.Errorf("--kinds: %w", err))
		}
		o.told.Kinds = resources
	}
	for _, id := range o.ignore {
		if !slices.Contains(warnings(), id) {
			errs = append(errs, fmt.Errorf("--ignore: %q is not a rule that gives warnings; these are %s", id, strings.Join(warnings(), ", ")))
		}
	}
	return errors.Join(errs...)
}

func (o *options) run() error {
	objects, errs := manifest.Read(o.files, o.recursive, o.streams.In)
	report := Report{Objects: len(objects)}
	for _, err := range errs {
		report.Findings = append(report.Findings, unread(err))
	}
	for _, f := range Check(objects, o.told) {
		if slices.Contains(o.ignore, f.Rule) {
			continue
		}
		if o.strict {
			f.Level = Error
		}
		report.Findings = append(report.Findings, f)
	}
	sorted(report.Findings)
	if err := o.print(report); err != nil {
		return exit.With(unusable, err)
	}
	fmt.Fprintln(o.streams.ErrOut, report.Summary())
	switch {
	case len(errs) > 0:
		return exit.Silently(unusable)
	case report.Objects == 0: // as behind a pipe into which a chart failed to render
		return exit.With(unusable, errors.New("there was nothing to lint; no Kubernetes object was found"))
	case report.Count(Error) > 0:
		return exit.Silently(exit.Failed)
	}
	return nil
}

func (o *options) print(report Report) error {
	switch o.output {
	case "json":
		return output.JSON(o.streams.Out, report.list())
	case "sarif":
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		return output.JSON(o.streams.Out, report.sarif(dir))
	}
	report.printText(o.streams.Out)
	return nil
}
