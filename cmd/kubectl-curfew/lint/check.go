// Package lint finds what is wrong or suspicious in manifests before they are applied, and is the command that says so.
package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
	"curfew/timewindow"
)

// Options are what the controller is told that will look after the objects.
type Options struct {
	Zone  *time.Location         // rules that name no zone, where nobody names one, are read in it; nil means UTC
	Kinds []schema.GroupResource // what it looks after; nil if that is not known
}

// Check looks at every object.
func Check(objects []manifest.Object, told Options) []Finding {
	s := survey(objects, told)
	var all []Finding
	for _, o := range objects {
		switch k := s.kinds.Of(o); {
		case is(o, "Namespace"):
			all = append(all, s.namespace(o)...)
		case k != nil:
			all = append(all, s.workload(o, k)...)
			all = append(all, s.unwatched(o, k)...)
		default:
			all = append(all, others(o)...)
		}
	}
	return sorted(all)
}

func (s *surroundings) workload(o manifest.Object, k *kind.Kind) []Finding {
	own, namespace := o.Annotations(), s.inherited(o, k)
	alone := o.As(k)
	is := s.leftTo(alone)
	w := observe.Workload(is, namespace, nil, observe.Settings{Zone: s.told.Zone, Floors: true})
	spec := w.Spec
	var all []Finding
	for _, p := range w.Problems {
		switch {
		case p.Detail == is.Unfit && is.Unfit != "":
			return append(all, unfit(o, p, alone.Unfit == ""))
		case !p.Namespace: // the Namespace's are said there, once
			all = append(all, problem(o, p))
		}
	}
	if is.Unfit != "" {
		return nil // its annotations may be its owner's
	}
	_, has := own[annotation.Windows]
	if has {
		all = append(all, suspicions(o, spec, own, namespace)...)
	} else {
		all = append(all, zoneWarnings(o, spec, own)...)
	}
	all = append(all, bridged(o, w, has)...)
	_, inherits := namespace[annotation.Windows]
	inherits = inherits && !has && !annotation.IsOptOut(namespace[annotation.Windows])
	ruled := has && !spec.OptedOut || inherits
	all = append(all, s.autoscaled(o, spec, has)...)
	all = append(all, clamped(o, is, spec)...)
	if ruled || len(spec.Overrides) > 0 {
		all = append(all, s.alsoScaled(o)...)
		all = append(all, s.floorless(o, spec, k)...)
	}
	if !has && !inherits && len(spec.Overrides) == 0 {
		all = append(all, idle(o, own)...)
	}
	if !fromCluster(o) {
		all = append(all, writtenBy(o, own)...)
		if ruled {
			all = append(all, sizesIn(o, is)...)
		}
	}
	all = append(all, leftBehind(o, has)...)
	return append(append(all, noText(o)...), misplaced(o)...)
}

func (s *surroundings) namespace(o manifest.Object) []Finding {
	own := o.Annotations()
	var all []Finding
	for _, p := range annotation.ParseNamespace(own) {
		all = append(all, problem(o, p))
	}
	spec, _ := annotation.ParseIn(own, nil, s.told.Zone)
	if zone, err := timewindow.LoadZone(strings.TrimSpace(own[annotation.Timezone])); err == nil {
		spec.Zone = zone // which is not looked at where there are no rules
	}
	_, has := own[annotation.Windows]
	if observe.SystemNamespaces().Has(o.GetName()) {
		for _, key := range ours(mapping(o, "metadata", "annotations")) {
			f := newFinding(o, wrongPlace, key)
			f.Message = "this does nothing, for what is in " + manifest.Printable(o.GetName()) + " inherits nothing"
			f.Hint = "set it on the workloads that are meant"
			all = append(all, f.on(o.Key("metadata", "annotations", key)))
		}
	}
	all = append(all, suspicions(o, spec, own, nil)...)
	all = append(all, bridged(o, decide.Workload{Size: 1, Spec: spec}, has)...)
	all = append(all, leftBehind(o, has)...)
	return append(append(all, noText(o)...), misplaced(o)...)
}

// problem is a mistake in an annotation as a finding.
func problem(o manifest.Object, p annotation.Problem) Finding {
	f := newFinding(o, invalid+strings.TrimPrefix(p.Key, annotation.Prefix), p.Key)
	f.Message, f.Hint = p.Fault.What(), p.Fault.Hint
	known := slices.Contains(annotation.Keys(), p.Key)
	switch {
	case known && p.Namespace && !slices.Contains(annotation.NamespaceKeys(), p.Key):
		f.Rule = workloadAnnotation
	case !known:
		f.Rule = unknownAnnotation
	default:
		return f.at(o.Value("metadata", "annotations", p.Key), p.Fault)
	}
	return f.on(o.Key("metadata", "annotations", p.Key))
}

