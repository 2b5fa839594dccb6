// Package keda translates the cron triggers of KEDA's ScaledObjects into Curfew's annotations.
//
// A trigger is active when the next end is not after the next start. KEDA then wants the desired replicas of the
// trigger, of several the most, and otherwise minReplicaCount.
package keda

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/annotation"
	"curfew/timewindow"
)

const (
	tool         = "KEDA"
	group        = "keda.sh"
	mostReplicas = 100 // KEDA's default of maxReplicaCount
	cooldown     = 300 // and of cooldownPeriod, in seconds
)

// Translate is a [translate.Translator].
func Translate(objects []manifest.Object) []translate.Translation {
	var all []translate.Translation
	for _, o := range objects {
		switch {
		case translate.Is(o, group, "ScaledObject"):
			if t, ok := scaledObject(objects, o); ok {
				all = append(all, t)
			}
		case translate.Is(o, group, "ScaledJob") && slices.ContainsFunc(translate.FieldsOf(o.Object, "spec").Objects("triggers"), isCron):
			all = append(all, translate.Translation{Target: translate.TargetOf(o), From: []manifest.Object{o}, Unsaid: []string{
				"A ScaledJob starts Jobs, which have no size; leave this one to " + tool + "."}})
		}
	}
	return translate.Merge(all, translate.Disagree("scale"))
}

func isCron(trigger translate.Fields) bool { return trigger.String("type") == "cron" }

// trigger is a cron trigger.
type trigger struct {
	start, end translate.Cron
	zone       *time.Location
	size       int32
}

// active reports what KEDA answers at an instant.
func (t trigger) active(now time.Time) bool {
	now = now.In(t.zone)
	return !t.start.Next(now).Before(t.end.Next(now))
}

// scaledObject translates one; false if it has no cron trigger and is none of ours.
func scaledObject(objects []manifest.Object, o manifest.Object) (translate.Translation, bool) {
	spec := translate.FieldsOf(o.Object, "spec")
	ref := spec.Fields("scaleTargetRef")
	kind, apiVersion := ref.String("kind"), ref.String("apiVersion")
	if kind == "" {
		kind = translate.Deployment.Kind
	}
	if apiVersion == "" {
		apiVersion = "apps/v1"
	}
	gvk := schema.FromAPIVersionAndKind(apiVersion, kind)
	t := translate.Translation{Target: translate.Target{GroupKind: gvk.GroupKind(), Namespace: o.GetNamespace(), Name: ref.String("name")}, From: []manifest.Object{o}}
	if translate.ScaledKind(gvk) == nil {
		t.Refuse("It scales a %s of %s, which Curfew does not scale; leave this one to %s.", manifest.Printable(kind), translate.Quote(apiVersion), tool)
	} else if t.Target.Name == "" {
		t.Target = translate.TargetOf(o)
		t.Refuse("spec.scaleTargetRef.name is missing, so it scales nothing; name the workload.")
	}

	least := spec.Int("minReplicaCount", 0)
	idle := spec.Int("idleReplicaCount", least)
	most := spec.Int("maxReplicaCount", mostReplicas)
	if least < 0 || idle < 0 || most < 1 || least > most {
		t.Refuse("minReplicaCount %d, idleReplicaCount %d and maxReplicaCount %d do not go together; %s refuses them.", least, idle, most, tool)
	}
	var triggers []trigger
	cron, others := false, []string{}
	for _, f := range spec.Objects("triggers") {
		if !isCron(f) {
			others = append(others, manifest.Printable(f.String("type")))
			continue
		}
		cron = true
		one, err := read(f)
		if err != nil {
			t.Refuse("%s: %s.", f.Path("metadata"), err)
			continue
		}
		if one.size > most {
			t.Differ(fmt.Sprintf("%s asks for %d replicas, and %s holds it at maxReplicaCount, which is %d. The rules say %d.", f.Path("metadata"), one.size, tool, most, most))
		}
		one.size = max(min(one.size, most), least)
		triggers = append(triggers, one)
	}
	if !cron {
		return t, false
	}
	if len(others) > 0 {
		t.Refuse("Besides cron it has triggers of type %s, and what they ask for no clock can say. Leave it to %s, and write windows of 0 onto the ScaledObject by hand where it is to be paused.", translate.Join(others), tool)
	}
	pauses(&t, o)
	advanced(&t, spec)
	for _, problem := range spec.Problems() {
		t.Refuse("%s.", problem)
	}
	if len(t.Unsaid) == 0 {
		say(&t, triggers, idle, paused(o))
		delay := fmt.Sprintf("some %d s after the end, for which its autoscaler waits", cooldown)
		if idle == 0 {
			delay = fmt.Sprintf("%d s after the end, which is cooldownPeriod", spec.Int("cooldownPeriod", cooldown))
		}
		t.Differ(fmt.Sprintf("%s scales up within %d s of a start, which is pollingInterval, and down %s. Curfew does both at once.", tool, spec.Int("pollingInterval", 30), delay))
		t.Differ("Delete the " + o.GetKind() + " first: as long as it is there, its HorizontalPodAutoscaler owns the size.")
	}
	if problems := spec.Problems(); len(t.Unsaid) == 0 && len(problems) > 0 {
		t.Refuse("%s.", strings.Join(problems, "; "))
	}
	t.Finish()
	return t, true
}

