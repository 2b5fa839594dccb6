// Package imports is the command "import": other tools' schedules as Curfew's annotations.
package imports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"curfew/cmd/kubectl-curfew/imports/downscaler"
	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
)

const about = `Translate the schedules of another tool into Curfew's annotations.

The manifests are read and the changed ones printed, with every comment and every
byte around the annotations as it was; or the patches that change what is in the
cluster. Nothing in a cluster is changed.

On stderr stands, in plain words, where the new schedule means something else than
the old one. What cannot be said in Curfew's annotations is an error: that object is
left as it is, and the exit code is 1. Objects of the other tool that have nothing to
say any more, such as a SleepInfo, are named; deleting them is up to you. Stop the
other tool before Curfew takes over, lest two of them scale the same workload. Where
the old tool scaled more than Deployments, the --kinds that the controller has to be
started with are named too.

Give all manifests of a Namespace at once, the Namespace's own among them: its rules
are those of every workload in it that has none.

What the other tool was told by its flags or environment no manifest says: tell it
with flags here, too. Defaults go to every Namespace among the objects; leave out
those that the other tool was told to leave out.`

const examples = `  # The changed manifests of a directory
  kubectl curfew import -f shop/

  # Change the files, after a look at what differs
  kubectl curfew import -f shop/ -R --in-place

  # Patches for what is in the cluster, ready to run
  kubectl curfew import --live -n shop

  # What kube-downscaler, the Python one, did by default
  kubectl curfew import -f shop.yaml --tool=python --default-uptime='Mon-Fri 07:30-20:30 Europe/Berlin'

  # Does it mean what it should?
  kubectl curfew import -f shop.yaml | kubectl curfew plan -f -`

// Source is another tool.
type Source struct {
	Name      string // as --source takes it
	Translate translate.Translator
	AddFlags  func(flags *pflag.FlagSet) // what its translator has to be told; may be nil
}

// Live reads the objects of a cluster.
type Live interface {
	AddFlags(flags *pflag.FlagSet)
	Read(ctx context.Context) ([]manifest.Object, []error)
}

// auto as the source means all of them.
const auto = "auto"

const downscalerName = "kube-downscaler"

// The formats of the output.
const (
	asManifest = "manifest"
	asPatch    = "patch"
	asJSON     = "json"
)

// options are what the flags say.
type options struct {
	files      []string
	recursive  bool
	source     string
	output     string
	all        bool
	inPlace    bool
	isLive     bool
	downscaler downscaler.Options

	streams genericiooptions.IOStreams
	now     func() time.Time
	sources []Source
	live    Live // nil: there is no such flag

	texts []manifest.File // what was read
}

