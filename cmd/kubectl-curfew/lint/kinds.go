package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/internal/kinds"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// is reports whether an object is of a kind, written with its group as kubectl does, of whatever version.
func is(o manifest.Object, name string) bool { return groupKind(o) == schema.ParseGroupKind(name) }

func groupKind(o manifest.Object) schema.GroupKind { return o.GroupVersionKind().GroupKind() }

// unwatched says, once for each kind, that the controller has to be told of it.
func (s *surroundings) unwatched(o manifest.Object, k *kind.Kind) []Finding {
	keys := ours(mapping(o, "metadata", "annotations"))
	if len(keys) == 0 || s.kinds.Watched(k) || s.said[k] || metav1.GetControllerOf(o) != nil {
		return nil
	}
	s.said[k] = true
	key := keys[0]
	if slices.Contains(keys, annotation.Windows) {
		key = annotation.Windows
	}
	f := newFinding(o, needsKinds, key)
	f.Message = fmt.Sprintf("Curfew looks after a %s only if its --kinds has %s", manifest.Printable(o.GetKind()), manifest.Printable(k.String()))
	f.Hint = tellKinds
	if !kind.IsKnown(k) {
		f.Message += ", and if that has a scale subresource"
	}
	return []Finding{f.on(o.Key("metadata", "annotations", key))}
}

const tellKinds = "see that it has, and give lint the same --kinds"

// floorless says, once, that autoscalers have to be looked after for what their targets say of them.
func (s *surroundings) floorless(o manifest.Object, spec annotation.Spec, k *kind.Kind) []Finding {
	if !spec.Floor || !k.Counted || s.kinds.Watched(kind.Autoscaler) || s.said[kind.Autoscaler] {
		return nil
	}
	s.said[kind.Autoscaler] = true
	f := newFinding(o, needsKinds, annotation.HPA)
	f.Message = fmt.Sprintf("Curfew sets the floor of an autoscaler only if its --kinds has %s", kind.Autoscaler)
	f.Hint = tellKinds
	return []Finding{f.on(o.Key("metadata", "annotations", annotation.HPA))}
}

// unfit is the finding on what belongs to a controller, has a size that cannot be read, or is left to what scales it.
func unfit(o manifest.Object, p annotation.Problem, left bool) Finding {
	rule := notOurs
	if left {
		rule = scaledTwice
	}
	f := newFinding(o, rule, p.Key)
	f.Message, f.Hint, _ = strings.Cut(output.Safe(p.Detail), "; ")
	f.Hint = cmp.Or(f.Hint, "mend it")
	return f.on(o.Key("metadata", "annotations", p.Key))
}

// others looks at an object that Curfew does not scale. What a controller keeps has its annotations from its owner.
func others(o manifest.Object) []Finding {
	if metav1.GetControllerOf(o) != nil {
		return nil
	}
	var all []Finding
	if is(o, "SleepInfo.kube-green.com") {
		f := newFinding(o, otherTool, "")
		f.Message = "kube-green goes on scaling as this says while it runs"
		f.Hint = "kubectl curfew import translates it; then remove it"
		all = append(all, f.on(o.Value("kind")))
	}
	for _, key := range ours(mapping(o, "metadata", "annotations")) {
		f := newFinding(o, wrongKind, key)
		f.Message = fmt.Sprintf("Curfew does not scale a %s of %s, so this does nothing", manifest.Printable(o.GetKind()), manifest.Printable(o.GetAPIVersion()))
		f.Hint = "remove it"
		if known := kind.Called(kind.Known(), groupKind(o)); known != nil {
			f.Hint = "write apiVersion: " + known.Resource.GroupVersion().String()
		} else if why := hopeless(o); why != "" {
			f = newFinding(o, noSize, key)
			f.Message, f.Hint, _ = strings.Cut(why, "; ")
		}
		all = append(all, f.on(o.Key("metadata", "annotations", key)))
	}
	return append(all, misplaced(o)...)
}

// hopeless says why an object has no size, and what to do instead; "" if nobody says so.
func hopeless(o manifest.Object) string {
	if is(o, "ReplicaSet.apps") {
		return "a ReplicaSet is for a Deployment to keep; put the windows on that"
	}
	resource, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
	return kinds.Hopeless(resource.GroupResource())
}