// noText are the annotations that an API server would refuse.
func noText(o manifest.Object) []Finding {
	var all []Finding
	for _, m := range o.NotText(annotation.Prefix) {
		f := newFinding(o, notText, m.Key)
		f.Message, f.Hint = m.Problem, m.Cure
		all = append(all, f.on(m.Where))
	}
	annotations, _, _ := unstructured.NestedFieldNoCopy(o.Object, "metadata", "annotations")
	if _, isMap := annotations.(map[string]any); !isMap && strings.Contains(fmt.Sprint(annotations), annotation.Prefix) {
		f := newFinding(o, notText, "")
		f.Message, f.Hint = "the annotations are no mapping", `write one a line, as key: "value"`
		all = append(all, f.on(o.Key("metadata", "annotations")))
	}
	return all
}

// suspicions are what is suspicious about the rules that an object carries itself, and about its zone.
func suspicions(o manifest.Object, spec annotation.Spec, own, namespace map[string]string) []Finding {
	all := zoneWarnings(o, spec, own)
	if spec.Schedule == nil {
		return all
	}
	text := o.Value("metadata", "annotations", annotation.Windows)
	_, ownZone := own[annotation.Timezone]
	_, zoneOfNamespace := namespace[annotation.Timezone]
	for _, w := range spec.Schedule.Warnings() {
		before, _, found := strings.Cut(from(text.String(), w.Line, w.Column), w.Text)
		found = found && !strings.ContainsAny(before, ";#")
		if w.Kind == timewindow.SuspiciousZone && !found && (ownZone || zoneOfNamespace) {
			continue // it is the annotation that says so
		}
		if found { // a place is the rule's, and the text may stand further on in it
			w.Column += utf8.RuneCountInString(before)
		}
		f := newFinding(o, string(w.Kind), annotation.Windows)
		f.Message, f.Hint = w.What(), w.Hint
		all = append(all, f.at(text, w.Fault))
	}
	return all
}

// The years in which rules are looked for that a lead keeps from ever holding. They are always the same, so that lint says
// the same every day.
var leadFrom, leadTo = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// bridged are the rules, its own or those of its Namespace, that never hold because of the lead.
func bridged(o manifest.Object, w decide.Workload, own bool) []Finding {
	var all []Finding
	text := o.Value("metadata", "annotations", annotation.Windows)
	for _, r := range w.Timetable().Bridged(leadFrom, leadTo) {
		f := newFinding(o, withinLead, annotation.Lead)
		f.Hint = "make " + annotation.Lead + " shorter than that, or take the rule out"
		switch {
		case own:
			f.Annotation = annotation.Windows
			f.Message = fmt.Sprintf("%q never holds: each time it is over before the lead of %s begins to wake it", r.Text(), output.Duration(w.Spec.Lead))
			f = f.at(text, timewindow.Fault{Line: r.Line(), Column: r.Column(), Text: r.Text()})
		case hasKey(o, annotation.Lead):
			f.Message = fmt.Sprintf("with this lead the rule %s never holds: each time it is over before that begins to wake it", manifest.Printable(r.Text()))
			f = f.on(o.Value("metadata", "annotations", annotation.Lead))
		default:
			continue // both are the Namespace's, where it is said
		}
		all = append(all, f)
	}
	return all
}

func hasKey(o manifest.Object, key string) bool {
	_, ok := o.Annotations()[key]
	return ok
}

// zoneWarnings are what is suspicious about the zone that an object names.
func zoneWarnings(o manifest.Object, spec annotation.Spec, own map[string]string) []Finding {
	name, ok := own[annotation.Timezone]
	if !ok || spec.Zone.String() != strings.TrimSpace(name) {
		return nil
	}
	schedule, err := timewindow.Parse("always = 0", spec.Zone) // any rules, to be asked about their zone
	if err != nil {
		return nil
	}
	var all []Finding
	for _, w := range schedule.Warnings() {
		f := newFinding(o, string(w.Kind), annotation.Timezone)
		f.Message, f.Hint = w.What(), w.Hint
		all = append(all, f.on(o.Value("metadata", "annotations", annotation.Timezone)))
	}
	return all
}

