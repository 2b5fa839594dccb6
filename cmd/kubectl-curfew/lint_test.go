package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"curfew/cmd/kubectl-curfew/lint"
)

// linted is one finding as JSON.
type linted struct {
	File, Level, Rule, Kind, Namespace, Name, Annotation, Message, Hint string
	Line, Column, EndColumn                                             int
}

// lintJSON runs lint on the standard input.
func lintJSON(t *testing.T, stdin string, args ...string) (code int, found []linted, stderr string) {
	t.Helper()
	code, stdout, stderr := kubectlCurfew(stdin, append([]string{"lint", "-f", "-", "-o", "json"}, args...)...)
	var list struct{ Items []linted }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatalf("%v in %q, stderr %q", err, stdout, stderr)
	}
	if list.Items == nil {
		t.Error("the items are null, want a list")
	}
	return code, list.Items, stderr
}

// A finding is where the mark « is in the manifest, which is then taken out, and has this rule and says this.
type wanted struct{ rule, says string }

// marked takes the marks out of a text, and says where they were, by line and column.
func marked(text string) (clean string, places []string) {
	var b strings.Builder
	line, column := 1, 1
	for _, c := range text {
		switch c {
		case '«':
			places = append(places, fmt.Sprintf("%d:%d", line, column))
			continue
		case '\n':
			line, column = line+1, 0
		}
		column++
		b.WriteRune(c)
	}
	return b.String(), places
}

// shop is a Deployment with annotations, each on a line of its own, and perhaps more.
func shop(annotations string, more ...string) string {
	text := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  namespace: prod\n"
	if annotations != "" {
		text += "  annotations:\n    " + strings.ReplaceAll(strings.TrimRight(annotations, "\n"), "\n", "\n    ") + "\n"
	}
	return text + strings.Join(more, "")
}

// space is the Namespace of it.
func space(annotations string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: prod\n  annotations:\n    " + strings.ReplaceAll(annotations, "\n", "\n    ") + "\n"
}

// as is an object of another kind with its name, such as StatefulSet.apps/v1.
func as(kind, annotations string, more ...string) string {
	name, version, _ := strings.Cut(kind, ".")
	return strings.NewReplacer("apps/v1", version, "Deployment", name).Replace(shop(annotations, more...))
}

// owned is the rest of its metadata, where a controller made it.
func owned(version, kind string) string {
	return "  ownerReferences: [{apiVersion: " + version + ", kind: " + kind + ", name: shop, uid: x, controller: true}]\n"
}

// scaled is an autoscaler of it.
const scaled = "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: auto, namespace: prod}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}}\n"

// scaledObject is a ScaledObject of it.
const scaledObject = "---\napiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: keda, namespace: prod, }\nspec: {scaleTargetRef: {name: shop}}\n"

