package kubegreen

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
)

// info is what a SleepInfo says.
type info struct {
	object      manifest.Object
	zone        *time.Location
	sleep, wake translate.Cron
	include     *refs // nil: every Deployment of the namespace
	exclude     refs
	differences []string
	unsaid      []string
}

// refs are the Deployments that a list of references speaks of.
type refs struct {
	names  []string
	others []string // kinds that are not Deployments
	labels map[string][]string
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
	if !spec.Bool("suspendDeployments", true) {
		refuse("spec.suspendDeployments is false, and Curfew scales Deployments only; leave this one to " + tool + ".")
	}
	if spec.Bool("suspendStatefulSets", true) {
		i.differences = append(i.differences, tool+" puts StatefulSets to sleep too. Curfew scales Deployments only, so StatefulSets stay up.")
	}
	if spec.Bool("suspendCronJobs", false) {
		i.differences = append(i.differences, tool+" suspends CronJobs too. Curfew scales Deployments only, so CronJobs go on.")
	}
	if len(spec.List("patches")) > 0 {
		refuse("spec.patches: Curfew sets the size of Deployments and patches nothing else; take the patches out, or leave this one to " + tool + ".")
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
	case len(parts) != 2 || strings.TrimSpace(parts[0]) == "" || strings.TrimSpace(parts[1]) == "":
		return translate.Cron{}, fmt.Errorf("%s is not a time of hours and minutes; write one such as 20:00", translate.Quote(text))
	case weekdays == "":
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
	r := refs{labels: map[string][]string{}}
	for _, ref := range spec.Objects(name) {
		match := ref.Texts("matchLabels")
		byName := ref.String("name") != "" && ref.String("kind") != "" && ref.String("apiVersion") != ""
		nothing := ref.String("name") == "" && ref.String("kind") == "" && ref.String("apiVersion") == ""
		switch {
		case byName && len(match) == 0 && ref.String("kind") == translate.Deployment && translate.IsGroup(ref.String("apiVersion"), "apps"):
			r.names = append(r.names, ref.String("name"))
		case byName && len(match) == 0:
			r.others = append(r.others, manifest.Printable(ref.String("kind")))
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

// any reports whether a Deployment is one of those named or has one of the labels, as of excludes.
func (r refs) any(d deployment) bool {
	if slices.Contains(r.names, d.name) {
		return true
	}
	for key, values := range r.labels {
		if value, ok := d.labels[key]; ok && slices.Contains(values, value) {
			return true
		}
	}
	return false
}

// all reports whether a Deployment has every name and label, as of includes.
func (r refs) all(d deployment) bool {
	for _, name := range r.names {
		if name != d.name {
			return false
		}
	}
	for key, values := range r.labels {
		for _, v := range values {
			if value, ok := d.labels[key]; !ok || value != v {
				return false
			}
		}
	}
	return true
}

// covers reports whether a Deployment of the namespace sleeps.
func (i info) covers(d deployment) bool {
	if i.include != nil {
		return i.include.all(d)
	}
	return !i.exclude.any(d)
}

// names are the Deployments that it names.
func (i info) names() []string {
	if i.include != nil {
		return i.include.names
	}
	return i.exclude.names
}

// target is what the SleepInfo speaks of, as far as it says.
func (i info) target() translate.Target {
	ns := i.object.GetNamespace()
	switch {
	case i.include != nil && len(i.include.names) == 1:
		return translate.Target{Kind: translate.Deployment, Namespace: ns, Name: i.include.names[0]}
	case i.include != nil || ns == "":
		return translate.TargetOf(i.object)
	}
	return translate.Target{Kind: "Namespace", Name: ns}
}

// look says what depends on Deployments that may not have been read.
func (i *info) look(objects []manifest.Object, refuse func(string, ...any)) {
	read := translate.Deployments(objects, i.object.GetNamespace(), labels.Everything())
	some := func(which func(deployment) bool) bool {
		return slices.ContainsFunc(read, func(o manifest.Object) bool { return which(deployment{o.GetName(), o.GetLabels()}) })
	}
	if in := i.include; in != nil {
		if len(slices.Compact(slices.Sorted(slices.Values(in.names)))) > 1 {
			refuse("spec.includeRef names %s, and "+tool+" wants all that it says of each Deployment, so none ever matches; make a SleepInfo of each.", quoted(in.names))
		}
		if len(i.exclude.names)+len(i.exclude.others)+len(i.exclude.labels) > 0 {
			refuse("There are both spec.includeRef and spec.excludeRef, and what " + tool + " makes of them depends on its version; leave one of them out.")
		}
		if len(in.names)+len(in.labels) == 0 {
			refuse("spec.includeRef names no Deployment, only other kinds (%s), and whether "+tool+" then puts all Deployments to sleep or none depends on its version; "+
				"say suspendDeployments: false or name one.", translate.Join(in.others))
		}
		if len(in.labels) > 0 && !some(in.all) {
			refuse("No Deployment that was read matches spec.includeRef; read the Deployments of the namespace too.")
		}
		if len(in.labels) > 0 && len(in.names) == 0 {
			i.differences = append(i.differences, tool+" looks for labels anew each time, so a Deployment that gets them later sleeps too. Curfew does what each Deployment's annotations say.")
		}
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
		i.differences = append(i.differences, fmt.Sprintf("spec.excludeRef leaves out what is labelled %s, and no Deployment that was read is; "+
			"those there may be need curfew/windows: none, or they sleep.", translate.Join(pairs)))
	}
	i.differences = append(i.differences, "spec.excludeRef looks for labels anew each time. With Curfew, a Deployment that gets them later needs curfew/windows: none.")
	if len(pairs) > 1 {
		i.differences = append(i.differences, fmt.Sprintf("spec.excludeRef leaves out what has any of the labels %s, as "+tool+" does of late; an old one wants all those of one entry.", translate.Join(pairs)))
	}
}

func quoted(names []string) string {
	var all []string
	for _, n := range names {
		all = append(all, translate.Quote(n))
	}
	return translate.Join(all)
}
