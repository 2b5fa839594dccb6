package plan

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"curfew/cmd/internal/kinds"
	"curfew/cmd/kubectl-curfew/exit"
	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/observe"
	"curfew/timewindow"
)

const about = `Show what rules mean: the size at a point in time, and every change from then on.

The rules are given as text, are those of the workloads in manifests, or of
workloads in the cluster. Only the last needs a cluster. What a Namespace says
for its workloads counts, if it is in the cluster or among the manifests, and so
do overrides. A table has the local time, the same in UTC, the size from then
on, and the rule that says so, or <none> where none holds; its first row is how
things stand at --from. Times are local in the zone of the workload, or else of
--timezone, or else in the one that all the rules name themselves.

With --savings it sums what does not run: replica-hours, and the hours of CPU
cores and GiB of memory that the pod templates ask for, against workloads that
have their normal size all the time. Normal is what curfew/replicas says, else what
Curfew remembers, else the size that the workload asks for. CronJobs, ScaledObjects
and HorizontalPodAutoscalers are left out: how many pods they stand for nobody says.

Manifests of Deployments count, and of other kinds those that have an annotation of
Curfew's themselves. With --kinds it is those kinds that count, as for the controller.

With --diff it compares the rules in manifests with those in the cluster, or with
those in other manifests (--against), and lists when the sizes differ.

The exit code is 1 if any rule, annotation or document makes no sense. What does is
planned all the same. With --diff it is that of kubectl diff: 0 if nothing differs, 1 if
something does, and more if anything went wrong.`

const examples = `  # The next seven days of a rule
  kubectl curfew plan --windows 'Mon-Fri 20:00-06:00 = 0' --timezone Europe/Berlin

  # Several rules, across the change to winter time
  kubectl curfew plan --windows '12-24..12-26 = 0; Sat,Sun = 1' --timezone America/New_York --from 2026-10-30 --to 2026-11-03

  # Every workload in a file
  kubectl curfew plan -f shop.yaml

  # A Deployment in the cluster, with what its Namespace says
  kubectl curfew plan deploy/shop

  # What a chart would do, for a script
  helm template shop | kubectl curfew plan -f - -o json

  # What the rules of the whole cluster save in December
  kubectl curfew plan -A --savings --from 2026-12-01 --to 2027-01-01

  # When a changed manifest would have other sizes than what is in the cluster
  kubectl curfew plan --diff -f shop.yaml`

// options are what the flags say.
type options struct {
	windows   string
	files     []string
	against   []string
	recursive bool
	timezone  string
	from, to  string
	output    string
	limit     int
	savings   bool
	diff      bool
	selection live.Selection

	access  *live.Access
	streams genericiooptions.IOStreams
	now     func() time.Time

	isText bool           // --windows is there, be it empty
	zone   *time.Location // of timezone; nil if it is not given
	kinds  *manifest.Kinds
	start  *moment // of from; nil if it is not given
	end    *moment // of to; nil if it is not given
}

// NewCommand returns the command "plan".
func NewCommand(access *live.Access, streams genericiooptions.IOStreams, now func() time.Time) *cobra.Command {
	o := &options{output: "table", limit: 1000, access: access, streams: streams, now: now}
	cmd := &cobra.Command{
		Use:                   "plan (--windows RULES | -f FILENAME | deploy/NAME... | -l LABELS | -A) [flags]",
		Short:                 "Show what rules will do, and when",
		Long:                  about,
		Example:               examples,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     access.CompleteObjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.selection.Args = args
			if err := o.complete(cmd); err != nil {
				return o.failed(err)
			}
			if o.diff {
				return o.runDiff(cmd.Context())
			}
			return o.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.windows, "windows", o.windows, "Rules, as in the annotation curfew/windows. Separate them by \";\".")
	flags.StringSliceVarP(&o.files, "filename", "f", o.files, "File or directory with manifests whose workloads to plan; - is the standard input. May be repeated.")
	flags.BoolVarP(&o.recursive, "recursive", "R", o.recursive, "Read the directories below those in --filename too.")
	flags.StringVar(&o.timezone, "timezone", o.timezone, "IANA zone in which rules are read that name none, on objects that name none, such as Europe/Berlin. (default UTC)")
	flags.StringVar(&o.from, "from", o.from, "Start: a time such as 2026-06-05T22:00:00+02:00, or a date, which starts at midnight. (default now)")
	flags.StringVar(&o.to, "to", o.to, "End, not included, written like --from. (default 7 days after --from, or 28 with --diff)")
	flags.StringVarP(&o.output, "output", "o", o.output, "Format of the output: table, json or yaml.")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]cobra.Completion{"table", "json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	flags.IntVar(&o.limit, "limit", o.limit, "Most changes to show of each schedule.")
	flags.BoolVar(&o.savings, "savings", o.savings, "Sum what does not run, instead of listing changes.")
	flags.BoolVar(&o.diff, "diff", o.diff, "List when the workloads in --filename differ from those in the cluster, or in --against.")
	flags.StringSliceVar(&o.against, "against", o.against, "With --diff, file or directory with the old manifests, instead of the cluster. May be repeated.")
	o.selection.AddFlags(flags)
	return cmd
}