// lintCases has at least one case for every rule.
func lintCases() map[string]struct {
	text string // with a mark at each finding
	want []wanted
} {
	return map[string]struct {
		text string
		want []wanted
	}{
		"nothing":              {"", nil},
		"clean":                {shop("curfew/windows: |\n  Mon-Fri 07:00-20:00 = normal # open\n  always = 0\ncurfew/timezone: Europe/Berlin\ncurfew/replicas: \"3\"\ncurfew/grace: 30m\ncurfew/paused: \"false\"\ncurfew/override: 3 until 2026-06-05T20:00:00+02:00"), nil},
		"none of ours":         {shop("a: b", "spec: {replicas: 3}\n"), nil},
		"opted out":            {shop("curfew/windows: none\ncurfew/replicas: \"3\"", "spec: {replicas: 3}\n"), nil},
		"no Kubernetes object": {"replicaCount: 3\n---\n- {op: add, path: /metadata/annotations, value: {curfew/windows: x}}\n", nil},
		"not even YAML":        {"«a: [\n", []wanted{{"unreadable", "did not find expected node content; mend it"}}},
		"keys twice":           {"{a: 1,\n««a: 2, a: 3}\n", []wanted{{"unreadable", "already set"}, {"unreadable", "already set"}}},

		"rules in a block": {shop("curfew/windows: |\n  # open\n  always = 0\n  Mon-Fri «8-20 = 0; Sat = «many"), []wanted{
			{"invalid-windows", `"8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00`}, {"invalid-windows", `"many": this is not a size; write a number`}}},
		"rules folded":            {shop("curfew/windows: >\n  Sat = 0;\n  Sun = «many"), []wanted{{"invalid-windows", `"many"`}}},
		"rules in quotes":         {shop(`curfew/windows: 'Sat = «many'`), []wanted{{"invalid-windows", `"many"`}}},
		"rules with escapes":      {shop(`curfew/windows: "Sat = 0\nSun\t= «many"`), []wanted{{"invalid-windows", `"many"`}}},
		"rules behind an alias":   {"x: &x Sat = «many\n" + shop("curfew/windows: *x"), []wanted{{"invalid-windows", `"many"`}}},
		"something is missing":    {shop("curfew/windows: |\n  Sat «\n  Sun = 0"), []wanted{{"invalid-windows", "size"}}},
		"no rule":                 {shop("curfew/windows: \"«\""), []wanted{{"invalid-windows", "there is no rule; write one"}}},
		"zone":                    {shop("curfew/windows: always = 0\ncurfew/timezone: |\n\n  «CEST"), []wanted{{"invalid-timezone", `"CEST": an abbreviation does not name one zone; write Europe/Berlin`}}},
		"replicas":                {shop("curfew/windows: always = 0\ncurfew/replicas: «three"), []wanted{{"invalid-replicas", `"three" is not a number from 0 to 1000000; write the normal`}}},
		"override without an end": {shop("curfew/override: «many"), []wanted{{"invalid-override", `"many" has no end; write`}}},
		"override's size":         {shop("curfew/override: \"  «many until 2026-06-05T20:00:00Z\""), []wanted{{"invalid-override", `"many": this is not a size`}}},
		"override's end":          {shop("curfew/override: 3 until  «tomorrow"), []wanted{{"invalid-override", `"tomorrow": this is not a time`}}},
		"paused":                  {shop("curfew/paused:  «yes sir"), []wanted{{"invalid-paused", `"yes sir" is neither "true" nor "false"`}}},
		"grace":                   {shop("curfew/windows: always = 0\ncurfew/grace: '«soon'"), []wanted{{"invalid-grace", `"soon" is not a duration; write hours`}}},
		"wave":                    {shop("curfew/windows: always = 0\ncurfew/wave: '«first'"), []wanted{{"invalid-wave", `"first" is not a number from 0 to 1000; write whose turn`}}},
		"lead":                    {shop("curfew/windows: always = 0\ncurfew/lead: '«soon'"), []wanted{{"invalid-lead", `"soon" is not a duration in whole seconds; write hours`}}},
		"spread":                  {shop("curfew/windows: always = 0\ncurfew/spread: «25h"), []wanted{{"invalid-spread", `"25h" is more than a day; write at most 24h`}}},
		"memory":                  {shop("curfew/windows: always = 0\n«curfew/remembered-replicas: «x"), []wanted{{"written-by-curfew", "leave it out"}, {"invalid-remembered-replicas", `"x" is not a number`}}},
		"unknown key":             {shop("«curfew/window: always = 0\n'«curfew/zzz': b"), []wanted{{"unknown-annotation", "did you mean curfew/windows?"}, {"unknown-annotation", "there is no such annotation; remove it"}}},
		"numbers, booleans, nothing, lists": {shop("curfew/windows: always = 0\ncurfew/replicas: «3\ncurfew/paused: «true\n«curfew/grace:\ncurfew/timezone: «[UTC]\nother: «1000000"), []wanted{
			{"not-text", `3 is no text; write it in quotes: "3"`}, {"not-text", `true is no text; write it in quotes: "true"`}, {"not-text", "it has no value; write one"},
			{"not-text", "this is no text"}, {"not-text", `1000000 is no text; write it in quotes: "1000000"`}}},
		"what is text is read all the same": {shop("curfew/windows: «nonsense\ncurfew/replicas: «3"), []wanted{{"invalid-windows", "nonsense"}, {"not-text", "3 is no text"}}},
		"annotations in a list":             {"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  «annotations:\n  - curfew/windows: always = 0\n", []wanted{{"not-text", "no mapping"}}},
		"a Namespace": {space("curfew/timezone: «CEST\n«curfew/replicas: \"3\"\n«curfew/window: x\ncurfew/windows: Sat = «many\ncurfew/override: «many\ncurfew/paused: «3"), []wanted{
			{"invalid-timezone", "CEST"}, {"workload-annotation", "this means nothing on a Namespace; set it on the workload"}, {"unknown-annotation", "curfew/windows?"},
			{"invalid-windows", "many"}, {"invalid-override", "many"}, {"not-text", "3 is no text"}}},
		"a Namespace's mistake is said once": {shop("", "spec: {«replicas: 3}\n") + "---\n" + shop("curfew/replicas: \"3\"") + "---\n" + space("curfew/windows: Sat = «many\ncurfew/timezone: «CEST"), []wanted{
			{"replicas-in-manifest", ""}, {"invalid-windows", "many"}, {"invalid-timezone", "CEST"}}},
		"json": {`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "annotations": {"curfew/windows": "Sat = 0\nSun = «many"}}}]}`, []wanted{{"invalid-windows", "many"}}},
		"flow": {one("web", "curfew/windows: Sat = «many, curfew/replicas: '«x'"), []wanted{{"invalid-windows", "many"}, {"invalid-replicas", ""}}},

		"gap before midnight": {shop("curfew/windows: |\n  «00:00-23:59 = 0"), []wanted{{"gap-before-midnight", "this ends at 23:59, which leaves a gap before midnight; write 24:00"}}},
		"shorter than the lead": {shop("curfew/windows: |\n  20:00-06:00 = 0\n  «12:00-12:10 = 0\ncurfew/lead: 15m"), []wanted{
			{"within-lead", `"12:00-12:10 = 0" never holds: each time it is over before the lead of 15m begins to wake it; make curfew/lead shorter`}}},
		"shorter than the Namespace's lead":        {shop("curfew/windows: «12:00-12:10 = 0") + "---\n" + space("curfew/lead: 15m"), []wanted{{"within-lead", "15m"}}},
		"a Namespace's rule shorter than the lead": {shop("curfew/lead: «15m") + "---\n" + space("curfew/windows: 12:00-12:10 = 0"), []wanted{{"within-lead", "12:00-12:10 = 0"}}},
		"both are the Namespace's":                 {shop("") + "---\n" + space("curfew/windows: «12:00-12:10 = 0\ncurfew/lead: 15m"), []wanted{{"within-lead", "15m"}}},
		"as long as the spread, which moves both":  {shop("curfew/windows: 12:00-12:10 = 0\ncurfew/spread: 15m"), nil},
		"a lead and nothing to wake for":           {shop("«curfew/lead: 15m\n«curfew/wave: \"1\"\n«curfew/spread: 10m"), []wanted{{"without-rules", ""}, {"without-rules", ""}, {"without-rules", ""}}},
		"hidden rule":                              {shop("curfew/windows: |\n  always = 0\n  «Mon   =  1"), []wanted{{"hidden-rule", `"Mon = 1": this never decides anything: "always = 0" above it already holds whenever this does; move it up`}}},
		"both days of cron":                        {shop("curfew/windows: Sat = 0; cron(0 6 * * 1) to cron(«0 8 1 * 1) = 0"), []wanted{{"cron-both-days", "match either"}}},
		"a zone in a rule":                         {shop("curfew/windows: Sat = 0; Mon «EST = 0; Tue EST = 0"), []wanted{{"suspicious-zone", "an hour off New York"}}},
		"a zone of its own":                        {shop("curfew/windows: Sat = 0\ncurfew/timezone: «EST"), []wanted{{"suspicious-zone", "an hour off New York"}}},
		"a zone of its own and in a rule":          {shop("curfew/windows: Sat = 0; Mon EST = 0\ncurfew/timezone: «EST"), []wanted{{"suspicious-zone", "an hour off New York"}}},
		"the zone of a Namespace":                  {shop("curfew/windows: Sat = 0") + "---\n" + space("curfew/timezone: «EST"), []wanted{{"suspicious-zone", "an hour off New York"}}},
		"a Namespace's suspicious rules":           {shop("") + "---\n" + space("curfew/windows: |\n  «00:00-23:59 = 0"), []wanted{{"gap-before-midnight", ""}}},

		"an autoscaler": {shop("curfew/windows: |\n  Sat = normal\n  «Mon = 2; «Tue = 50%\n  «Sun = 0; Fri = 0%\ncurfew/override: «3 until 2026-06-05T20:00:00Z") + scaled, []wanted{
			{"autoscaler", "a size of 2 changes nothing: the HorizontalPodAutoscaler auto owns every size above 0; set the rule on that, or curfew/hpa: floor here"}, {"autoscaler", "50%"},
			{"autoscaler-paused", "a size of 0 pauses the HorizontalPodAutoscaler auto"}, {"autoscaler", "a size of 3"}}},
		"an autoscaler and a Namespace's rules": {strings.Replace(shop(""), "shop", "«shop", 1) + scaled + "---\n" + space("curfew/windows: Mon = 0; Tue = 0"), []wanted{{"autoscaler-paused", ""}}},
		"an autoscaler and a Namespace's sizes": {strings.Replace(shop(""), "shop", "«shop", 1) + scaled + "---\n" + space("curfew/windows: Mon = 3; Tue = 2"), []wanted{{"autoscaler", "a size of 3"}}},
		"an autoscaler of something else": {strings.ReplaceAll(shop("curfew/windows: Mon = 2"), "prod", "test") + scaled +
			strings.NewReplacer("name: auto", "name: b", "Deployment", "StatefulSet", "prod", "test").Replace(scaled), nil},
		"an autoscaler in another namespace": {strings.ReplaceAll(shop("curfew/windows: Mon = 2"), "prod", "test") + scaled, nil},
		"an autoscaler of another":           {strings.Replace(shop("curfew/windows: Mon = 2"), "shop", "web", 1) + scaled, nil},
		"an autoscaler without rules":        {shop("a: b") + scaled, nil},

		"an autoscaler that does as its target says": {shop("curfew/windows: Mon = 2; Tue = 3..7; «Sun = 0\n«curfew/hpa: floor") + scaled, []wanted{
			{"autoscaler-paused", ""}, {"needs-kinds", "Curfew sets the floor of an autoscaler only if its --kinds has horizontalpodautoscalers.autoscaling"}}},
		"an autoscaler that does as it says itself": {shop("curfew/windows: «Mon = 2\n«curfew/hpa: floor") + strings.Replace(scaled, "prod}", "prod, annotations: {curfew/windows: Mon = 3}}", 1), []wanted{
			{"autoscaler", "a size of 2"}, {"needs-kinds", ""}}},
		"something else about an autoscaler":       {shop("curfew/windows: Mon = 2\ncurfew/hpa: «ceiling"), []wanted{{"invalid-hpa", "floor"}}},
		"the floor of no autoscaler":               {as("CronJob.batch/v1", "«curfew/windows: Mon = 0\ncurfew/hpa: «floor"), []wanted{{"needs-kinds", ""}, {"invalid-hpa", "put it on what one scales"}}},
		"the floor of an autoscaler without rules": {shop("«curfew/hpa: floor"), []wanted{{"without-rules", ""}}},

		"an autoscaler with rules": {as("HorizontalPodAutoscaler.autoscaling/v2", "«curfew/windows: Mon = 2; Tue = «0; «Wed = 12; Thu = 12..20", "spec: {«minReplicas: 3, maxReplicas: 10}\n"), []wanted{
			{"needs-kinds", "horizontalpodautoscalers.autoscaling"}, {"invalid-windows", `"0": a HorizontalPodAutoscaler cannot go to 0; put 0 on its target`}, {"above-maximum", "a minimum of 12 is above spec.maxReplicas, which is 10"}, {"replicas-in-manifest", "spec.minReplicas: 3"}}},
		"an autoscaler of version 1":                   {as("HorizontalPodAutoscaler.autoscaling/v1", "«curfew/windows: Mon = 2", "spec: {maxReplicas: 10}\n"), []wanted{{"needs-kinds", ""}}},
		"an autoscaler that no API server takes":       {as("HorizontalPodAutoscaler.autoscaling/v2beta2", "«curfew/windows: Mon = 2"), []wanted{{"wrong-kind", "write apiVersion: autoscaling/v2"}}},
		"an autoscaler of KEDA's":                      {as("HorizontalPodAutoscaler.autoscaling/v2", "«curfew/windows: Mon = 2", owned("keda.sh/v1alpha1", "ScaledObject")), []wanted{{"not-ours", "belongs to the ScaledObject shop"}}},
		"an autoscaler inherits nothing":               {as("HorizontalPodAutoscaler.autoscaling/v2", "««curfew/replicas: '3'") + "---\n" + space("curfew/windows: always = 0"), []wanted{{"without-rules", ""}, {"needs-kinds", ""}}},
		"a range on what has no bounds":                {shop("curfew/windows: Mon = «2..5"), []wanted{{"invalid-windows", `"2..5": a Deployment has one size and no range`}}},
		"a range on a StatefulSet, and as normal size": {as("StatefulSet.apps/v1", "«curfew/windows: Mon = «2..5\ncurfew/replicas: «2..5"), []wanted{{"needs-kinds", ""}, {"invalid-windows", ""}, {"invalid-replicas", "no range"}}},

		"a CronJob": {as("CronJob.batch/v1", "«curfew/windows: |\n  Sat = 0; Sun = «3\n  always = normal\ncurfew/replicas: '«1'\ncurfew/override: «2 until 2026-06-05T20:00:00Z", "spec: {«suspend: false}\n"), []wanted{
			{"needs-kinds", "cronjobs.batch"}, {"invalid-windows", `"3": a CronJob is on or off; write 0, which suspends it, or normal`}, {"invalid-replicas", "remove the annotation"}, {"invalid-override", `"2": a CronJob is on or off`},
			{"replicas-in-manifest", "spec.suspend: false argues with Curfew at each apply, for the rules say the size; leave it out"}}},
		"a CronJob that is suspended": {as("CronJob.batch/v1", "«curfew/windows: Sat = 0", "spec: {«suspend: true}\n"), []wanted{
			{"needs-kinds", ""}, {"replicas-in-manifest", "spec.suspend: true keeps it off, for no window wakes what its owner has switched off; leave it out, if"}}},
		"on the Jobs and pods of a CronJob": {as("CronJob.batch/v1", "", "spec: {jobTemplate: {metadata: {annotations: {«curfew/windows: Sat = 0}}, spec: {template: {metadata: {annotations: {«curfew/windows: Sat = 0}}}}}}\n"), []wanted{
			{"wrong-place", "on the Jobs"}, {"wrong-place", "on the pods"}}},
		"a ScaledObject": {as("ScaledObject.keda.sh/v1alpha1", "«curfew/windows: Sat = 0; Sun = «50%\n«autoscaling.keda.sh/paused-replicas: '4'\n«curfew/remembered-pause: '4'", "spec: {scaleTargetRef: {name: shop}}\n"), []wanted{
			{"needs-kinds", "scaledobjects.keda.sh"}, {"invalid-windows", "is on or off"}, {"replicas-in-manifest", "autoscaling.keda.sh/paused-replicas: 4 argues"}, {"written-by-curfew", ""}}},
		"a ScaledObject of nothing": {as("ScaledObject.keda.sh/v1alpha1", "««curfew/windows: Sat = 0"), []wanted{{"not-ours", "this ScaledObject scales nothing"}, {"needs-kinds", ""}}},

		"spec.replicas":                      {shop("curfew/windows: always = 0", "spec:\n  «replicas: 3\n"), []wanted{{"replicas-in-manifest", "spec.replicas: 3 argues with Curfew at each apply, for the rules say the size; leave it out"}}},
		"spec.replicas and inherited rules":  {shop("", "spec:\n  «replicas: 3\n") + "---\n" + space("curfew/windows: always = 0"), []wanted{{"replicas-in-manifest", ""}}},
		"spec.replicas, but opted out":       {shop("curfew/windows: none", "spec:\n  replicas: 3\n") + "---\n" + space("curfew/windows: always = 0"), nil},
		"spec.replicas and a Namespace's no": {shop("", "spec:\n  replicas: 3\n") + "---\n" + space("curfew/windows: none"), nil},
		"spec.replicas of nothing":           {shop("curfew/windows: always = 0", "spec:\n  replicas:\n"), nil},
		"read from a cluster":                {shop("curfew/windows: always = 0\ncurfew/status: '{}'\ncurfew/remembered-replicas: '3'", "  uid: b\nspec: {replicas: 3}\n"), nil},
		"Curfew's own words":                 {shop("curfew/windows: always = 0\n«curfew/status: '{}'\n«curfew/remembered-replicas: '3'"), []wanted{{"written-by-curfew", "leave it out"}, {"written-by-curfew", ""}}},

		"without rules":            {shop("«curfew/replicas: '3'\n«curfew/timezone: UTC\n«curfew/grace: 3m"), []wanted{{"without-rules", "this does nothing without rules"}, {"without-rules", ""}, {"without-rules", ""}}},
		"with an override":         {shop("curfew/replicas: '3'\ncurfew/override: 3 until 2026-06-05T20:00:00Z"), nil},
		"with a Namespace's rules": {space("curfew/windows: always = 0") + "---\n" + shop("curfew/replicas: '3'"), nil},
		"with another's rules":     {space("curfew/windows: always = 0") + "---\n" + strings.Replace(shop("«curfew/replicas: '3'"), "prod", "test", 1), []wanted{{"without-rules", ""}}},

		"a Namespace that nothing is inherited from": {strings.ReplaceAll(space("«curfew/windows: always = 0")+"---\n"+shop("«curfew/replicas: '3'", "spec:\n  replicas: 3\n"), "prod", "kube-system"), []wanted{
			{"wrong-place", "this does nothing, for what is in kube-system inherits nothing; set it on the workloads"}, {"without-rules", ""}}},

		"a StatefulSet": {as("StatefulSet.apps/v1", "«curfew/windows: always = «many\n«curfew/x: b"), []wanted{
			{"needs-kinds", "only if its --kinds has statefulsets.apps"}, {"invalid-windows", "many"}, {"unknown-annotation", ""}}},
		"a size in a StatefulSet": {as("StatefulSet.apps/v1", "«curfew/windows: always = 0", "spec: {«replicas: 3}\n"), []wanted{{"needs-kinds", ""}, {"replicas-in-manifest", "spec.replicas: 3 argues"}}},
		"a kind of somebody's": {as("Rollout.argoproj.io/v1alpha1", "«curfew/windows: «00:00-23:59 = 0", "spec: {«replicas: 3}\n") + "---\n" + as("Rollout.argoproj.io/v1alpha1", "curfew/windows: always = «many"), []wanted{
			{"needs-kinds", "--kinds has rollouts.argoproj.io, and if that has a scale subresource"}, {"gap-before-midnight", ""}, {"replicas-in-manifest", "spec.replicas: 3"}, {"invalid-windows", "many"}}},
		"a Namespace's rules and a kind that may not be looked after": {as("StatefulSet.apps/v1", "a: b", "spec: {replicas: 3}\n") + "---\n" + space("curfew/windows: always = 0"), nil},
		"somebody's kind that says nothing":                           {as("Rollout.argoproj.io/v1alpha1", "a: b", "spec: {replicas: 3}\n"), nil},
		"somebody's kind with a number":                               {as("Rollout.argoproj.io/v1alpha1", "«curfew/replicas: «3"), []wanted{{"needs-kinds", ""}, {"not-text", ""}}},
		"a ReplicationController":                                     {as("ReplicationController.v1", "«curfew/windows: always = 0"), []wanted{{"needs-kinds", "replicationcontrollers"}}},
		"a kind that is not scaled":                                   {as("Service.v1", "«curfew/windows: always = 0\n«curfew/x: y"), []wanted{{"wrong-kind", "Curfew does not scale a Service of v1, so this does nothing; remove it"}, {"wrong-kind", ""}}},
		"kinds without a size": {as("ReplicaSet.apps/v1", "«curfew/windows: always = 0") + "---\n" + as("Pod.v1", "«curfew/windows: always = 0") + "---\n" + as("Job.batch/v1", "«curfew/windows: always = 0") + "---\n" +
			as("DaemonSet.apps/v1", "«curfew/windows: always = 0") + "---\n" + as("PodDisruptionBudget.policy/v1", "«curfew/windows: always = 0"), []wanted{
			{"no-size", "for a Deployment to keep; put the windows on that"}, {"no-size", "on what makes it"}, {"no-size", "on the CronJob that makes it"}, {"no-size", "docs/kinds.md"}, {"no-size", "docs/kinds.md"}}},
		"what belongs to a controller": {shop("«curfew/windows: always = 0\ncurfew/x: y", owned("shop.example.com/v1", "Shop")), []wanted{
			{"not-ours", "this Deployment belongs to the Shop shop, which sets its size; say it there"}}},
		"what belongs to a controller and opts out": {shop("curfew/windows: none\ncurfew/timezone: UTC", owned("shop.example.com/v1", "Shop")), nil},
		"no size":                      {shop("curfew/timezone: UTC\n«curfew/windows: always = 0", "spec: {replicas: many}\n"), []wanted{{"not-ours", "mend it"}}},
		"templates that make no sense": {shop("curfew/windows: always = 0", "  labels: {a: 1}\nspec: {selector: 1, template: {metadata: {labels: {b: 2}}}}\n"), nil},

		"an old Deployment":            {strings.Replace(shop("«curfew/windows: always = 0"), "apps/v1", "apps/v1beta1", 1), []wanted{{"wrong-kind", "write apiVersion: apps/v1"}}},
		"a ReplicaSet of a Deployment": {strings.Replace(shop("curfew/windows: always = 0", owned("apps/v1", "Deployment")), "Deployment", "ReplicaSet", 1), nil},
		"on the pods": {shop("", "spec:\n  template:\n    metadata:\n      annotations: {«curfew/windows: always = 0}\n      labels: {«curfew/paused: 'true'}\n"), []wanted{
			{"wrong-place", "curfew/windows is on the pods here, where Curfew does not look; move it to metadata.annotations"}, {"wrong-place", "label of the pods"}}},
		"a label": {shop("", "  labels:\n    «curfew/windows: none\n"), []wanted{{"wrong-place", "curfew/windows is a label here"}}},

		"a ScaledObject beside rules": {strings.Replace(shop("curfew/windows: always = 0"), "shop", "«shop", 1) + scaledObject, []wanted{{"scaled-object", "the ScaledObject keda scales this too, and wakes it from 0"}}},
		"a ScaledObject with rules beside rules": {shop("«curfew/windows: always = 0") + strings.Replace(scaledObject, "prod,", "prod, annotations: {«curfew/windows: always = 0},", 1), []wanted{
			{"scaled-twice", "the ScaledObject keda scales this Deployment and has rules or an override; say it there"}, {"needs-kinds", "scaledobjects.keda.sh"}}},
		"a ScaledObject that opts out": {strings.Replace(shop("curfew/windows: always = 0"), "shop", "«shop", 1) + strings.Replace(scaledObject, "prod,", "prod, annotations: {«curfew/windows: none},", 1), []wanted{
			{"scaled-object", ""}, {"needs-kinds", ""}}},
		"a ScaledObject beside a Namespace's rules": {strings.Replace(shop(""), "shop", "«shop", 1) + scaledObject + "---\n" + space("curfew/windows: always = 0"), []wanted{{"scaled-object", ""}}},
		"an object left to its ScaledObject":        {shop("curfew/timezone: UTC") + strings.Replace(scaledObject, "prod,", "prod, annotations: {«curfew/windows: always = 0},", 1), []wanted{{"needs-kinds", ""}}},
		"a ScaledObject of something else":          {strings.ReplaceAll(shop("curfew/windows: always = 0"), "prod", "test") + scaledObject, nil},

		"kube-downscaler": {shop("«downscaler/uptime: always\n«downscaler/exclude: 'true'"), []wanted{{"other-tool", "this is kube-downscaler's, and means nothing to Curfew; kubectl curfew import"}, {"other-tool", ""}}},
		"other tools beside Curfew": {space("curfew/windows: always = 0\n«downscaler/uptime: always\n«zalando.org/schedule-actions: '[]'\n«kube-green.com/x: z"), []wanted{
			{"other-tool", "the two argue"}, {"other-tool", "kube-schedule-scaler"}, {"other-tool", "kube-green"}}},
		"a SleepInfo": {"apiVersion: kube-green.com/v1alpha1\nkind: «SleepInfo\nmetadata: {name: a}\n", []wanted{{"other-tool", "kube-green goes on scaling"}}},

		"what a terminal would act on": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: \"a\\e[2J\", annotations: {\"«curfew/\\e[2J\": b, curfew/windows: \"Mon = «\\e[2J\"}}\n", []wanted{
			{"unknown-annotation", ""}, {"invalid-windows", `"\x1b[2J": this is not a size`}}},
	}
}

