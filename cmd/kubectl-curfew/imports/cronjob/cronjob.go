// Package cronjob translates CronJobs that run kubectl scale into Curfew's annotations.
//
// Each run sets a size that stays until the next run of any CronJob that speaks of the same Deployment.
package cronjob

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/timewindow"
)

// Translate is a [translate.Translator].
func Translate(objects []manifest.Object) []translate.Translation {
	var all []translate.Translation
	var found []job
	for _, o := range objects {
		if !translate.Is(o, "batch", "CronJob") {
			continue
		}
		if j, ok := read(o); ok {
			found = append(found, j)
		}
	}
	// What a CronJob speaks of that could not be read cannot be told, so it stands for itself.
	aims := map[translate.Target][]aim{}
	var order []translate.Target
	for _, j := range found {
		scales, unsaid := j.aims(objects)
		if len(unsaid) > 0 {
			t := translate.Translation{Target: translate.TargetOf(j.object), From: []manifest.Object{j.object}, Unsaid: unsaid}
			all = append(all, t)
		}
		for _, a := range scales {
			if aims[a.target] == nil {
				order = append(order, a.target)
			}
			aims[a.target] = append(aims[a.target], a)
		}
	}
	for _, target := range order {
		all = append(all, one(objects, target, aims[target]))
	}
	return all
}

// job is a CronJob that scales something, as far as that could be read.
type job struct {
	object    manifest.Object
	at        translate.Cron
	zone      *time.Location
	assumed   bool // the zone is not said
	suspended bool
	commands  []scaling
	unsaid    []string
}

// aim is a size that a CronJob gives to one target.
type aim struct {
	job
	target translate.Target
	scaling
	widely bool // by --all or a selector
}

// read reads a CronJob; false if it does not scale anything.
func read(o manifest.Object) (job, bool) {
	j := job{object: o}
	refuse := func(format string, args ...any) { j.unsaid = append(j.unsaid, fmt.Sprintf(format, args...)) }
	spec := translate.FieldsOf(o.Object, "spec")
	pod := spec.Fields("jobTemplate").Fields("spec").Fields("template").Fields("spec")
	ours := false
	for _, name := range []string{"initContainers", "containers"} {
		for _, c := range pod.Objects(name) {
			words, args := c.Strings("command"), c.Strings("args")
			commands, scales, err := container(c.String("image"), words, args)
			ours = ours || scales
			j.commands = append(j.commands, commands...)
			if err != nil && scales {
				refuse("%s: %s.", c.Path("command"), err)
			}
		}
	}
	if !ours {
		return j, false
	}
	var err error
	if j.at, err = translate.ParseCron(spec.String("schedule")); err != nil {
		refuse("spec.schedule: %s.", err)
	}
	zone := spec.String("timeZone")
	if zone == "" {
		zone, j.assumed = "UTC", true
	}
	if j.zone, err = translate.Zone("spec.timeZone", zone); err != nil {
		refuse("%s.", err)
	}
	j.suspended = spec.Bool("suspend", false)
	for _, problem := range spec.Problems() {
		refuse("%s.", problem)
	}
	return j, true
}

// aims are what the CronJob gives which size, and what keeps it from being told.
func (j job) aims(objects []manifest.Object) ([]aim, []string) {
	if len(j.unsaid) > 0 {
		return nil, j.unsaid
	}
	var all []aim
	var unsaid []string
	for _, c := range j.commands {
		ns := c.namespace
		if ns == "" {
			ns = j.object.GetNamespace()
		}
		for _, r := range c.resources {
			all = append(all, aim{j, translate.Target{GroupKind: r.kind, Namespace: ns, Name: r.name}, c, false})
		}
		if c.selector == nil {
			continue
		}
		read := translate.Workloads(objects, c.widely, ns, c.selector)
		if len(read) == 0 {
			unsaid = append(unsaid, fmt.Sprintf("It scales every %[1]s by %[2]s, and none that was read is one; read the %[1]ss of the namespace too.", c.widely.Kind, c.wide))
		}
		for _, d := range read {
			all = append(all, aim{j, translate.TargetOf(d), c, true})
		}
	}
	for n, a := range all {
		for _, b := range all[:n] {
			if a.target == b.target && a.size != b.size {
				unsaid = append(unsaid, fmt.Sprintf("It scales %s to %d and to %d in one run; write the rules by hand.", a.target, b.size, a.size))
			}
		}
	}
	if len(unsaid) > 0 {
		return nil, unsaid
	}
	return all, nil
}

// one translates what CronJobs say about one target.
func one(objects []manifest.Object, target translate.Target, aims []aim) translate.Translation {
	t := translate.Translation{Target: target}
	normal := int32(0)
	for _, a := range aims {
		if !slices.ContainsFunc(t.From, func(o manifest.Object) bool { return o.Unstructured == a.object.Unstructured }) {
			t.From = append(t.From, a.object)
		}
		normal = max(normal, a.size)
	}
	if translate.KindOf(target.GroupKind) == nil {
		t.Refuse("It is a %s, which Curfew does not scale; leave it to the CronJob.", manifest.Printable(target.Kind))
		t.Finish()
		return t
	}
	var edges []translate.Edge
	var crons []translate.Cron
	zone := aims[0].zone
	for _, a := range aims {
		name := a.object.Name()
		if a.suspended {
			t.Refuse("%s is suspended, so it scales nothing now; delete it, or let it run, and import again.", name)
		}
		if a.zone.String() != zone.String() {
			t.Refuse("%s is read in %s and %s in %s, and a window starts and ends in one zone; give them one and import again.",
				aims[0].object.Name(), zone, name, a.zone)
		}
		size := timewindow.Replicas(a.size)
		if a.size == normal {
			size = timewindow.Normal
		}
		edges = append(edges, translate.Edge{At: a.at, Size: size, Says: name})
		crons = append(crons, a.at)
		if a.assumed {
			t.Differ(name + " names no zone, and runs in that of the cluster's controller manager. It is taken to be UTC, as it nearly always is.")
		}
		if a.widely {
			t.Differ(name + " scales whatever matches at the time. Curfew scales what has its annotations: what was not read, or comes later, needs them too.")
		}
	}
	if len(t.Unsaid) == 0 {
		rules, err := translate.Rules(edges)
		if err != nil {
			t.Refuse("%s: %s.", sources(t.From), err)
		}
		if aims[0].suspends {
			normal = -1 // what it was
		}
		t.Set = translate.Annotations(rules, zone.String(), normal)
	}
	t.Differ("A CronJob needs a Pod to run, which takes its time and may fail; one that is late runs late, and what it missed for good stays undone. Curfew acts to the second, and is right again as soon as it runs.")
	t.Differ(translate.Others("A CronJob"))
	t.Differ(translate.ClockChanges("The CronJob controller", zone, crons...))
	t.Differ(translate.Autoscaled(objects, target))
	t.Finish()
	return t
}

func sources(from []manifest.Object) string {
	var names []string
	for _, o := range from {
		names = append(names, o.Name())
	}
	return strings.TrimSpace(translate.Join(names))
}