// codeTrouble is the exit code of --diff when anything went wrong, for 1 says that something differs.
const codeTrouble = 2

// failed gives an error the exit code it has in this mode.
func (o *options) failed(err error) error {
	if o.diff {
		return exit.With(codeTrouble, err)
	}
	return err
}

// complete checks the flags and derives what follows from them. The error names the flag.
func (o *options) complete(cmd *cobra.Command) error {
	var errs []error
	refuse := func(flag string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
		}
	}
	o.isText = cmd.Flags().Changed("windows")
	if err := o.completeSources(cmd); err != nil {
		errs = append(errs, err)
		if o.sources() == 0 {
			return err
		}
	}
	switch o.output {
	case "table", "json", "yaml":
	default:
		refuse("output", fmt.Errorf("%q is not a format; it is table, json or yaml", o.output))
	}
	if o.limit < 1 {
		refuse("limit", fmt.Errorf("%d is too few; the least is 1", o.limit))
	}
	var err error
	o.kinds = &manifest.Kinds{}
	if len(o.selection.Kinds) > 0 {
		o.kinds.Told, err = kinds.Parse(o.selection.Kinds)
		refuse("kinds", err)
	}
	if cmd.Flags().Changed("timezone") {
		o.zone, err = timewindow.LoadZone(o.timezone)
		refuse("timezone", err)
	}
	if cmd.Flags().Changed("from") {
		o.start, err = parseMoment(o.from)
		refuse("from", err)
	}
	if cmd.Flags().Changed("to") {
		o.end, err = parseMoment(o.to)
		refuse("to", err)
	}
	return errors.Join(errs...)
}

// sources counts the ways in which the command line says whose rules to plan.
func (o *options) sources() int {
	n := 0
	for _, given := range []bool{o.isText, len(o.files) > 0, o.isLive()} {
		if given {
			n++
		}
	}
	return n
}

// isLive reports whether to plan what is in the cluster.
func (o *options) isLive() bool {
	return len(o.selection.Args) > 0 || o.selection.Selector != "" || o.selection.AllNamespaces
}

func (o *options) completeSources(cmd *cobra.Command) error {
	for _, arg := range o.selection.Args {
		if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(arg)) {
			return fmt.Errorf("%q: this looks like a file, and files go behind -f", arg)
		}
	}
	switch {
	case o.diff && (len(o.files) == 0 || o.sources() != 1):
		return fmt.Errorf("--diff compares manifests with the cluster; give them, and only them, with --filename, such as\n  %s --diff -f deployment.yaml", cmd.CommandPath())
	case o.diff && o.savings:
		return errors.New("--diff and --savings are two ways to look at a plan; give one of them")
	case len(o.against) > 0 && !o.diff:
		return errors.New("--against says what to compare with; give --diff too")
	case o.isText && o.savings:
		return errors.New("--savings needs workloads, whose size it sums; give them with --filename or as deploy/NAME instead of --windows")
	case o.sources() > 1:
		return errors.New("--windows, --filename and workloads of the cluster are three ways to say which rules; give one of them")
	case o.sources() == 0:
		return fmt.Errorf("there is nothing to plan; give rules with --windows, manifests with --filename, or workloads of the cluster, such as\n"+
			"  %[1]s --windows 'Mon-Fri 20:00-06:00 = 0' --timezone Europe/Berlin\n"+
			"  %[1]s -f deployment.yaml\n"+
			"  %[1]s deploy/shop\n"+
			"See '%[1]s --help' for more", cmd.CommandPath())
	}
	return nil
}

