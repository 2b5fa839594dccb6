package downscaler

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/timewindow"
)

// New returns the translator. The annotations of Namespaces become annotations of Namespaces; a workload gets its own
// where it has any of the old ones, and where the flags speak of it and its Namespace is not among the objects, or its kind
// takes nothing over from that.
func New(o Options) translate.Translator {
	return func(objects []manifest.Object) []translate.Translation {
		if o.Tool == Python || o.Tool == Go {
			return translateAs(o.Tool, objects, o)
		}
		return guess(objects, o)
	}
}

// translator is one reading of all objects.
type translator struct {
	tool       Tool
	o          Options
	subjects   []subject
	namespaces map[string]subject
	results    map[string]result // of the Namespaces
}

func translateAs(tool Tool, objects []manifest.Object, o Options) []translate.Translation {
	t := translator{tool: tool, o: o, namespaces: map[string]subject{}, results: map[string]result{}}
	for _, object := range objects {
		s := subjectOf(object)
		t.subjects = append(t.subjects, s)
		if s.isNamespace() {
			t.namespaces[object.GetName()] = s
		}
	}
	var all []translate.Translation
	for _, s := range t.subjects {
		r, ok := result{}, false
		switch {
		case s.isNamespace():
			r, ok = t.namespace(s)
		case s.kind() != nil:
			r, ok = t.workload(s, s.kind())
		case len(s.old()) > 0:
			r, ok = t.other(s), true
		}
		if ok {
			all = append(all, r.translation(s))
		}
	}
	return all
}

// result is a translation in the making.
type result struct {
	set    map[string]string
	remove []string
	kinds  []*kind.Kind
	notes  []string
	unsaid []string
}

func (r *result) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *result) cannot(format string, args ...any) {
	r.unsaid = append(r.unsaid, fmt.Sprintf(format, args...))
}

func (r *result) translation(s subject) translate.Translation {
	t := translate.Translation{Target: s.target(), From: []manifest.Object{s.object}, Unsaid: r.unsaid}
	if len(r.unsaid) > 0 {
		return t
	}
	t.Set, t.Remove, t.Kinds, t.Differences = r.set, r.remove, r.kinds, r.notes
	return t
}

// begin is what all have in common.
func (t translator) begin(s subject) result {
	r := result{set: map[string]string{}, unsaid: slices.Clone(s.mistakes)}
	if len(s.old()) > 0 && s.has(annotation.Windows) {
		r.cannot("it has %s already, beside what is left of %s; remove the one or the other", annotation.Windows, t.tool)
	}
	for _, key := range s.old() {
		if slices.Contains(known, key) {
			r.remove = append(r.remove, key)
		} else {
			r.note("%s is not known and left where it is", manifest.Printable(key))
		}
	}
	for _, key := range []string{scaleChildren, upscaleExcluded} {
		if s.has(key) {
			r.note("%s has no counterpart, and is removed: Curfew scales what carries rules or lives in a Namespace that does, and gives back what it took from what opts out", key)
		}
	}
	return r
}

// applies reports whether the old tool's flags speak of an object without annotations.
func (t translator) applies(s subject, namespace string) bool {
	return len(t.o.scope()) > 0 && !slices.Contains(leftAlone, namespace) && !s.has(annotation.Windows)
}

// ofNamespace is what holds in a Namespace for a workload that says nothing itself.
func (t translator) ofNamespace(s subject) meaning {
	return resolve(t.tool, []map[string]string{nil, s.annotations, t.o.scope()}, t.o)
}

func (t translator) namespace(s subject) (result, bool) {
	if len(s.old()) == 0 && !t.applies(s, s.object.GetName()) {
		return result{}, false
	}
	r := t.begin(s)
	if len(r.unsaid) > 0 {
		return r, true
	}
	m := t.ofNamespace(s)
	r.unsaid = append(r.unsaid, m.unsaid...)
	r.notes = append(r.notes, m.notes...)
	r.schedule(t, m)
	if name := s.object.GetName(); translate.ForeignNamespace(name) && len(r.set) > 0 {
		r.cannot("workloads in %s take no rules over from it; annotate each of them that is to be scaled", name)
	}
	if m.mode == unset && !m.excluded && m.forceDown.never() {
		r.note("it says no time, so nothing in it is scaled but what has a time of its own; if the time was in the flags of %s, give it with --default-uptime or --default-downtime", t.tool)
	}
	if s.has(gracePeriod) && t.tool == Go {
		r.note("%s: Curfew has none for a Namespace; write %s on its workloads, or give the controller --grace-period=%s", gracePeriod, annotation.Grace, s.annotations[gracePeriod])
	}
	if len(r.set) > 0 {
		r.within(t, s)
	}
	return r, true
}