func read(f translate.Fields) (trigger, error) {
	meta := f.Fields("metadata")
	var t trigger
	var err error
	if t.zone, err = translate.Zone("timezone", meta.String("timezone")); err != nil {
		return t, err
	}
	for name, at := range map[string]*translate.Cron{"start": &t.start, "end": &t.end} {
		if strings.HasPrefix(strings.TrimSpace(meta.String(name)), "@") {
			return t, fmt.Errorf("%s: %s is not five cron fields, which are all that %s reads", name, translate.Quote(meta.String(name)), tool)
		}
		if *at, err = translate.ParseCron(meta.String(name)); err != nil {
			return t, fmt.Errorf("%s: %w", name, err)
		}
	}
	text := meta.String("desiredReplicas")
	size, err := strconv.ParseInt(text, 10, 32)
	switch {
	case t.start.Fields == t.end.Fields:
		return t, errors.New("start and end are the same, which " + tool + " refuses")
	case err != nil:
		return t, fmt.Errorf("desiredReplicas: %s is not a number", translate.Quote(text))
	case size < 1:
		return t, fmt.Errorf("desiredReplicas: %d is refused by %s; the least is 1", size, tool)
	}
	t.size = int32(size)
	return t, nil
}

// pauses says what the annotations of a ScaledObject that pause it mean.
func pauses(t *translate.Translation, o manifest.Object) {
	const prefix = "autoscaling.keda.sh/paused"
	annotations := o.GetAnnotations()
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		value := annotations[key]
		if !strings.HasPrefix(key, prefix) || key == prefix {
			continue
		}
		t.Refuse("The annotation %s: %s holds it now, whatever the triggers say; take the annotation out and import again.", manifest.Printable(key), translate.Quote(value))
	}
	if value, ok := annotations[prefix]; ok && value != "true" && value != "false" {
		t.Refuse("The annotation %s: %s is neither true nor false; take it out and import again.", prefix, translate.Quote(value))
	}
	if paused(o) {
		t.Differ("It is paused by its annotation, and so is what it scales by curfew/paused. Remove that when it should go on.")
	}
}

func paused(o manifest.Object) bool {
	return o.GetAnnotations()["autoscaling.keda.sh/paused"] == "true"
}

// advanced says what the fields mean that change how its autoscaler works.
func advanced(t *translate.Translation, spec translate.Fields) {
	more := spec.Fields("advanced")
	if more.Has("scalingModifiers") {
		t.Refuse("spec.advanced.scalingModifiers makes another number of what the triggers say; write the rules by hand.")
	}
	if more.Fields("horizontalPodAutoscalerConfig").Has("behavior") {
		t.Differ("spec.advanced.horizontalPodAutoscalerConfig.behavior has it scaled step by step. Curfew sets the size at once.")
	}
	if more.Bool("restoreToOriginalReplicaCount", false) {
		t.Differ("spec.advanced.restoreToOriginalReplicaCount gives the size from before back when the ScaledObject is deleted. The rules say the size from then on.")
	}
}