// NewCommand returns the command "import". The tools are kube-downscaler's two and the sources. live may be nil.
func NewCommand(streams genericiooptions.IOStreams, now func() time.Time, live Live, sources ...Source) *cobra.Command {
	o := &options{source: auto, output: asManifest, streams: streams, now: now, live: live, sources: sources}
	names := []string{auto, downscalerName}
	for _, s := range sources {
		names = append(names, s.Name)
	}
	use := "import -f FILENAME [flags]"
	if live != nil {
		use = "import (-f FILENAME | --live) [flags]"
	}
	cmd := &cobra.Command{
		Use:                   use,
		Short:                 "Translate the schedules of another tool",
		Long:                  about,
		Example:               examples,
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%q: import takes flags only; files go behind -f", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(cmd, names); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&o.files, "filename", "f", o.files, "File or directory with manifests; - is the standard input. May be repeated.")
	flags.BoolVarP(&o.recursive, "recursive", "R", o.recursive, "Read the directories below those in --filename too.")
	flags.StringVar(&o.source, "source", o.source, "Whose schedules to translate: "+strings.Join(names, ", ")+". The first is whatever is there.")
	flags.StringVarP(&o.output, "output", "o", o.output, "What to print: manifest, patch (kubectl commands) or json.")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]cobra.Completion{asManifest, asPatch, asJSON}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("source", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	flags.BoolVar(&o.all, "all", o.all, "Print the documents that do not change, too.")
	flags.BoolVarP(&o.inPlace, "in-place", "w", o.inPlace, "Change the files themselves, and print their names.")
	if live != nil {
		flags.BoolVar(&o.isLive, "live", o.isLive, "Read the objects of the cluster, and print patches.")
		live.AddFlags(flags)
	}
	o.downscaler.AddFlags(flags)
	for _, s := range sources {
		if s.AddFlags != nil {
			s.AddFlags(flags)
		}
	}
	return cmd
}

// complete checks the flags. The error names the flag.
func (o *options) complete(cmd *cobra.Command, names []string) error {
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	switch {
	case o.isLive && len(o.files) > 0:
		refuse("--live and --filename are two places to read from; give one of them")
	case !o.isLive && len(o.files) == 0:
		return fmt.Errorf("there is nothing to import; give manifests with --filename, such as\n"+
			"  %[1]s -f shop.yaml\n"+
			"See '%[1]s --help' for more", cmd.CommandPath())
	}
	if o.isLive && !cmd.Flags().Changed("output") {
		o.output = asPatch
	}
	switch o.output {
	case asManifest, asPatch, asJSON:
	default:
		refuse("--output: %q is not a format; it is manifest, patch or json", o.output)
	}
	switch {
	case o.output == asManifest && o.isLive:
		refuse("--output: manifest is for files; of a cluster there are patches, with -o patch or -o json")
	case o.output != asManifest && (o.all || o.inPlace):
		refuse("--all and --in-place are for -o manifest")
	case o.all && o.inPlace:
		refuse("--all prints and --in-place does not; give one of them")
	case o.inPlace && slices.Contains(o.files, manifest.Stdin):
		refuse("--in-place: the standard input cannot be changed; give files with --filename")
	}
	if !slices.Contains(names, o.source) {
		refuse("--source: %q is not a tool that is known; it is one of %s", o.source, strings.Join(names, ", "))
	}
	o.downscaler.Now = o.now()
	if err := o.downscaler.Validate(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// read returns the objects, and the errors in what is not among them.
func (o *options) read(ctx context.Context) ([]manifest.Object, []error) {
	if o.isLive {
		return o.live.Read(ctx)
	}
	var objects []manifest.Object
	texts, errs := manifest.Load(o.files, o.recursive, o.streams.In)
	for _, text := range texts {
		found, mistakes := manifest.Parse(text.Name, text.Content)
		objects, errs = append(objects, found...), append(errs, mistakes...)
	}
	o.texts = texts
	return objects, errs
}

func (o *options) run(ctx context.Context) error {
	objects, errs := o.read(ctx)
	unread := len(errs) > 0
	var all []translate.Translation
	for _, s := range append([]Source{{Name: downscalerName, Translate: downscaler.New(o.downscaler)}}, o.sources...) {
		if o.source == auto || o.source == s.Name {
			all = append(all, s.Translate(objects)...)
		}
	}
	changes := gather(all, objects)
	if len(changes) == 0 && !unread {
		fmt.Fprintf(o.streams.ErrOut, "there is nothing to import: no schedule of another tool was found in %d objects\n", len(objects))
	}
	errs = append(errs, o.print(changes, unread)...)
	o.warn(changes)
	return errors.Join(errs...)
}

// print prints what changes. The errors are what cannot be said, and what cannot be written.
func (o *options) print(changes []*change, unread bool) []error {
	switch o.output {
	case asPatch:
		patchable(changes)
		settle(changes)
		o.printPatches(changes)
		return refusals(changes)
	case asJSON:
		patchable(changes)
		settle(changes)
		return append(refusals(changes), o.printJSON(changes))
	}
	texts := o.rewrite(changes)
	errs := refusals(changes)
	switch {
	case !o.inPlace:
		errs = append(errs, o.printTexts(texts))
	case unread:
		errs = append(errs, errors.New("no file has been changed, as not all of them could be read"))
	default:
		errs = append(errs, o.write(texts)...)
	}
	return errs
}
