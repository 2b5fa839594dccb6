package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// NewCommand is the command line of the bench.
func NewCommand() *cobra.Command {
	o := &Options{Objects: []int{1000, 10000}, Rounds: 2}
	var file, curfewFlags string
	command := &cobra.Command{
		Use:   "bench",
		Short: "Measure Curfew at scale, on a real API server of its own",
		Long: "Measure Curfew at scale, on a real API server of its own.\n\n" +
			"The exit code is 1 if Curfew did anything wrong: a write too many, a lost conflict,\n" +
			"an object that is wrong in the end. A figure that is not as wanted is marked, no more.",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(command *cobra.Command, _ []string) error {
			o.CurfewFlags = strings.Fields(curfewFlags)
			o.Output, o.Progress = command.OutOrStdout(), command.ErrOrStderr()
			if err := o.check(); err != nil {
				return err
			}
			return measure(command.Context(), o, file)
		},
	}
	flags := command.Flags()
	flags.IntSliceVar(&o.Objects, "objects", o.Objects, "How many Deployments; a run for each number.")
	flags.StringSliceVar(&o.Only, "only", nil, "Measure these parts only, of: "+strings.Join(parts, ", ")+".")
	flags.StringVar(&curfewFlags, "curfew-flags", "", "Further flags for Curfew, separated by spaces.")
	flags.BoolVar(&o.Quick, "quick", false, "Watch for seconds where it would be a minute, and keep fewer boundaries.")
	flags.IntVar(&o.Rounds, "rounds", o.Rounds, "How many boundaries of everything, each against the bare client.")
	flags.BoolVar(&o.Controllers, "controllers", false, "Let kube-controller-manager act on the Deployments.")
	flags.StringVar(&o.Profiles, "profile", "", "Folder for profiles of Curfew, where it offers them.")
	flags.StringVar(&file, "out", "", "File for the result as JSON.")
	return command
}

// measure measures everything and reports it, also what was found before something failed.
func measure(ctx context.Context, o *Options, file string) error {
	result := &Result{Machine: thisMachine(ctx), Options: o.describe()}
	failed := run(ctx, o, result)
	result.print(o.Output)
	if file != "" {
		text, err := result.json()
		if err == nil {
			err = os.WriteFile(file, text, 0o644)
		}
		failed = errors.Join(failed, err)
	}
	if wrong := result.wrong(); len(wrong) > 0 {
		failed = errors.Join(failed, fmt.Errorf("wrong, and not only slow: %s", strings.Join(wrong, "; ")))
	}
	return failed
}

// describe is the command line that asks for the same.
func (o *Options) describe() string {
	words := []string{"--objects=" + strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Objects), " ", ","), "[]"), fmt.Sprintf("--rounds=%d", o.Rounds)}
	if len(o.Only) > 0 {
		words = append(words, "--only="+strings.Join(o.Only, ","))
	}
	if o.Quick {
		words = append(words, "--quick")
	}
	if o.Controllers {
		words = append(words, "--controllers")
	}
	if len(o.CurfewFlags) > 0 {
		words = append(words, fmt.Sprintf("--curfew-flags=%q", strings.Join(o.CurfewFlags, " ")))
	}
	return strings.Join(words, " ")
}
