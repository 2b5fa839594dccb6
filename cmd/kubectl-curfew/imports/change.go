package imports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// change is what becomes of one object, by all that is said of it.
type change struct {
	target      translate.Target
	objects     []manifest.Object // the target as it was read; more than one cannot be told apart
	from        []manifest.Object // what says the schedule now
	set         map[string]string
	remove      []string
	kinds       []*kind.Kind // that the rules are meant for, besides the target's own
	differences []string
	unsaid      []string
}

// refused reports whether the object is left as it is.
func (c *change) refused() bool { return len(c.unsaid) > 0 }

// empty reports whether there is nothing to change.
func (c *change) empty() bool { return len(c.set) == 0 && len(c.remove) == 0 }

func (c *change) cannot(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(c.unsaid, text) {
		c.unsaid = append(c.unsaid, text)
	}
}

// name is the target; safe to print.
func name(t translate.Target) string {
	if t.Namespace == "" {
		return manifest.Printable(t.Kind) + " " + manifest.Printable(t.Name)
	}
	return manifest.Printable(t.Kind) + " " + manifest.Printable(t.Namespace) + "/" + manifest.Printable(t.Name)
}

// gather brings together what is said of each object.
func gather(all []translate.Translation, objects []manifest.Object) []*change {
	var changes []*change
	for _, t := range all {
		found := targets(t, objects)
		i := slices.IndexFunc(changes, func(c *change) bool { return c.target == t.Target && slices.EqualFunc(c.objects, found, same) })
		if i < 0 {
			i = len(changes)
			changes = append(changes, &change{target: t.Target, objects: found, set: map[string]string{}})
		}
		changes[i].add(t)
	}
	for _, c := range changes {
		c.check()
	}
	settle(changes)
	return changes
}

// refused counts the objects that are left as they are.
func refused(changes []*change) int {
	n := 0
	for _, c := range changes {
		if c.refused() {
			n++
		}
	}
	return n
}

// settle looks at what a Namespace and the workloads in it are to each other.
func settle(changes []*change) {
	namespaces := map[string]*change{}
	for _, c := range changes {
		if c.target.GroupKind == translate.Namespace {
			namespaces[c.target.Name] = c
		}
	}
	for _, c := range changes {
		n := namespaces[c.target.Namespace]
		k := translate.KindOf(c.target.GroupKind)
		if k == nil || !k.Inherits || n == nil {
			continue
		}
		_, rules := n.set[annotation.Windows]
		_, own := c.set[annotation.Windows]
		switch {
		case !c.refused() && n.refused() && !own && !c.empty():
			c.cannot("its rules would be those of its Namespace, which is left as it is")
		case c.refused() && !n.refused() && rules && !c.hasRules():
			c.cannot("it would get the new rules of its Namespace, as it has none of its own: give it %s first, were it %q", annotation.Windows, annotation.OptOut)
		}
	}
}

// hasRules reports whether the object has rules already.
func (c *change) hasRules() bool {
	return len(c.objects) == 1 && c.objects[0].GetAnnotations()[annotation.Windows] != ""
}

// targets are the objects that a translation changes: the one that says it, or whatever has the name.
func targets(t translate.Translation, objects []manifest.Object) []manifest.Object {
	is := func(o manifest.Object) bool {
		return translate.TargetOf(o) == t.Target
	}
	if i := slices.IndexFunc(t.From, is); i >= 0 {
		return t.From[i : i+1]
	}
	var found []manifest.Object
	for _, o := range objects {
		if is(o) {
			found = append(found, o)
		}
	}
	return found
}

func same(a, b manifest.Object) bool { return a.Unstructured == b.Unstructured }

func (c *change) add(t translate.Translation) {
	for _, o := range t.From {
		if !slices.ContainsFunc(c.from, func(other manifest.Object) bool { return same(o, other) }) {
			c.from = append(c.from, o)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.Set)) {
		if was, ok := c.set[key]; ok && was != t.Set[key] {
			c.cannot("two schedules speak of it, and would have %s as %q and as %q; choose one of them, perhaps with --source", key, was, t.Set[key])
		}
		c.set[key] = t.Set[key]
	}
	c.remove = append(c.remove, t.Remove...)
	c.kinds = append(c.kinds, t.Kinds...)
	for _, text := range t.Differences {
		if !slices.Contains(c.differences, text) {
			c.differences = append(c.differences, text)
		}
	}
	for _, text := range t.Unsaid {
		c.cannot("%s", text)
	}
}

// check refuses what would not do.
func (c *change) check() {
	if len(c.objects) == 1 && !c.refused() {
		was := c.objects[0].GetAnnotations()
		for _, key := range slices.Sorted(maps.Keys(c.set)) {
			if value, ok := was[key]; ok && strings.TrimSpace(value) != strings.TrimSpace(c.set[key]) {
				c.cannot("it has %s already, and that says something else: %q, not %q; remove the one or the other", key, value, c.set[key])
			}
		}
	}
	// A translation that Curfew does not understand is a fault of the translator's. Nobody should find it in a cluster.
	for _, p := range translate.Problems(c.target, c.set) {
		c.cannot("its translation is none: %v; please report that", p)
	}
}

// place is where the object of a change is, or what is said of it, with its name; safe to print.
func (c *change) place() string {
	for _, o := range slices.Concat(c.objects, c.from) {
		if o.Place.File != "" {
			return o.Place.String() + ": " + name(c.target)
		}
	}
	return name(c.target)
}

// refusals is what cannot be said, as errors.
func refusals(changes []*change) []error {
	var errs []error
	for _, c := range changes {
		for _, text := range c.unsaid {
			errs = append(errs, fmt.Errorf("%s: %s", c.place(), output.Safe(text)))
		}
	}
	return errs
}
