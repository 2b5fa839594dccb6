package annotation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"curfew/timewindow"
)

// Spec is what the annotations of a workload and its Namespace ask for.
type Spec struct {
	Schedule   *timewindow.Schedule // nil when there are no rules or the workload opted out
	OptedOut   bool                 // the workload's own rules are "none"
	Zone       *time.Location       // the zone of rules that name none; never nil
	Overrides  []Override           // the nearest first; some may have run out
	Paused     bool
	Replicas   *int32         // the normal size as given
	Remembered *int32         // the normal size as Curfew found it
	Ceiling    *Ceiling       // the normal maxima, where one was given or found
	Floor      bool           // what is asked for above 0 is its autoscaler's minimum
	Grace      *time.Duration // how long a new workload is left as it is; nil: not said
	Wave       *int32         // its turn among those that wake together, lower first; nil: it waits for nobody and nobody for it
	Lead       time.Duration  // how long before a window that asks for more it starts to wake, in whole seconds
	Spread     time.Duration  // the time over which boundaries are spread, in whole seconds
}

// Ceiling is what goes with a normal size that is a range; nil where it is none.
type Ceiling struct {
	Replicas   *int32 // the normal maximum as given
	Remembered *int32 // the normal maximum as Curfew found it
}

// reader collects problems while it reads one object's annotations.
type reader struct {
	schedules   *Schedules
	annotations map[string]string
	namespace   bool // they are a Namespace's
	problems    Problems
}

func (r *reader) report(key string, harmless bool, err error) {
	if err == nil {
		return
	}
	p := Problem{Key: key, Detail: err.Error(), Namespace: r.namespace, Harmless: harmless}
	if !errors.As(err, &p.Fault) {
		p.Fault.Problem = p.Detail
	}
	r.problems = append(r.problems, p)
}

// Parse is [ParseIn] for a workload whose Namespace has no say.
func Parse(own map[string]string, zone *time.Location) (Spec, Problems) {
	return ParseIn(nil, own, zone)
}

// ParseIn is [Schedules.ParseIn] where nothing is remembered.
func ParseIn(namespace, own map[string]string, zone *time.Location) (Spec, Problems) {
	return (*Schedules)(nil).ParseIn(namespace, own, zone)
}

// ParseIn reads the annotations of a Namespace, as far as they are defaults for a workload in it, and the workload's own;
// either may be nil. Rules that name no zone, where nobody names one, are read in zone; nil means UTC. If a problem
// is not harmless, the Spec must not be acted on.
func (s *Schedules) ParseIn(namespace, own map[string]string, zone *time.Location) (Spec, Problems) {
	spec := Spec{Zone: zone}
	if zone == nil {
		spec.Zone = time.UTC
	}
	w := &reader{schedules: s, annotations: own, problems: unknown(own, Keys())}
	ns := &reader{schedules: s, annotations: namespace, namespace: true}

	from := nearer(Windows, w, ns) // whose rules
	text, given := from.annotations[Windows]
	spec.OptedOut = from == w && given && IsOptOut(text) // a Namespace's "none" is no rule and nothing more
	if by := nearer(Timezone, w, ns); given || by == w { // the Namespace's zone is nobody's mistake where there are no rules
		by.zone(&spec)
	}
	if given && !IsOptOut(text) {
		spec.Schedule = from.schedule(text, spec.Zone)
	}
	w.override(&spec)
	if !spec.OptedOut {
		ns.override(&spec)
	}
	nearer(Paused, w, ns).paused(&spec)
	var givenMax, foundMax *int32
	spec.Replicas, givenMax = w.count(Replicas, `write the normal number of replicas, such as "3"`)
	spec.Remembered, foundMax = w.count(Remembered, "write the number of replicas to give back, or remove the annotation")
	if givenMax != nil || foundMax != nil {
		spec.Ceiling = &Ceiling{givenMax, foundMax}
	}
	w.floor(&spec)
	w.grace(&spec)
	nearer(Wave, w, ns).wave(&spec)
	spec.Lead = nearer(Lead, w, ns).moved(Lead)
	spec.Spread = nearer(Spread, w, ns).moved(Spread)
	return spec, append(w.problems, ns.problems...)
}

// ParseNamespace reads the annotations of a Namespace for their own sake.
func ParseNamespace(annotations map[string]string) Problems {
	spec, problems := ParseIn(annotations, nil, nil)
	ns := &reader{annotations: annotations, namespace: true}
	if _, ok := annotations[Windows]; !ok {
		ns.zone(&spec) // ParseIn looks at the zone only where there are rules
	}
	for _, p := range unknown(annotations, NamespaceKeys()) {
		p.Namespace, p.Harmless = true, true
		ns.problems = append(ns.problems, p)
	}
	return append(problems, ns.problems...)
}

// nearer is the workload if it has the key, and else the Namespace.
func nearer(key string, w, ns *reader) *reader {
	if _, ok := w.annotations[key]; ok {
		return w
	}
	return ns
}

