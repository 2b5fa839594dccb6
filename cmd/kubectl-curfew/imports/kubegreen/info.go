package kubegreen

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
)

// info is what a SleepInfo says.
type info struct {
	object      manifest.Object
	zone        *time.Location
	sleep, wake translate.Cron
	kinds       []schema.GroupKind // that it puts to sleep
	include     *refs              // nil: all of those kinds in the namespace
	exclude     refs
	differences []string
	unsaid      []string
}

// refs are the workloads that a list of references speaks of.
type refs struct {
	names  map[schema.GroupKind][]string
	labels map[string][]string // of whatever kind
}

// known are the fields of a SleepInfo's spec. Others are of a kube-green that this package knows nothing of.
var known = []string{"weekdays", "sleepAt", "wakeUpAt", "timeZone", "suspendDeployments", "suspendStatefulSets", "suspendCronJobs",
	"excludeRef", "includeRef", "patches"}

func read(objects []manifest.Object, o manifest.Object) info {
	i := info{object: o}
	refuse := func(format string, args ...any) { i.unsaid = append(i.unsaid, fmt.Sprintf(format, args...)) }
	spec := translate.FieldsOf(o.Object, "spec")
	weekdays := spec.String("weekdays")
	var err error
	if i.sleep, err = at(spec.String("sleepAt"), weekdays); err != nil {
		refuse("spec.sleepAt: %s.", err)
	}
	if !spec.Has("wakeUpAt") || spec.String("wakeUpAt") == "" {
		refuse("There is no spec.wakeUpAt: what sleeps stays asleep until somebody deploys it again, and Curfew's windows have an end. " +
			"Say when it should wake, or write curfew/windows: always = 0 for what should never run.")
	} else if i.wake, err = at(spec.String("wakeUpAt"), weekdays); err != nil {
		refuse("spec.wakeUpAt: %s.", err)
	}
	zone := spec.String("timeZone")
	if zone == "" {
		zone = "UTC"
	}
	if i.zone, err = translate.Zone("spec.timeZone", zone); err != nil {
		refuse("%s.", err)
	}
	for _, flag := range []struct {
		name  string
		usual bool
		kind  schema.GroupKind
	}{{"suspendDeployments", true, translate.Deployment}, {"suspendStatefulSets", true, translate.StatefulSet}, {"suspendCronJobs", false, translate.CronJob}} {
		if spec.Bool(flag.name, flag.usual) {
			i.kinds = append(i.kinds, flag.kind)
		}
	}
	for _, patch := range spec.Objects("patches") {
		kind, err := patched(patch)
		switch {
		case err != nil:
			refuse("%s: %s.", patch.Path(""), err)
		case !slices.Contains(i.kinds, kind):
			i.kinds = append(i.kinds, kind)
		}
	}
	if len(i.kinds) == 0 {
		refuse("It puts nothing to sleep: spec.suspendDeployments and spec.suspendStatefulSets are false; delete it.")
	}
	i.exclude = readRefs(spec, "excludeRef", refuse)
	if len(spec.List("includeRef")) > 0 {
		include := readRefs(spec, "includeRef", refuse)
		i.include = &include
	}
	for _, name := range unknown(o) {
		refuse("spec.%s is not a field that this import knows; take it out or write the rules by hand.", manifest.Printable(name))
	}
	for _, problem := range spec.Problems() {
		refuse("%s.", problem)
	}
	i.look(objects, refuse)
	return i
}

// at is the time of the day that sleepAt and wakeUpAt say, on weekdays: hours and minutes, each as a field of cron.
func at(text, weekdays string) (translate.Cron, error) {
	switch parts := strings.Split(text, ":"); {
	case text == "":
		return translate.Cron{}, errors.New(`there is no time; write one such as "20:00"`)
	case len(parts) != 2 || len(strings.Fields(parts[0])) != 1 || len(strings.Fields(parts[1])) != 1: // each is one field of cron
		return translate.Cron{}, fmt.Errorf("%s is not a time of hours and minutes; write one such as 20:00", translate.Quote(text))
	case strings.TrimSpace(weekdays) == "":
		return translate.Cron{}, errors.New(`there is no spec.weekdays; write them such as "1-5"`)
	default:
		return translate.ParseCron(parts[1] + " " + parts[0] + " * * " + weekdays)
	}
}

func unknown(o manifest.Object) []string {
	fields, _ := o.Object["spec"].(map[string]any)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(fields)), func(name string) bool { return slices.Contains(known, name) })
}

func readRefs(spec translate.Fields, name string, refuse func(string, ...any)) refs {
	r := refs{map[schema.GroupKind][]string{}, map[string][]string{}}
	for _, ref := range spec.Objects(name) {
		match := ref.Texts("matchLabels")
		byName := ref.String("name") != "" && ref.String("kind") != "" && ref.String("apiVersion") != ""
		nothing := ref.String("name") == "" && ref.String("kind") == "" && ref.String("apiVersion") == ""
		switch {
		case byName && len(match) == 0:
			kind := schema.FromAPIVersionAndKind(ref.String("apiVersion"), ref.String("kind")).GroupKind()
			r.names[kind] = append(r.names[kind], ref.String("name"))
		case nothing && len(match) > 0:
			for key, value := range match {
				r.labels[key] = append(r.labels[key], value)
			}
		default:
			refuse("%s: it has to have apiVersion, kind and name, or matchLabels alone; "+tool+" refuses anything else.", ref.Path(""))
		}
	}
	return r
}