func (o *options) run(ctx context.Context) error {
	subjects, errs := o.subjects(ctx)
	if o.savings && len(subjects) > 0 && len(counted(subjects)) == 0 {
		return errors.Join(append(errs, errors.New("there is nothing to sum; none of what has rules is a number of pods"))...)
	}
	if o.savings && len(subjects) > 0 {
		return errors.Join(append(errs, o.printSavings(subjects))...)
	}
	plans := make([]planned, 0, len(subjects))
	for _, s := range subjects {
		from, to, err := o.span(s.zone)
		if err != nil {
			return err // the same for all, but for their zones
		}
		p := planned{s, Make(s.workload, from, to, o.limit), from, to}
		if !p.complete {
			errs = append(errs, o.tooMany(s.place, "changes", p.Changes[len(p.Changes)-1].At.In(p.zone)))
			if o.output != "table" { // who reads it there would take it for the whole
				continue
			}
		}
		plans = append(plans, p)
	}
	if len(plans) > 0 {
		errs = append(errs, o.print(plans))
	}
	return errors.Join(errs...)
}

func (o *options) tooMany(place, what string, last time.Time) error {
	return fmt.Errorf("%s: there are more than %d %s, the last of these on %s; choose a nearer --to or a higher --limit", place, o.limit, what, last.Format(time.RFC3339))
}

// subjects reads the rules. The errors are the mistakes.
func (o *options) subjects(ctx context.Context) ([]subject, []error) {
	if o.isText {
		s, err := ofText(o.windows, o.zone)
		if err != nil {
			return nil, []error{err}
		}
		return []subject{s}, nil
	}
	var subjects []subject
	var errs []error
	var read int
	if o.isLive() {
		found, err := o.access.Load(ctx, o.selection, o.settings())
		if err != nil {
			errs = append(errs, err)
		}
		for _, l := range found {
			s, ok, mistakes := ofLive(l)
			errs = append(errs, mistakes...)
			if ok && s.asks() {
				subjects = append(subjects, s)
			}
		}
		read = len(found)
	} else {
		var objects []manifest.Object
		objects, errs = manifest.Read(o.files, o.recursive, o.streams.In)
		found, mistakes := o.filesOf(objects).subjects()
		subjects, errs, read = found, append(errs, mistakes...), len(objects)
	}
	if len(subjects) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("there is nothing to plan; nothing that Curfew looks after has rules among %d objects read", read))
	}
	return subjects, errs
}

// filesOf are manifests that were read.
func (o *options) filesOf(objects []manifest.Object) *files {
	return newFiles(objects, o.kinds, o.zone, o.now())
}

func (o *options) settings() observe.Settings { return observe.Settings{Zone: o.zone} }

func (o *options) printSavings(subjects []subject) error {
	zone := o.zone
	if zone == nil {
		zone = counted(subjects)[0].zone // all over the same time, so that they can be summed
	}
	from, to, err := o.span(zone)
	if err != nil {
		return err
	}
	list := saved(subjects, from, to)
	switch o.output {
	case "json":
		return output.JSON(o.streams.Out, list)
	case "yaml":
		return output.YAML(o.streams.Out, list)
	}
	fmt.Fprintf(o.streams.Out, "From %s to %s, in replica-hours:\n", output.Local(from, zone), output.Local(to, zone))
	return list.print(o.streams.Out)
}

// span is from when to when to plan, where days start in zone.
func (o *options) span(zone *time.Location) (from, to time.Time, err error) {
	from = o.now().Truncate(time.Minute).In(zone) // a plan for people: nobody asks for the second they pressed a key
	if o.start != nil {
		if from, err = o.start.in(zone); err != nil {
			return from, to, fmt.Errorf("--from: %w", err)
		}
	}
	days := 7
	if o.diff {
		days = 28
	}
	to = from.AddDate(0, 0, days)
	if o.end != nil {
		if to, err = o.end.in(zone); err != nil {
			return from, to, fmt.Errorf("--to: %w", err)
		}
	}
	if !from.Before(to) {
		return from, to, fmt.Errorf("--to: %s is not after the start, %s", to.Format(time.RFC3339), from.Format(time.RFC3339))
	}
	return from, to, nil
}

func (o *options) print(plans []planned) error {
	var value any = listOf(plans)
	if o.isText {
		value = plans[0].Plan
	}
	switch o.output {
	case "json":
		return output.JSON(o.streams.Out, value)
	case "yaml":
		return output.YAML(o.streams.Out, value)
	}
	for _, p := range plans {
		p.warn(o.streams.ErrOut)
	}
	return printTables(o.streams.Out, plans)
}