// within says which kinds in a Namespace the rules are meant for.
func (r *result) within(t translator, namespace subject) {
	included := t.o.included()
	for _, k := range included {
		if k.Inherits {
			r.kinds = append(r.kinds, k)
		}
	}
	maybe, never := map[string]bool{}, map[string]bool{}
	for _, other := range t.subjects {
		name := other.object.GetKind()
		switch k := other.kind(); {
		case other.object.GetNamespace() != namespace.object.GetName() || slices.Contains(included, k):
		case k == nil && slices.Contains(scaledToo, name):
			never[name] = true
		case k != nil && len(t.o.Resources) == 0 && len(other.old()) == 0:
			maybe[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(maybe)) {
		r.note("%s scales every %s in it as well if it was told so by --include-resources; say here, too, what it was told", t.tool, name)
	}
	for _, name := range slices.Sorted(maps.Keys(never)) {
		r.note("%s scales every %s in it as well if it was told so by --include-resources; Curfew does not scale a %s", t.tool, name, name)
	}
}

// scaledToo are kinds that the old tools scale, and Curfew does not.
var scaledToo = []string{"DaemonSet", "Job", "PodDisruptionBudget", "Prometheus"}

func (t translator) workload(s subject, k *kind.Kind) (result, bool) {
	namespace, found := t.namespaces[s.object.GetNamespace()]
	m := resolve(t.tool, []map[string]string{s.annotations, namespace.annotations, t.o.scope()}, t.o)
	if len(s.old()) == 0 {
		said := t.applies(s, s.object.GetNamespace()) || found && len(namespace.old()) > 0 && !s.has(annotation.Windows)
		hopeless := !k.Inherits && m.floor == 0 // of an autoscaler; the API server never let them
		if !slices.Contains(t.o.included(), k) || found && k.Inherits || !said || hopeless {
			return result{}, false
		}
	}
	r := t.begin(s)
	if len(r.unsaid) > 0 {
		return r, true
	}
	if t.tool == Go && k.GroupKind() == translate.CronJob {
		m.floor = 0 // it suspends whatever that is
		r.note("%s ends every suspension in up time, whoever made it; Curfew leaves what its owner has suspended", t.tool)
	}
	r.unsaid = append(r.unsaid, m.unsaid...)
	said := t.ofNamespace(namespace).notes
	for _, text := range m.notes {
		if !found || !slices.Contains(said, text) {
			r.notes = append(r.notes, text)
		}
	}
	if !found {
		r.note("its Namespace is not among the objects, so what that says to %s is not counted", t.tool)
	}
	r.schedule(t, m)
	if m.mode == unset && !m.excluded && m.forceDown.never() {
		if s.has(forceUptime, forceDowntime, t.tool.floorKey(), originalReplicas) {
			r.cannot("no time is known at which it is to be down; give the manifest of its Namespace too, or what %s was told by flags with --default-uptime or --default-downtime", t.tool)
		} else {
			r.note("it says no time and nobody says one for it, so there is no rule")
		}
	}
	if m.grace != nil {
		r.set[annotation.Grace] = output.Duration(*m.grace)
	} else if s.has(gracePeriod) {
		r.note("%s means nothing to %s: it is removed", gracePeriod, t.tool)
	}
	t.original(&r, s, m)
	if problems := translate.Fit(k, r.set); len(problems) > 0 && len(r.unsaid) == 0 {
		r.cannot("%s, which a %s cannot have; %s", down(m), k.Name, problems.Summary())
	}
	if found && k.Inherits {
		t.inherit(&r, namespace)
	}
	for key, value := range r.set {
		if was, ok := s.annotations[key]; ok && was != value && key != annotation.Windows {
			r.cannot("it has %s already, which says something else, %q", key, was)
		}
	}
	return r, true
}

// down is the size in down time in words.
func down(m meaning) string { return fmt.Sprintf("its size in down time is %d", m.floor) }

// inherit leaves out what the workload gets from its Namespace.
func (t translator) inherit(r *result, s subject) {
	name := s.object.GetName()
	namespace, ok := t.results[name]
	if !ok {
		namespace, _ = t.namespace(s)
		t.results[name] = namespace
	}
	if len(namespace.unsaid) > 0 {
		return
	}
	same := func(key string) bool { return r.set[key] == namespace.set[key] }
	if same(annotation.Windows) && same(annotation.Timezone) {
		delete(r.set, annotation.Windows)
		delete(r.set, annotation.Timezone)
		// What there is to say of the rules is said of the Namespace.
		r.notes = slices.DeleteFunc(r.notes, func(text string) bool { return slices.Contains(namespace.notes, text) })
	}
	if same(annotation.OverrideKey) {
		delete(r.set, annotation.OverrideKey)
	}
}

// schedule sets the rules and what goes before them.
func (r *result) schedule(t translator, m meaning) {
	if len(m.unsaid) > 0 || m.mode == unset && !m.excluded && m.forceDown.never() {
		return
	}
	w := windowsOf(t.tool, m, t.o.Now)
	r.unsaid = append(r.unsaid, w.unsaid...)
	r.notes = append(r.notes, w.notes...)
	if len(w.unsaid) > 0 {
		return
	}
	w.set(r.set)
	if m.excluded {
		return
	}
	if m.grace == nil {
		r.note("%s leaves a workload alone for 15 minutes after it was made, or as long as its --grace-period says; Curfew does so where %s or the controller's --grace-period says so", t.tool, annotation.Grace)
	}
	if m.until.IsZero() {
		return
	}
	r.set[annotation.OverrideKey] = annotation.Override{Size: timewindow.Normal, Until: m.until.UTC()}.String()
	if t.tool == Go {
		r.note("%s: until then %s leaves what is down down; Curfew gives back what it took, and then keeps its hands off", excludeUntil, t.tool)
	}
}

// original turns the size that the old tool wrote down into the normal one, if the Deployment is down by it now.
func (t translator) original(r *result, s subject, m meaning) {
	text, ok := s.annotations[originalReplicas]
	if !ok || len(r.unsaid) > 0 {
		return
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 || n > timewindow.MaxReplicas {
		r.cannot("%s: %q is no number of replicas from 0 to %d; write the size that it should have as %s", originalReplicas, text, timewindow.MaxReplicas, annotation.Replicas)
		return
	}
	k := s.kind()
	down := s.size() == m.floor || t.tool == Go && s.size() < m.floor
	switch {
	case !down || n == 0:
		r.note("%s: its size here is %d, so nothing is to be given back: it is removed", originalReplicas, s.size())
	case live.IsSwitch(k):
		r.note("%s: it is down here, and Curfew gives back only what it took itself; have %s wake it before you stop that", originalReplicas, t.tool)
	case m.excluded:
		r.note("%s: it is down here, and Curfew gives back only what it took itself; afterwards scale it up: kubectl scale %s/%s --replicas=%d%s", originalReplicas, k.Logged(), s.object.GetName(), n, inNamespace(s))
	case !m.until.IsZero() && t.tool == Go:
		r.cannot("it is down, and %s leaves it so until %s: Curfew cannot; remove %s, or scale it up first", t.tool, m.until.Format(time.RFC3339), excludeUntil)
	default:
		r.set[annotation.Replicas] = strconv.Itoa(n)
		r.note("%s: it is down here, so its size of before became %s, which Curfew holds whenever no rule says otherwise; "+
			"once it is up, remove that if the size is for somebody else to say, such as an autoscaler", originalReplicas, annotation.Replicas)
	}
}

func inNamespace(s subject) string {
	if s.object.GetNamespace() == "" {
		return ""
	}
	return " -n " + s.object.GetNamespace()
}

// other is any other kind.
func (t translator) other(s subject) result {
	r := t.begin(s)
	switch s.object.GetKind() {
	case "Pod":
		r.cannot("a Pod that forces everything up (%s) has no counterpart; set %s on the Namespaces when it is needed", forceUptime, annotation.OverrideKey)
	default:
		r.cannot("Curfew does not scale a %s of %s; leave it to %s", manifest.Printable(s.object.GetKind()), manifest.Printable(s.object.GetAPIVersion()), t.tool)
	}
	return r
}