// any reports whether a workload is one of those named or has one of the labels, as of excludes.
func (r refs) any(w workload) bool {
	if slices.Contains(r.names[w.kind], w.name) {
		return true
	}
	for key, values := range r.labels {
		if value, ok := w.labels[key]; ok && slices.Contains(values, value) {
			return true
		}
	}
	return false
}

// all reports whether a workload has every name and label, as of includes.
func (r refs) all(w workload) bool {
	for _, name := range r.names[w.kind] {
		if name != w.name {
			return false
		}
	}
	for key, values := range r.labels {
		for _, v := range values {
			if value, ok := w.labels[key]; !ok || value != v {
				return false
			}
		}
	}
	return r.speaksOf(w.kind)
}

// speaksOf reports whether anything is said of a kind.
func (r refs) speaksOf(kind schema.GroupKind) bool {
	return len(r.names[kind]) > 0 || len(r.labels) > 0
}

// suspends reports whether workloads of a kind sleep.
func (i info) suspends(kind schema.GroupKind) bool { return slices.Contains(i.kinds, kind) }

// covers reports whether a workload of the namespace sleeps.
func (i info) covers(w workload) bool {
	switch {
	case !i.suspends(w.kind):
		return false
	case i.include != nil:
		return i.include.all(w)
	}
	return !i.exclude.any(w)
}

// names are the workloads of a kind that it names.
func (i info) names(kind schema.GroupKind) []string {
	if i.include != nil {
		return i.include.names[kind]
	}
	return i.exclude.names[kind]
}

// target is what the SleepInfo speaks of, as far as it says.
func (i info) target() translate.Target {
	ns := i.object.GetNamespace()
	switch {
	case i.include != nil && len(i.include.names) == 1:
		for kind, names := range i.include.names {
			if len(names) == 1 {
				return translate.Target{GroupKind: kind, Namespace: ns, Name: names[0]}
			}
		}
		fallthrough
	case i.include != nil || ns == "":
		return translate.TargetOf(i.object)
	}
	return translate.Target{GroupKind: translate.Namespace, Name: ns}
}

// look says what depends on workloads that may not have been read.
func (i *info) look(objects []manifest.Object, refuse func(string, ...any)) {
	some := func(which func(workload) bool) bool {
		return slices.ContainsFunc(i.kinds, func(kind schema.GroupKind) bool {
			return slices.ContainsFunc(translate.Workloads(objects, kind, i.object.GetNamespace(), labels.Everything()), func(o manifest.Object) bool {
				return which(workload{kind, o.GetName(), o.GetLabels()})
			})
		})
	}
	if in := i.include; in != nil {
		i.lookIncluded(*in, some, refuse)
		return
	}
	if len(i.exclude.labels) == 0 {
		return
	}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(i.exclude.labels)) {
		for _, value := range i.exclude.labels[key] {
			pairs = append(pairs, manifest.Printable(key)+"="+manifest.Printable(value))
		}
	}
	byLabel := refs{labels: i.exclude.labels}
	if !some(byLabel.any) {
		i.differences = append(i.differences, fmt.Sprintf("spec.excludeRef leaves out what is labelled %s, and nothing that was read is; "+
			"what is there may need curfew/windows: none, or it sleeps.", translate.Join(pairs)))
	}
	i.differences = append(i.differences, "spec.excludeRef looks for labels anew each time. With Curfew, what gets them later needs curfew/windows: none.")
	if len(pairs) > 1 {
		i.differences = append(i.differences, fmt.Sprintf("spec.excludeRef leaves out what has any of the labels %s, as "+tool+" does of late; an old one wants all those of one entry.", translate.Join(pairs)))
	}
}

// lookIncluded does so for a list of what sleeps.
func (i *info) lookIncluded(in refs, some func(func(workload) bool) bool, refuse func(string, ...any)) {
	for _, names := range in.names {
		if len(slices.Compact(slices.Sorted(slices.Values(names)))) > 1 {
			refuse("spec.includeRef names %s, and "+tool+" wants all that it says of each workload, so none ever matches; make a SleepInfo of each.", quoted(names))
		}
	}
	if len(i.exclude.names)+len(i.exclude.labels) > 0 {
		refuse("There are both spec.includeRef and spec.excludeRef, and what " + tool + " makes of them depends on its version; leave one of them out.")
	}
	var kinds []string
	for kind := range in.names {
		kinds = append(kinds, manifest.Printable(kind.Kind))
	}
	slices.Sort(kinds)
	for _, kind := range i.kinds {
		switch {
		case in.speaksOf(kind):
		case kind == translate.Deployment:
			refuse("spec.includeRef names no Deployment, only other kinds (%s), and whether "+tool+" then puts all Deployments to sleep or none depends on its version; "+
				"say suspendDeployments: false or name one.", translate.Join(kinds))
		default:
			i.differences = append(i.differences, fmt.Sprintf("spec.includeRef names no %[1]s, and whether "+tool+" then puts every %[1]s to sleep or none depends on its version. They stay up.", kind.Kind))
		}
	}
	if len(in.labels) > 0 && !some(in.all) {
		refuse("Nothing that was read matches spec.includeRef; read the workloads of the namespace too.")
	}
	if len(in.labels) > 0 && len(in.names) == 0 {
		i.differences = append(i.differences, tool+" looks for labels anew each time, so what gets them later sleeps too. Curfew does what each workload's annotations say.")
	}
}

func quoted(names []string) string {
	var all []string
	for _, n := range names {
		all = append(all, translate.Quote(n))
	}
	return translate.Join(all)
}
