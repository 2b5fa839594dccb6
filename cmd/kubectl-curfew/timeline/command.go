// Package timeline shows what becomes of workloads on a page: served to a browser on this machine and kept up to
// date, or written to a file.
package timeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/observe"
)

const about = `Show a day, a week or a month of workloads as bars, on a page in the browser.

The page is served to this machine only, at an address that nobody can guess, until
Ctrl-C. It follows the cluster by itself. A bar is a stretch of time at one size for
one reason: normal, held below or above it by a rule, overridden, contested, paused,
waiting, or invalid. Before now it shows what today's rules meant; from now on what
comes, if everybody but Curfew leaves things alone. The sums are replica-hours saved
against the normal size all along; what runs beyond normal counts against them. What
is on or off has bars for running and suspended, and an autoscaler for its minimum;
neither of them is a number of pods, so they are in no sum.

With --static the page goes into one file that needs no server, to keep or to share.
It shows names, sizes and rules, and nothing else of the cluster.

Workloads without rules are left out, unless they are named. ns/NAME stands for
those in another namespace.`

const examples = `  # The week, in the namespace of the context
  kubectl curfew timeline

  # Every namespace, and the month
  kubectl curfew timeline -A --range month

  # Two of them, on a port of your choice, without starting a browser
  kubectl curfew timeline deploy/shop deploy/cart --port 8090 --open=false

  # A file to share
  kubectl curfew timeline -A --from 2026-12-21 --static christmas.html`

// options are what the flags say.
type options struct {
	access     *live.Access
	controller live.Controller
	selection  live.Selection
	rng        string
	from       string
	port       uint16
	open       bool
	static     string

	streams genericiooptions.IOStreams
	now     func() time.Time

	settings observe.Settings
	view     View
}

// NewCommand returns the command "timeline".
func NewCommand(access *live.Access, streams genericiooptions.IOStreams, now func() time.Time) *cobra.Command {
	o := &options{access: access, rng: Week, open: isTerminal(streams.Out), streams: streams, now: now}
	cmd := &cobra.Command{
		Use:                   "timeline [deploy/NAME ...] [flags]",
		Short:                 "Show workloads' sizes over time on a page in the browser",
		Long:                  about,
		Example:               examples,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     access.CompleteObjects,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.selection.Args = args
			if err := o.complete(cmd); err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if o.static != "" {
				return o.write(ctx)
			}
			return o.serve(ctx)
		},
	}
	flags := cmd.Flags()
	o.selection.AddFlags(flags)
	o.controller.AddFlags(flags)
	flags.StringVar(&o.rng, "range", o.rng, "What to show first: day, week or month.")
	_ = cmd.RegisterFlagCompletionFunc("range", cobra.FixedCompletions(Ranges(), cobra.ShellCompDirectiveNoFileComp))
	flags.StringVar(&o.from, "from", o.from, "The date of the first day to show, such as 2026-06-05. (default today, this week's Monday or the first of this month)")
	flags.Uint16Var(&o.port, "port", o.port, "The port to serve the page on. (default any that is free)")
	flags.BoolVar(&o.open, "open", o.open, "Open the page in a browser. (default true on a terminal)")
	flags.Lookup("open").DefValue = "false" // the same help everywhere
	flags.StringVar(&o.static, "static", o.static, "Write the page to this file instead of serving it; - is the standard output.")
	return cmd
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// complete checks the flags and derives what follows from them. The error names the flag.
func (o *options) complete(cmd *cobra.Command) error {
	var errs []error
	if o.static != "" && (cmd.Flags().Changed("port") || cmd.Flags().Changed("open")) {
		errs = append(errs, errors.New("--static: a file is not served; leave out --port and --open"))
	}
	if !slices.Contains(Ranges(), o.rng) {
		errs = append(errs, fmt.Errorf("--range: %q is not a range; it is day, week or month", o.rng))
	}
	settings, err := o.controller.Settings()
	errs = append(errs, err)
	o.settings, o.view = settings, View{Range: o.rng, From: o.from, Zone: settings.Zone}
	if o.from != "" { // whose days are in which zone is not known yet, and makes no difference
		if _, err := (View{Range: o.rng, From: o.from, Zone: time.UTC}).at(o.now()); err != nil {
			errs = append(errs, fmt.Errorf("--from: %w", err))
		}
	}
	return errors.Join(errs...)
}

// all reports whether to show workloads that Curfew has nothing to do with: whoever names one wants to see it.
func (o *options) all() bool { return o.selection.Named() }

// write writes the page to a file. What could be read is written, beside the error for what could not.
func (o *options) write(ctx context.Context) error {
	subjects, failed := o.access.Load(ctx, o.selection, o.settings)
	if failed != nil && len(subjects) == 0 {
		return failed
	}
	m, err := Make(subjects, o.view, o.now(), o.all())
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := writeStatic(&text, m); err != nil {
		return err
	}
	if o.static == "-" {
		_, err = o.streams.Out.Write(text.Bytes())
	} else if err = os.WriteFile(o.static, text.Bytes(), 0o644); err != nil {
		err = fmt.Errorf("--static: %w", err)
	}
	return errors.Join(failed, err)
}

// serve serves the page until the context ends. It says where only when there is something to see.
func (o *options) serve(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(o.port))))
	if err != nil {
		return fmt.Errorf("--port: %w", err)
	}
	defer listener.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	board := newBoard()
	watched := make(chan error, 1)
	go func() { watched <- o.access.Watch(ctx, o.selection, o.settings, board.put) }()
	select {
	case err := <-watched:
		return err
	case <-board.first:
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return err
	}
	client, err := o.access.Client()
	if err != nil {
		return err
	}
	go feel(ctx, client, board)
	s := newServer(board, o.view, o.all(), o.now, port)
	served := make(chan error, 1)
	go func() { served <- s.serve(ctx, listener) }()
	fmt.Fprintln(o.streams.Out, s.url())
	fmt.Fprintln(o.streams.ErrOut, "Serving the timeline to this machine. Press Ctrl-C to end.")
	if o.open {
		if err := open(ctx, runtime.GOOS, s.entrance()); err != nil {
			fmt.Fprintln(o.streams.ErrOut, "warning:", err)
		}
	}
	select {
	case err = <-watched:
		cancel()
		return errors.Join(err, <-served)
	case err = <-served:
		cancel()
		return errors.Join(err, <-watched)
	}
}
