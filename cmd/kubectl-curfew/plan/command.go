package plan

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/timewindow"
)

const about = `Show what rules mean: the size at a point in time, and every change from then on.

The rules are given as text, or are those of the Deployments in manifests. No
cluster is needed. A table has the local time, the same in UTC, the size from then
on, and the rule that says so, or <none> where none holds; its first row is how
things stand at --from. Times are local in the zone of the Deployment, or else of
--timezone, or else in the one that all the rules name themselves.

The exit code is 1 if any rule, annotation or document makes no sense. What does is
planned all the same.`

const examples = `  # The next seven days of a rule
  kubectl curfew plan --windows 'Mon-Fri 20:00-06:00 = 0' --timezone Europe/Berlin

  # Several rules, across the change to winter time
  kubectl curfew plan --windows '12-24..12-26 = 0; Sat,Sun = 1' --timezone America/New_York --from 2026-10-30 --to 2026-11-03

  # Every Deployment in a file
  kubectl curfew plan -f shop.yaml

  # What a chart would do, for a script
  helm template shop | kubectl curfew plan -f - -o json`

// options are what the flags say.
type options struct {
	windows   string
	files     []string
	recursive bool
	timezone  string
	from, to  string
	output    string
	limit     int

	streams genericiooptions.IOStreams
	now     func() time.Time

	isText bool           // --windows is there, be it empty
	zone   *time.Location // of timezone; nil if it is not given
	start  *moment        // of from; nil if it is not given
	end    *moment        // of to; nil if it is not given
}

// NewCommand returns the command "plan".
func NewCommand(streams genericiooptions.IOStreams, now func() time.Time) *cobra.Command {
	o := &options{output: "table", limit: 1000, streams: streams, now: now}
	cmd := &cobra.Command{
		Use:                   "plan (--windows RULES | -f FILENAME) [flags]",
		Short:                 "Show what rules will do, and when",
		Long:                  about,
		Example:               examples,
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%q: plan takes flags only; rules go behind --windows and files behind -f", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(cmd); err != nil {
				return err
			}
			return o.run()
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.windows, "windows", o.windows, "Rules, as in the annotation curfew/windows. Separate them by \";\".")
	flags.StringSliceVarP(&o.files, "filename", "f", o.files, "File or directory with manifests whose Deployments to plan; - is the standard input. May be repeated.")
	flags.BoolVarP(&o.recursive, "recursive", "R", o.recursive, "Read the directories below those in --filename too.")
	flags.StringVar(&o.timezone, "timezone", o.timezone, "IANA zone in which rules are read that name none, on objects that name none, such as Europe/Berlin. (default UTC)")
	flags.StringVar(&o.from, "from", o.from, "Start: a time such as 2026-06-05T22:00:00+02:00, or a date, which starts at midnight. (default now)")
	flags.StringVar(&o.to, "to", o.to, "End, not included, written like --from. (default 7 days after --from)")
	flags.StringVarP(&o.output, "output", "o", o.output, "Format of the output: table, json or yaml.")
	flags.IntVar(&o.limit, "limit", o.limit, "Most changes to show of each schedule.")
	return cmd
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
	switch {
	case o.isText && len(o.files) > 0:
		errs = append(errs, errors.New("--windows and --filename are two ways to say which rules; give one of them"))
	case !o.isText && len(o.files) == 0:
		return fmt.Errorf("there is nothing to plan; give rules with --windows or manifests with --filename, such as\n"+
			"  %[1]s --windows 'Mon-Fri 20:00-06:00 = 0' --timezone Europe/Berlin\n"+
			"  %[1]s -f deployment.yaml\n"+
			"See '%[1]s --help' for more", cmd.CommandPath())
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

func (o *options) run() error {
	subjects, errs := o.subjects()
	plans := make([]planned, 0, len(subjects))
	for _, s := range subjects {
		from, to, err := o.span(s.zone)
		if err != nil {
			return err // the same for all, but for their zones
		}
		p := planned{s, Make(s.schedule, from, to, o.limit), from, to}
		if !p.complete {
			last := p.Changes[len(p.Changes)-1].At.In(p.zone)
			errs = append(errs, fmt.Errorf("%s: there are more than %d changes, the last of these on %s; choose a nearer --to or a higher --limit",
				s.place, o.limit, last.Format(time.RFC3339)))
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

// subjects reads the rules. The errors are the mistakes in what is left out.
func (o *options) subjects() ([]subject, []error) {
	if o.isText {
		s, err := ofText(o.windows, o.zone)
		if err != nil {
			return nil, []error{err}
		}
		return []subject{s}, nil
	}
	objects, errs := manifest.Read(o.files, o.recursive, o.streams.In)
	subjects, mistakes := ofObjects(objects, o.zone)
	errs = append(errs, mistakes...)
	if len(subjects) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("there is nothing to plan; no Deployment (apps/v1) has the annotation curfew/windows among %d objects read", len(objects)))
	}
	return subjects, errs
}

// span is from when to when to plan, where days start in zone.
func (o *options) span(zone *time.Location) (from, to time.Time, err error) {
	from = o.now().Truncate(time.Minute).In(zone) // a plan for people: nobody asks for the second they pressed a key
	if o.start != nil {
		if from, err = o.start.in(zone); err != nil {
			return from, to, fmt.Errorf("--from: %w", err)
		}
	}
	to = from.AddDate(0, 0, 7)
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
		if p.schedule == nil {
			continue
		}
		for _, w := range p.schedule.Warnings() {
			fmt.Fprintf(o.streams.ErrOut, "warning: %s: %s\n", p.place, w)
		}
	}
	return printTables(o.streams.Out, plans)
}
