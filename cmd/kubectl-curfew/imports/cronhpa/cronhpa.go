// Package cronhpa translates Alibaba's CronHorizontalPodAutoscalers into Curfew's annotations.
//
// Each of its jobs sets a size at its times, and that size stays until the next time of any job.
package cronhpa

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/timewindow"
)

const tool = "cronhpa"

// ZoneFlag is the flag of the command that says what [New] wants to know.
const ZoneFlag = "--cronhpa-timezone"

// Translate is a [translate.Translator] that knows no zone, and so can only say that it needs one. See [New].
func Translate(objects []manifest.Object) []translate.Translation { return New("")(objects) }

// New returns a translator for autoscalers whose controller runs in a zone, which no manifest of theirs says.
func New(zone string) translate.Translator {
	return func(objects []manifest.Object) []translate.Translation {
		var all []translate.Translation
		for _, o := range objects {
			if translate.Is(o, "autoscaling.alibabacloud.com", "CronHorizontalPodAutoscaler") {
				all = append(all, one(objects, o, zone))
			}
		}
		return translate.Merge(all, translate.Disagree("scale"))
	}
}

func one(objects []manifest.Object, o manifest.Object, zoneName string) translate.Translation {
	spec := translate.FieldsOf(o.Object, "spec")
	ref := spec.Fields("scaleTargetRef")
	kind := ref.String("kind")
	gvk := schema.FromAPIVersionAndKind(ref.String("apiVersion"), kind)
	if gvk.Group == "extensions" {
		gvk.Group = "apps" // where what it had is now
	}
	t := translate.Translation{Target: translate.Target{GroupKind: gvk.GroupKind(), Namespace: o.GetNamespace(), Name: ref.String("name")}, From: []manifest.Object{o}}
	switch {
	case t.Target.Name == "" || kind == "":
		t.Target = translate.TargetOf(o)
		t.Refuse("spec.scaleTargetRef has to have a kind and a name; name the workload.")
	case kind == translate.Autoscaler.Kind:
		t.Refuse("It moves the bounds of a HorizontalPodAutoscaler where they are in the way of a size, and keeps them; leave this one to %s, "+
			"or write onto the autoscaler by hand what its bounds are when, such as Mon-Fri 07:00-20:00 = 5..20.", tool)
	case translate.ScaledKind(gvk) == nil:
		t.Refuse("It scales a %s of %s, which Curfew does not scale; leave this one to %s.", manifest.Printable(kind), translate.Quote(ref.String("apiVersion")), tool)
	}
	if len(spec.List("excludeDates")) > 0 {
		t.Refuse("spec.excludeDates: on those dates the jobs are left out, and the size stays as it was the day before. " +
			"Take them out, import again, and put a rule for each date on top, such as 11-15 = normal.")
	}
	edges, dates := jobs(&t, spec)
	for _, problem := range spec.Problems() {
		t.Refuse("%s.", problem)
	}
	var zone *time.Location
	if zoneName == "" {
		t.Refuse("Its times are in the zone of the controller's process, which the manifest does not say (its chart sets Asia/Shanghai). Say the zone with %s.", ZoneFlag)
	} else {
		var err error
		if zone, err = translate.Zone(ZoneFlag, zoneName); err != nil {
			t.Refuse("%s.", err)
		}
	}
	if len(t.Unsaid) == 0 {
		say(&t, edges, dates, zone)
		t.Differ(translate.Autoscaled(objects, t.Target))
	}
	t.Finish()
	return t
}

// job is one job: at its times, or on its date, the target gets a size.
type job struct {
	at   translate.Cron
	date time.Time // of an @date, as the clock shows it; carried as UTC
	size int32
	says string
}

// jobs reads spec.jobs: those that recur, and those with a date.
func jobs(t *translate.Translation, spec translate.Fields) (edges, dates []job) {
	for _, f := range spec.Objects("jobs") {
		schedule := f.String("schedule")
		j := job{size: f.Int("targetSize", -1), says: "the job " + translate.Quote(f.String("name"))}
		var err error
		j.at, j.date, err = read(schedule)
		switch {
		case err != nil:
			t.Refuse("%s: %s.", f.Path("schedule"), err)
		case j.size < 0 || j.size > timewindow.MaxReplicas:
			t.Refuse("%s: a size is needed from 0 to %d.", f.Path("targetSize"), timewindow.MaxReplicas)
		case !j.date.IsZero():
			dates = append(dates, j)
		case f.Bool("runOnce", false):
			t.Refuse("%s: it runs once, and when depends on when it was made. Take it out, import again, and put a rule with its date on top, such as 2026-11-15 08:00-20:00 = %d.", f.Path("runOnce"), j.size)
		default:
			edges = append(edges, j)
		}
	}
	if len(edges)+len(dates) == 0 && len(t.Unsaid) == 0 {
		t.Refuse("There are no spec.jobs, so it scales nothing; delete it.")
	}
	return edges, dates
}

// say writes the rules. Normal is the largest size that recurs.
func say(t *translate.Translation, edges, dates []job, zone *time.Location) {
	normal := int32(0)
	for _, e := range edges {
		normal = max(normal, e.size)
	}
	size := func(n int32) timewindow.Size {
		if n == normal {
			return timewindow.Normal
		}
		return timewindow.Replicas(n)
	}
	all := make([]translate.Edge, 0, len(edges))
	crons := make([]translate.Cron, 0, len(edges))
	for _, e := range edges {
		all = append(all, translate.Edge{At: e.at, Size: size(e.size), Says: e.says})
		crons = append(crons, e.at)
	}
	rules, err := translate.Rules(all)
	if err != nil {
		t.Refuse("spec.jobs: %s.", err)
		return
	}
	top, err := dated(dates, edges, size)
	if err != nil {
		t.Refuse("spec.jobs: %s.", err)
		return
	}
	t.Set = translate.Annotations(append(top, rules...), zone.String(), normal)
	t.Differ(fmt.Sprintf("Its times are taken to be in %s, as %s says. If its controller runs in another zone, so did they.", zone, ZoneFlag))
	t.Differ(tool + " does not make up for a time that it missed. Curfew is right again as soon as it runs.")
	t.Differ(translate.Others(tool))
	t.Differ(translate.ClockChanges(tool, zone, crons...))
	if len(top) > 0 {
		t.Differ("The rules with a date hold once. Take them out when they are over.")
	}
}
