package lint

import (
	"strings"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// Level says how bad a finding is.
type Level string

// The levels, as SARIF writes them.
const (
	Error   Level = "error"   // a fault: Curfew, or the API server, refuses it
	Warning Level = "warning" // legal, and most likely not what was meant
)

// Rule is something to look for.
type Rule struct {
	ID      string // stable: scripts and suppressions name it
	Level   Level
	Summary string // one sentence
}

// The rules that annotations can break have IDs that are made from their keys, and those about suspicious schedules are
// named by package timewindow.
const (
	unreadable         = "unreadable"
	notText            = "not-text"
	invalid            = "invalid-"
	unknownAnnotation  = "unknown-annotation"
	workloadAnnotation = "workload-annotation"
	withinLead         = "within-lead"
	autoscaler         = "autoscaler"
	autoscalerPaused   = "autoscaler-paused"
	scaledTwice        = "scaled-twice"
	scaledObjects      = "scaled-object"
	aboveMaximum       = "above-maximum"
	replicasInManifest = "replicas-in-manifest"
	withoutRules       = "without-rules"
	noSize             = "no-size"
	notOurs            = "not-ours"
	needsKinds         = "needs-kinds"
	wrongKind          = "wrong-kind"
	wrongPlace         = "wrong-place"
	writtenByCurfew    = "written-by-curfew"
	otherTool          = "other-tool"
)

// Rules lists every rule, faults first.
func Rules() []Rule {
	rules := []Rule{
		{unreadable, Error, "A file or document cannot be read, or is no Kubernetes object."},
		{notText, Error, "An annotation is no text, such as a number without quotes."},
	}
	for _, r := range []struct{ key, summary string }{
		{annotation.Windows, "A rule makes no sense, or none for the kind."},
		{annotation.Timezone, "The zone is none that everybody understands alike."},
		{annotation.Replicas, "The normal size is no number of replicas."},
		{annotation.OverrideKey, "The override has no size or no end that can be read."},
		{annotation.Paused, `The value is neither "true" nor "false".`},
		{annotation.Grace, "The value is no duration."},
		{annotation.Wave, "The wave is no number from 0 to 1000."},
		{annotation.Lead, "The value is no duration in whole seconds, of a day at most."},
		{annotation.Spread, "The value is no duration in whole seconds, of a day at most."},
		{annotation.HPA, "The value is not \"floor\", or no autoscaler scales the kind."},
		{annotation.Remembered, "The remembered size is no number of replicas."},
	} {
		rules = append(rules, Rule{invalid + strings.TrimPrefix(r.key, annotation.Prefix), Error, r.summary})
	}
	return append(rules,
		Rule{unknownAnnotation, Error, "There is no such annotation of Curfew's."},
		Rule{workloadAnnotation, Error, "The annotation means nothing on a Namespace."},
		Rule{noSize, Error, "The annotation is on a kind that has no size, such as a DaemonSet or a Pod."},
		Rule{notOurs, Error, "The object belongs to a controller, or its size cannot be read."},
		Rule{scaledTwice, Error, "A ScaledObject in these files has rules, and so has what it scales."},
		Rule{string(timewindow.GapBeforeMidnight), Warning, "A window ends a minute or a second before midnight, as 00:00-23:59."},
		Rule{string(timewindow.HiddenRule), Warning, "A rule never decides anything, because of those above it."},
		Rule{string(timewindow.CronBothDays), Warning, "Both day fields of a cron expression are restricted; cron takes either."},
		Rule{string(timewindow.SuspiciousZone), Warning, "A zone says less than it seems to: EST has no summer time."},
		Rule{withinLead, Warning, "A rule never holds, for it is over before the lead of what comes next begins."},
		Rule{autoscaler, Warning, "A HorizontalPodAutoscaler in these files owns every size above 0."},
		Rule{autoscalerPaused, Warning, "A window of 0 pauses a HorizontalPodAutoscaler in these files."},
		Rule{scaledObjects, Warning, "A ScaledObject in these files scales what has rules itself."},
		Rule{aboveMaximum, Warning, "A rule asks an autoscaler for more than its maxReplicas."},
		Rule{replicasInManifest, Warning, "A size next to rules argues with Curfew at each apply."},
		Rule{withoutRules, Warning, "An annotation does nothing, because there are no rules."},
		Rule{needsKinds, Warning, "The controller looks after this kind only if it is told to."},
		Rule{wrongKind, Warning, "Curfew's annotation is on a kind that Curfew does not scale."},
		Rule{wrongPlace, Warning, "Curfew's annotation is where Curfew does not look, such as on the pods."},
		Rule{writtenByCurfew, Warning, "A manifest holds an annotation that only Curfew writes."},
		Rule{otherTool, Warning, "The schedule of another tool was left behind."},
	)
}

// levelOf is the level of a rule.
func levelOf(id string) Level {
	for _, r := range Rules() {
		if r.ID == id {
			return r.Level
		}
	}
	return Error
}
