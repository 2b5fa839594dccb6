package override

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"curfew/cmd/kubectl-curfew/live"
)

// job is an edit and what it comes to.
type job struct {
	edit
	outcome
}

func (o *options) run(ctx context.Context) error {
	settings, err := o.controller.Settings()
	if err != nil {
		return err
	}
	o.request.fallback = settings.Zone
	if _, err := o.access.Client(); err != nil { // else it would be told twice
		return err
	}
	found, failed := o.access.Resolve(ctx, o.selection)
	if args := o.selection.Args; len(args) == 1 && !strings.Contains(args[0], "/") && failed == nil && o.selection.Selector == "" && !o.selection.AllNamespaces {
		return whichOne(args[0])
	}
	subjects, err := o.access.Gather(ctx, found, o.selection, settings)
	if err != nil {
		return errors.Join(failed, err)
	}
	targets := targetsOf(found, subjects, o.selection.AllNamespaces && o.selection.Selector == "")
	if len(targets) == 0 {
		return errors.Join(failed, o.nothing(failed))
	}
	jobs, refused := o.plan(targets)
	if err := o.ask(jobs); err != nil {
		return errors.Join(failed, refused, err)
	}
	return errors.Join(failed, refused, o.carryOut(ctx, jobs))
}

// nothing says that the selection is empty, unless that has been said.
func (o *options) nothing(failed error) error {
	if failed != nil {
		return nil
	}
	if o.selection.Selector != "" {
		return fmt.Errorf("there is nothing to %s: nothing has the labels %q", o.verb.name, o.selection.Selector)
	}
	return fmt.Errorf("there is nothing to %s: Curfew is concerned with nothing", o.verb.name)
}

// plan says what to write to each target, and what comes of it. A fault that all have in common is told once.
func (o *options) plan(targets []target) ([]job, error) {
	now := o.now()
	var jobs []job
	var errs []error
	said := map[string]bool{}
	for _, t := range targets {
		e, err := o.request.edit(t, now)
		switch {
		case err == nil:
			jobs = append(jobs, job{e, o.request.outcome(e, now)})
		case !said[err.Error()]:
			said[err.Error()] = true
			errs = append(errs, err)
		}
	}
	return jobs, errors.Join(errs...)
}

// ask asks before many objects are changed.
func (o *options) ask(jobs []job) error {
	var changes []job
	asks := o.selection.AllNamespaces
	for _, j := range jobs {
		if !j.same {
			changes = append(changes, j)
			asks = asks || j.namespace != nil
		}
	}
	asks = asks || o.selection.Selector != "" && len(changes) > 1
	if o.yes || !asks || len(changes) == 0 || o.dryRun != "none" {
		return nil
	}
	fmt.Fprintf(o.streams.ErrOut, "%s would change:\n", o.verb.name)
	for _, j := range changes {
		fmt.Fprintf(o.streams.ErrOut, "  %s%s\n", o.name(j.edit), behind(": ", j.text))
		for _, member := range j.members {
			fmt.Fprintf(o.streams.ErrOut, "    %s\n", member)
		}
	}
	if !isTerminal(o.streams.In) {
		return errors.New("nothing was changed, for there is nobody to ask: the input is no terminal; give --yes if it is meant")
	}
	return confirm(o.streams.In, o.streams.ErrOut, "Go on?")
}

// carryOut writes the edits. What one object refuses does not keep the others.
func (o *options) carryOut(ctx context.Context, jobs []job) error {
	client, err := o.access.Client()
	if err != nil {
		return err
	}
	objects, err := o.access.Objects()
	if err != nil {
		return err
	}
	w := writer{client, objects, o.dryRun}
	var errs []error
	for _, j := range jobs {
		object, err := w.write(ctx, j.edit)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", o.name(j.edit), live.Explain(err)))
			continue
		}
		if o.printer == nil {
			o.say(j)
		} else if err := o.printer.PrintObj(object, o.streams.Out); err != nil {
			errs = append(errs, err)
		}
		for _, warning := range j.warnings {
			fmt.Fprintf(o.streams.ErrOut, "warning: %s: %s\n", o.name(j.edit), warning)
		}
	}
	return errors.Join(errs...)
}

// say tells in words what was done.
func (o *options) say(j job) {
	done := o.verb.done
	switch {
	case j.same:
		done = "unchanged"
	case !j.counts:
		done = "annotated"
	}
	fmt.Fprintf(o.streams.Out, "%s %s%s%s\n", o.name(j.edit), done, dryRuns[o.dryRun], behind(": ", j.text))
	for _, member := range j.members {
		fmt.Fprintf(o.streams.Out, "  %s\n", member)
	}
}

// name is the object's, with its namespace where that is not the same for all.
func (o *options) name(e edit) string {
	if e.namespace == nil && o.selection.AllNamespaces {
		return e.name() + " in " + e.object().GetNamespace()
	}
	return e.name()
}

// behind joins a text to what stands before it, if there is one.
func behind(separator, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return separator + text
}