// idle are the annotations that do nothing without rules.
func idle(o manifest.Object, own map[string]string) []Finding {
	var all []Finding
	for _, key := range []string{annotation.Replicas, annotation.Timezone, annotation.Grace, annotation.Wave, annotation.Lead, annotation.Spread, annotation.HPA} {
		if _, ok := own[key]; !ok {
			continue
		}
		f := newFinding(o, withoutRules, key)
		f.Message = "this does nothing without rules, and neither the " + manifest.Printable(o.GetKind()) + " nor a Namespace in these files has any"
		f.Hint = "write rules in " + annotation.Windows + ", or remove it; if the Namespace has rules, lint it along"
		all = append(all, f.on(o.Key("metadata", "annotations", key)))
	}
	return all
}

// writtenBy are the annotations that belong to Curfew and not into a manifest.
func writtenBy(o manifest.Object, own map[string]string) []Finding {
	var all []Finding
	for _, key := range []string{annotation.Remembered, annotation.RememberedPause, annotation.StatusKey} {
		if _, ok := own[key]; ok {
			f := newFinding(o, writtenByCurfew, key)
			f.Message, f.Hint = "this is for Curfew to write, and each apply would write over it", "leave it out"
			all = append(all, f.on(o.Key("metadata", "annotations", key)))
		}
	}
	return all
}

// fromCluster reports whether an object was read from a cluster, where everything is filled in.
func fromCluster(o manifest.Object) bool { return o.GetUID() != "" || o.GetResourceVersion() != "" }

// foreign are the annotations of other tools, by the start of their keys.
var foreign = []struct{ prefix, tool, hint string }{
	{"downscaler/", "kube-downscaler", "kubectl curfew import translates it; then remove it"},
	{"zalando.org/schedule-actions", "kube-schedule-scaler", "write the same in " + annotation.Windows + ", and remove it"},
	{"kube-green.", "kube-green", "kubectl curfew import translates its SleepInfo; then remove it"},
}

// leftBehind are the annotations of other tools.
func leftBehind(o manifest.Object, ruled bool) []Finding {
	var all []Finding
	for key := range mapping(o, "metadata", "annotations") {
		for _, other := range foreign {
			if !strings.HasPrefix(key, other.prefix) {
				continue
			}
			f := newFinding(o, otherTool, key)
			f.Message = fmt.Sprintf("this is %s's, and means nothing to Curfew", other.tool)
			if ruled {
				f.Message = fmt.Sprintf("this is %s's, and while that runs the two argue about the size", other.tool)
			}
			f.Hint = other.hint
			all = append(all, f.on(o.Key("metadata", "annotations", key)))
		}
	}
	slices.SortFunc(all, func(a, b Finding) int { return cmp.Compare(a.Annotation, b.Annotation) })
	return all
}

// misplaced are Curfew's annotations where Curfew does not look.
func misplaced(o manifest.Object) []Finding {
	var all []Finding
	for _, place := range []struct {
		path    []string
		message string
	}{
		{[]string{"metadata", "labels"}, "is a label here, and Curfew reads annotations"},
		{[]string{"spec", "template", "metadata", "annotations"}, "is on the pods here, where Curfew does not look"},
		{[]string{"spec", "template", "metadata", "labels"}, "is a label of the pods here, and Curfew reads annotations"},
		{[]string{"spec", "jobTemplate", "metadata", "annotations"}, "is on the Jobs here, where Curfew does not look"},
		{[]string{"spec", "jobTemplate", "spec", "template", "metadata", "annotations"}, "is on the pods here, where Curfew does not look"},
	} {
		for _, key := range ours(mapping(o, place.path...)) {
			f := newFinding(o, wrongPlace, "")
			f.Message = manifest.Printable(key) + " " + place.message
			f.Hint = "move it to metadata.annotations of the workload or Namespace"
			all = append(all, f.on(o.Key(append(slices.Clip(place.path), key)...)))
		}
	}
	return all
}

// mapping is a field with fields of its own; nil if it is none.
func mapping(o manifest.Object, path ...string) map[string]any {
	field, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	fields, _ := field.(map[string]any)
	return fields
}

// ours are the keys of Curfew's, sorted.
func ours(fields map[string]any) []string {
	keys := slices.Sorted(maps.Keys(fields))
	return slices.DeleteFunc(keys, func(key string) bool { return !strings.HasPrefix(key, annotation.Prefix) })
}