func (r *reader) zone(spec *Spec) {
	name, ok := r.annotations[Timezone]
	if !ok {
		return
	}
	zone, err := timewindow.LoadZone(strings.TrimSpace(name))
	r.report(Timezone, false, err)
	if err == nil {
		spec.Zone = zone
	}
}

func (r *reader) schedule(text string, zone *time.Location) *timewindow.Schedule {
	schedule, err := r.schedules.parse(text, zone)
	faults := timewindow.Faults(nil)
	if errors.As(err, &faults) {
		for _, f := range faults {
			r.report(Windows, false, f)
		}
	}
	return schedule
}

// override adds the object's override. One that cannot be read does not stop the schedule.
func (r *reader) override(spec *Spec) {
	text, ok := r.annotations[OverrideKey]
	if !ok {
		return
	}
	o, err := ParseOverride(text)
	r.report(OverrideKey, true, err)
	if err == nil {
		o.inherited = r.namespace
		spec.Overrides = append(spec.Overrides, o)
	}
}

// paused is strict, for whoever writes "yes" wants something, and it is not to be scaled.
func (r *reader) paused(spec *Spec) {
	switch text, ok := r.annotations[Paused]; {
	case !ok || text == "false":
	case text == "true":
		spec.Paused = true
	default:
		r.report(Paused, false, wrong(fmt.Sprintf(`%s is neither "true" nor "false"`, quoted(text)), "write one of them or remove the annotation"))
	}
}

func (r *reader) grace(spec *Spec) {
	text, ok := r.annotations[Grace]
	if !ok {
		return
	}
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil || d < 0 {
		r.report(Grace, false, wrong(fmt.Sprintf("%s is not a duration", quoted(text)), `write hours, minutes and seconds, such as "30m"`))
		return
	}
	spec.Grace = &d
}

// mostWaves bounds curfew/wave: more turns than that nobody can wait for.
const mostWaves = 1000

func (r *reader) wave(spec *Spec) {
	text, ok := r.annotations[Wave]
	if !ok {
		return
	}
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31)
	if err != nil || n > mostWaves {
		r.report(Wave, false, wrong(fmt.Sprintf("%s is not a number from 0 to %d", quoted(text), mostWaves), `write whose turn it is to wake, lower first, such as "1"`))
		return
	}
	wave := int32(n)
	spec.Wave = &wave
}

// longestMove bounds how far a boundary may be moved: by more than a day, the rules should say it.
const longestMove = 24 * time.Hour

// moved reads a duration by which boundaries are moved; 0 if the annotation is absent.
func (r *reader) moved(key string) time.Duration {
	text, ok := r.annotations[key]
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(strings.TrimSpace(text))
	switch {
	case err != nil || d < 0 || d%time.Second != 0:
		r.report(key, false, wrong(fmt.Sprintf("%s is not a duration in whole seconds", quoted(text)), `write hours, minutes and seconds, such as "15m"`))
		return 0
	case d > longestMove:
		r.report(key, false, wrong(fmt.Sprintf("%s is more than a day", quoted(text)), "write at most 24h, or say it in the rules"))
		return 0
	}
	return d
}

// count reads a number of replicas, or the two of a range; nil if the annotation is absent.
func (r *reader) count(key, cure string) (low, high *int32) {
	text, ok := r.annotations[key]
	if !ok {
		return nil, nil
	}
	from, to, ranged := strings.Cut(strings.TrimSpace(text), "..")
	n, err := strconv.ParseUint(from, 10, 31)
	most := n
	if ranged && err == nil {
		most, err = strconv.ParseUint(to, 10, 31)
	}
	if err != nil || max(n, most) > timewindow.MaxReplicas || n > most || ranged && most == 0 {
		what := "a number"
		if ranged {
			what = "a range of numbers"
		}
		r.report(key, false, wrong(fmt.Sprintf("%s is not %s from 0 to %d", quoted(text), what, timewindow.MaxReplicas), cure))
		return nil, nil
	}
	size, top := int32(n), int32(most)
	if !ranged {
		return &size, nil
	}
	return &size, &top
}

// floor is strict: whoever writes anything else wants something.
func (r *reader) floor(spec *Spec) {
	text, ok := r.annotations[HPA]
	if spec.Floor = text == Floor; ok && !spec.Floor {
		r.report(HPA, false, wrong(fmt.Sprintf("%s is not %q", quoted(text), Floor), "write that, and the rules say the minReplicas of the HorizontalPodAutoscaler; or remove the annotation"))
	}
}

// IsOptOut reports whether the value of [Windows] opts the workload out.
func IsOptOut(windows string) bool { return strings.EqualFold(strings.TrimSpace(windows), OptOut) }

// quoted is a text as a message says it.
func quoted(text string) string { return fmt.Sprintf("%q%s", short(text), timewindow.NotPlain(text)) }

func short(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}