func TestLint(t *testing.T) {
	covered, exact := map[string]bool{}, 0
	for name, c := range lintCases() {
		t.Run(name, func(t *testing.T) {
			text, places := marked(c.text)
			code, found, stderr := lintJSON(t, text)
			var got []string
			for i, f := range found {
				covered[f.Rule] = true
				place := fmt.Sprintf("%d:%d", f.Line, f.Column)
				got = append(got, strings.TrimSuffix(place, ":0"))
				if f.Message == "" || f.Hint == "" || f.File != "stdin" || f.Kind == "" && f.Rule != "unreadable" {
					t.Errorf("something is missing in %+v", f)
				}
				if said := f.Message + "; " + f.Hint; i < len(c.want) && (f.Rule != c.want[i].rule || !strings.Contains(said, c.want[i].says)) {
					t.Errorf("%s: %q, want %s: %q", f.Rule, said, c.want[i].rule, c.want[i].says)
				}
				if quoted, err := strconv.QuotedPrefix(f.Message); err == nil && f.EndColumn > 0 {
					line := []rune(strings.Split(text, "\n")[f.Line-1])
					there := string(line[f.Column-1 : f.EndColumn-1])
					if want, err := strconv.Unquote(quoted); err != nil || there != want && !strings.Contains(there, `\`) {
						t.Errorf("the message is about %s, and at the place stands %q", quoted, there)
					}
					exact++
				}
				if regexp.MustCompile(`[[:cntrl:]]`).MatchString(f.Message + f.Hint) {
					t.Errorf("%q is not safe to print", f.Message+f.Hint)
				}
			}
			want := places
			if len(c.want) == 0 || c.want[0].rule == "unreadable" { // whose column is not known
				for i := range want {
					want[i], _, _ = strings.Cut(want[i], ":")
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("findings are at %q, want %q: %+v", got, want, found)
			}
			if c.want != nil && len(c.want) != len(found) {
				t.Errorf("%d findings, want %d: %+v", len(found), len(c.want), found)
			}
			wantCode, lines := 0, 1
			if strings.Contains(stderr, " in 0 objects\n") && len(found) == 0 {
				wantCode, lines = 2, 2
			}
			for _, f := range found {
				switch {
				case f.Rule == "unreadable":
					wantCode = 2
				case f.Level == "error":
					wantCode = max(wantCode, 1)
				}
			}
			if code != wantCode || strings.Count(stderr, "\n") != lines {
				t.Errorf("exit code %d, want %d; stderr %q", code, wantCode, stderr)
			}
		})
	}
	if exact < 20 {
		t.Errorf("only %d findings have a text in the file", exact)
	}
	for _, r := range lint.Rules() {
		if !covered[r.ID] {
			t.Errorf("no case has the rule %s", r.ID)
		}
	}
}

// TestLintText: what people see, in full.
func TestLintText(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	files := map[string]string{
		"shop.yaml":      shop("curfew/windows: |\n  Mon-Fri\t8-20 = normal\n  always = 0", "spec:\n  replicas: 3\n"),
		"clean.yml":      shop("curfew/windows: always = 0"),
		"below/odd.yaml": shop("curfew/window: always = 0"),
		"bad.txt":        "a: [\n",
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const fault = `shop.yaml:8:15: error: Deployment prod/shop: annotation curfew/windows: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00 [invalid-windows]
          Mon-Fri 8-20 = normal
                  ^
`
	const odd = `below/odd.yaml:7:5: error: Deployment prod/shop: annotation curfew/window: there is no such annotation; did you mean curfew/windows? [unknown-annotation]
        curfew/window: always = 0
        ^
`
	const argues = "spec.replicas: 3 argues with Curfew at each apply, for the rules say the size; leave it out, and give the normal size in curfew/replicas [replicas-in-manifest]\n      replicas: 3\n      ^\n"
	const warning = "shop.yaml:11:3: warning: Deployment prod/shop: " + argues
	for name, c := range map[string]asked{
		"clean":                    {args: []string{"-f", "clean.yml"}, stderr: "0 faults, 0 warnings in 1 object\n"},
		"clean, strictly":          {args: []string{"-f", "clean.yml", "--strict"}, stderr: "0 faults, 0 warnings in 1 object\n"},
		"a file":                   {args: []string{"-f", "shop.yaml"}, code: 1, stdout: fault + warning, stderr: "1 fault, 1 warning in 1 object\n"},
		"a directory":              {args: []string{"-f", "."}, code: 1, stdout: fault + warning, stderr: "1 fault, 1 warning in 2 objects\n"},
		"what is below it":         {args: []string{"-R", "-f", "."}, code: 1, stdout: odd + fault + warning, stderr: "2 faults, 1 warning in 3 objects\n"},
		"two files":                {args: []string{"-f", "clean.yml", "-f", "below/odd.yaml"}, code: 1, stdout: odd, stderr: "1 fault, 0 warnings in 2 objects\n"},
		"strictly":                 {args: []string{"-f", "shop.yaml", "--strict"}, code: 1, stdout: fault + strings.Replace(warning, "warning", "error", 1), stderr: "2 faults, 0 warnings in 1 object\n"},
		"ignored":                  {args: []string{"-f", "shop.yaml", "--ignore", "replicas-in-manifest,autoscaler"}, code: 1, stdout: fault, stderr: "1 fault, 0 warnings in 1 object\n"},
		"warnings alone":           {args: []string{"-f", "-"}, stdin: shop("curfew/windows: always = 0", "spec: {replicas: 3}\n"), stdout: "stdin:8:8: warning: Deployment prod/shop: " + strings.NewReplacer("      replicas: 3", "    spec: {replicas: 3}", "      ^", "           ^").Replace(argues), stderr: "0 faults, 1 warning in 1 object\n"},
		"warnings alone, strictly": {args: []string{"-f", "-", "--strict"}, code: 1, stdin: shop("curfew/windows: always = 0", "spec: {replicas: 3}\n"), stdout: "stdin:8:8: error: Deployment prod/shop: " + strings.NewReplacer("      replicas: 3", "    spec: {replicas: 3}", "      ^", "           ^").Replace(argues), stderr: "1 fault, 0 warnings in 1 object\n"},
		"the zone of --timezone": {args: []string{"-f", "-", "--timezone", "EST"}, stdin: shop("curfew/windows: Sat = 0"), stdout: `stdin:7:21: warning: Deployment prod/shop: annotation curfew/windows: "EST": EST has no daylight saving time, so it is an hour off New York all summer; write America/New_York, or America/Panama if you mean it [suspicious-zone]
        curfew/windows: Sat = 0
                        ^
`, stderr: "0 faults, 1 warning in 1 object\n"},
		"no such file": {args: []string{"-f", "zone.yaml", "-f", "shop.yaml"}, code: 2, stdout: fault + warning + "zone.yaml: error: no such file or directory; see that it is there and that you may read it [unreadable]\n", stderr: "2 faults, 1 warning in 1 object\n"},
		"not YAML":     {args: []string{"-f", "bad.txt"}, code: 2, stdout: "bad.txt:1: error: did not find expected node content; mend it, or leave the file out [unreadable]\n", stderr: "1 fault, 0 warnings in 0 objects\n"},
		"no kind":      {args: []string{"-f", "-"}, stdin: "\napiVersion: v1\n", code: 2, stdout: "stdin:2: error: the object has an apiVersion and no kind; mend it, or leave the file out [unreadable]\n", stderr: "1 fault, 0 warnings in 0 objects\n"},
		"nothing to lint, as from a pipe that failed": {args: []string{"-f", "-"}, code: 2, stderr: "0 faults, 0 warnings in 0 objects\nerror: there was nothing to lint; no Kubernetes object was found\n"},
		"nothing":      {code: 2, stderr: "error: there is nothing to lint; give manifests with --filename, such as\n  kubectl curfew lint -f deployment.yaml\n  helm template shop | kubectl curfew lint -f -\nSee 'kubectl curfew lint --help' for more\n"},
		"without -f":   {args: []string{"shop.yaml"}, code: 2, stderr: "error: \"shop.yaml\": lint takes flags only; files go behind -f\n"},
		"no such flag": {args: []string{"--stricter"}, code: 2, stderr: "error: unknown flag: --stricter\nSee 'kubectl curfew lint --help' for usage\n"},
		"bad flags": {args: []string{"-f", "-", "-o", "xml", "--timezone", "CEST", "--ignore", "unreadable", "--kinds", "deployments"}, code: 2, stderr: `
error: --output: "xml" is not a format; it is text, json or sarif
error: --timezone: "CEST": an abbreviation does not name one zone; write Europe/Berlin
error: --kinds: there is no resource "deployments"; did you mean deployments.apps?
error: --ignore: "unreadable" is not a rule that gives warnings; these are gap-before-midnight, hidden-rule, cron-both-days, suspicious-zone, within-lead, autoscaler, autoscaler-paused, scaled-object, above-maximum, replicas-in-manifest, without-rules, needs-kinds, wrong-kind, wrong-place, written-by-curfew, other-tool
`},
	} {
		t.Run(name, func(t *testing.T) { c.run(t, "lint") })
	}
}

// TestLintKinds: what the controller is told, lint can be told too.
func TestLintKinds(t *testing.T) {
	files := as("StatefulSet.apps/v1", "curfew/windows: always = 0", "spec: {template: {}}\n") + "---\n" + as("Rollout.argoproj.io/v1alpha1", "curfew/windows: always = 0") +
		"---\n" + as("StatefulSet.apps/v1", "a: b", "spec: {replicas: 2}\n") + "---\n" + space("curfew/windows: always = 0")
	for kinds, want := range map[string]string{
		"": "needs-kinds needs-kinds", "deployments.apps": "needs-kinds needs-kinds", "statefulsets.apps": "needs-kinds replicas-in-manifest",
		"deployments.apps,StatefulSets.apps, rollouts.argoproj.io": "replicas-in-manifest", "rollouts.argoproj.io": "needs-kinds",
	} {
		var args []string
		if kinds != "" {
			args = []string{"--kinds", kinds}
		}
		_, found, _ := lintJSON(t, files, args...)
		var got []string
		for _, f := range found {
			got = append(got, f.Rule)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", kinds, got, want)
		}
	}
}

// TestLintNamesAreSafe: a name or a line that a terminal would act on is escaped.
func TestLintNamesAreSafe(t *testing.T) {
	_, stdout, _ := kubectlCurfew(one(`"\e[31m"`, `"curfew/x\u007f\u009b": a`), "lint", "-f", "-")
	if regexp.MustCompile(`[^\n -~]`).MatchString(stdout) || !strings.Contains(stdout, `Deployment "\x1b[31m"`) {
		t.Errorf("%q", stdout)
	}
}

// TestLintSARIF: every report is valid by the schema, and has what code hosts ask for.
func TestLintSARIF(t *testing.T) {
	for name, c := range lintCases() {
		t.Run(name, func(t *testing.T) {
			text, _ := marked(c.text)
			jsonCode, found, _ := lintJSON(t, text)
			code, stdout, _ := kubectlCurfew(text, "lint", "-f", "-", "-o", "sarif")
			if code != jsonCode {
				t.Errorf("exit code %d, and %d for JSON", code, jsonCode)
			}
			report, err := sarif.FromString(stdout, sarif.WithStrictValidation())
			if err != nil {
				t.Fatal(err)
			}
			if err := report.Validate(); err != nil {
				t.Fatal(err)
			}
			if report.Version != "2.1.0" || report.Schema == "" || len(report.Runs) != 1 {
				t.Fatalf("version %q, schema %q, %d runs", report.Version, report.Schema, len(report.Runs))
			}
			run := report.Runs[0]
			driver := run.Tool.Driver
			if *driver.Name != "kubectl-curfew" || *driver.Version == "" || len(driver.Rules) != len(lint.Rules()) || *run.ColumnKind != "unicodeCodePoints" {
				t.Errorf("%+v", driver)
			}
			for _, r := range driver.Rules {
				if *r.ShortDescription.Text == "" || r.DefaultConfiguration.Level == "" {
					t.Errorf("rule %s has no description or level", *r.ID)
				}
			}
			if got := run.Invocations[0].ExecutionSuccessful; *got != (code != 2) {
				t.Errorf("successful is %v at exit code %d", *got, code)
			}
			if len(run.Results) != len(found) {
				t.Fatalf("%d results, %d findings", len(run.Results), len(found))
			}
			for i, r := range run.Results {
				f := found[i]
				place := r.Locations[0].PhysicalLocation
				region := place.Region
				if *r.RuleID != f.Rule || *driver.Rules[r.RuleIndex].ID != f.Rule || r.Level != f.Level || !strings.HasSuffix(*r.Message.Text, f.Message+"; "+f.Hint) {
					t.Errorf("%+v is not %+v", r, f)
				}
				if *place.ArtifactLocation.URI != "stdin" || *place.ArtifactLocation.URIBaseID != "%SRCROOT%" || *region.StartLine != f.Line || f.Column > 0 && *region.StartColumn != f.Column || f.EndColumn > 0 && *region.EndColumn != f.EndColumn {
					t.Errorf("%+v is not at %+v", region, f)
				}
			}
		})
	}
}

// TestLintURIs: files are relative to the working directory, and escaped.
func TestLintURIs(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	write := func(path string) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(shop("curfew/window: always = 0")), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for file, want := range map[string]string{
		write("a.yaml"):                           "a.yaml",
		"./" + write("b/c d#ä.yaml"):              "b/c%20d%23%C3%A4.yaml",
		write("e:f.yaml"):                         "./e:f.yaml",
		write(filepath.Join(dir, "g", "h.yaml")):  "g/h.yaml",
		write(filepath.Join(elsewhere, "i.yaml")): "file://" + filepath.ToSlash(elsewhere) + "/i.yaml",
	} {
		_, stdout, stderr := kubectlCurfew("", "lint", "-o", "sarif", "-f", file)
		report, err := sarif.FromString(stdout)
		if err != nil || len(report.Runs[0].Results) != 1 {
			t.Fatal(err, stdout, stderr)
		}
		if got := *report.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
}

// TestLintHelpKnowsEveryRule: the help lists every rule, and says what each field and exit code is.
func TestLintHelpKnowsEveryRule(t *testing.T) {
	_, stdout, _ := kubectlCurfew("", "lint", "--help")
	for _, r := range lint.Rules() {
		if !strings.Contains(stdout, "  "+r.ID+" ") || !strings.Contains(stdout, r.Summary) {
			t.Errorf("the help does not know %s", r.ID)
		}
	}
	long, _, _ := strings.Cut(stdout, "\nUsage:")
	for _, line := range strings.Split(long, "\n") {
		if len(line) > 110 {
			t.Errorf("this line is too long: %q", line)
		}
	}
	code, stdout, _ := kubectlCurfew(shop("curfew/window: a"), "lint", "-f", "-", "-o", "json")
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != 1 || len(list.Items) != 1 {
		t.Fatal(code, err, stdout)
	}
	_, help, _ := kubectlCurfew("", "lint", "--help")
	for field := range list.Items[0] {
		if !strings.Contains(help, field) {
			t.Errorf("the help does not know the field %s", field)
		}
	}
}
