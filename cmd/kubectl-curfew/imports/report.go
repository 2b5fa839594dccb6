package imports

import (
	"fmt"
	"slices"
	"strings"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// warn says where the new schedules mean something else, each difference once, and what there is to do afterwards.
func (o *options) warn(changes []*change) {
	var texts []string
	about := map[string][]string{}
	for _, c := range changes {
		if c.refused() {
			continue
		}
		for _, text := range c.differences {
			if _, ok := about[text]; !ok {
				texts = append(texts, text)
			}
			about[text] = append(about[text], name(c.target))
		}
	}
	for _, text := range texts {
		fmt.Fprintf(o.streams.ErrOut, "warning: %s: %s\n", listed(about[text]), output.Safe(text))
	}
	if kinds := needed(changes); len(kinds) > 0 && !slices.Equal(kinds, []string{kind.Deployment.String()}) {
		fmt.Fprintf(o.streams.ErrOut, "start the controller with --kinds=%s, and whatever else it looks after: else it does not look after all of these\n", strings.Join(kinds, ","))
	}
	for _, object := range leftovers(changes) {
		if object.needed {
			fmt.Fprintf(o.streams.ErrOut, "keep %s: not all that it says could be said\n", object)
		} else {
			fmt.Fprintf(o.streams.ErrOut, "delete %s when the change is in the cluster: it has nothing more to say\n", object)
		}
	}
}

// needed are the resources that the controller has to look after, or some of the changes are for nothing.
func needed(changes []*change) []string {
	var all []*kind.Kind
	for _, c := range changes {
		if c.refused() || c.empty() {
			continue
		}
		all = append(all, c.kinds...)
		// What opts out has no need of being looked after.
		if k := translate.ScaledKind(c.target.WithVersion("")); k != nil && !annotation.IsOptOut(c.set[annotation.Windows]) {
			all = append(all, k)
		}
	}
	return translate.Resources(all)
}

// listed is some names in a few words.
func listed(names []string) string {
	const most = 5
	if len(names) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// leftover is an object of the other tool's.
type leftover struct {
	manifest.Object
	needed bool // something that it says could not be said
}

func (l leftover) String() string {
	if l.Place.File == "" {
		return l.Name()
	}
	return fmt.Sprintf("%s (%s)", l.Name(), l.Place)
}

// leftovers are the objects that said a schedule and are not the ones that carry it now.
func leftovers(changes []*change) []leftover {
	var all []leftover
	for _, c := range changes {
		for _, o := range c.from {
			if slices.ContainsFunc(c.objects, func(other manifest.Object) bool { return same(o, other) }) {
				continue
			}
			i := slices.IndexFunc(all, func(l leftover) bool { return same(l.Object, o) })
			if i < 0 {
				i = len(all)
				all = append(all, leftover{o, false})
			}
			all[i].needed = all[i].needed || c.refused()
		}
	}
	return all
}