// say writes the rules: normal is the most that any trigger wants.
func say(t *translate.Translation, triggers []trigger, least int32, pause bool) {
	slices.SortStableFunc(triggers, func(a, b trigger) int { return int(b.size) - int(a.size) })
	normal := triggers[0].size
	size := func(n int32) timewindow.Size {
		if n == normal {
			return timewindow.Normal
		}
		return timewindow.Replicas(n)
	}
	zone := triggers[0].zone.String()
	oneZone := !slices.ContainsFunc(triggers, func(o trigger) bool { return o.zone.String() != zone })
	if normal == least {
		t.Differ(fmt.Sprintf("It never has another size than %d, within its times or outside.", least))
	}
	rules, err := rulesOf(triggers, least, size, oneZone)
	if err != nil {
		t.Refuse("%s.", err)
		return
	}
	if !oneZone {
		zone = ""
	}
	t.Set = translate.Annotations(rules, zone, normal)
	if pause {
		t.Set[annotation.Paused] = "true"
	}
	schedule, err := timewindow.Parse(t.Set[annotation.Windows], triggers[0].zone)
	if err != nil {
		return // Finish says so
	}
	was := func(now time.Time) int32 {
		for _, one := range triggers {
			if one.active(now) {
				return one.size
			}
		}
		return least
	}
	var zones []string
	var crons []translate.Cron
	for _, one := range triggers {
		crons = append(crons, one.start, one.end)
	}
	for _, one := range triggers {
		if !slices.Contains(zones, one.zone.String()) {
			zones = append(zones, one.zone.String())
			t.Differ(translate.StateChanges(tool, one.zone, was, schedule, normal, crons...))
		}
	}
}

// rulesOf says triggers, those that want the most on top: trigger by trigger, as they were written, or all together where
// that would be long.
func rulesOf(triggers []trigger, least int32, size func(int32) timewindow.Size, oneZone bool) ([]string, error) {
	var rules []string
	weekly := oneZone
	for _, one := range triggers {
		zone := ""
		if !oneZone {
			zone = one.zone.String()
		}
		weekly = weekly && one.start.Weekly() && one.end.Weekly()
		some, err := one.rules(zone, size(one.size), size(least))
		if err != nil {
			return nil, err
		}
		rules = append(rules, some...)
	}
	rules = append(rules, "always = "+size(least).String())
	if weekly {
		week := translate.Fill(size(least))
		for _, one := range slices.Backward(triggers) {
			week.Set(translate.UntilNext(one.start, one.end), size(one.size))
		}
		if short := week.Rules(""); len(short) < len(rules) && (len(triggers) == 1 || len(rules) > 2*translate.FewRules) {
			rules = short
		}
	}
	if one := triggers[0]; len(triggers) == 1 && strings.HasPrefix(rules[0], "cron(") { // the other way round it is one rule
		rules = []string{translate.Pair(one.end, one.start, "", size(least))}
	}
	if len(rules) > translate.MostRules {
		return nil, fmt.Errorf("the triggers take %d rules; write simpler ones by hand", len(rules))
	}
	return rules, nil
}

// rules are those of one trigger: spans where they are few, or else a pair of crons.
func (t trigger) rules(zone string, size, least timewindow.Size) ([]string, error) {
	turns := t.start.Alternates(t.end)
	if t.start.Weekly() && t.end.Weekly() {
		week := translate.Fill(least)
		week.Set(translate.UntilNext(t.start, t.end), size)
		if spans := week.Spans(zone, size); !turns || len(spans) <= translate.FewRules {
			return spans, nil
		}
	}
	if turns {
		return []string{translate.Pair(t.start, t.end, zone, size)}, nil
	}
	return nil, fmt.Errorf("start %q and end %q do not take turns, and not every week is the same: %s then is active until each end that comes before a start. Write the rules by hand",
		t.start.Fields, t.end.Fields, tool)
}
