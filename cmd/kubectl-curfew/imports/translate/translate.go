// Package translate is what the translators of other tools' schedules have in common.
package translate

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/kind"
)

// Target is the object that gets Curfew's annotations. Where there are none, because something is unsaid, it may be of
// a kind that Curfew does not scale, or the very object that says the old schedule.
type Target struct {
	schema.GroupKind // of a workload, or of a Namespace

	Namespace string // empty for a Namespace, or where the manifest names none
	Name      string
}

// Translation is what one target's old schedule becomes.
type Translation struct {
	Target Target
	// From are the objects that say the old schedule: the target itself, where it is written in annotations, or a
	// SleepInfo, ScaledObject, CronHorizontalPodAutoscaler or CronJob, which somebody has to delete afterwards.
	From []manifest.Object
	// Set are Curfew's annotations. It is empty where Unsaid is not: half a schedule is not what anybody meant.
	Set map[string]string
	// Remove are the old tool's annotations on the target that Set replaces.
	Remove []string
	// Kinds are those that the rules are meant for besides the target's own: on a Namespace, all that the old tool scaled
	// in it.
	Kinds []*kind.Kind
	// Differences say in plain words where the new schedule means something else than the old one.
	Differences []string
	// Unsaid says in plain words what cannot be said in Curfew's annotations, and what to do about it.
	Unsaid []string
}

// Translator translates one tool's schedules. It is pure. Objects are all that were read, of whatever kind, so that
// a translator finds the targets and Namespaces that a schedule speaks of.
type Translator func(objects []manifest.Object) []Translation
