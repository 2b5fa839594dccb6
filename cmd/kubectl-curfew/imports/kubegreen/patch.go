package kubegreen

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
)

// patched is the kind that a patch of a SleepInfo puts to sleep, if that is all that it does.
func patched(f translate.Fields) (schema.GroupKind, error) {
	target := f.Fields("target")
	kind := schema.GroupKind{Group: target.String("group"), Kind: target.String("kind")}
	k := translate.KindOf(kind)
	switch {
	case kind.Kind == "":
		return kind, errors.New("there is no target with a group and a kind; take it out")
	case k == nil || !k.Inherits:
		return kind, fmt.Errorf("it patches each %s, which does not sleep by rules on its Namespace; take it out, or leave this one to %s", manifest.Printable(kind.Kind), tool)
	}
	var steps []struct {
		Op, Path string
		Value    any
	}
	if err := yaml.Unmarshal([]byte(f.String("patch")), &steps); err != nil {
		return kind, errors.New("the patch cannot be read; it is a list of steps with op, path and value")
	}
	path, value := "/spec/replicas", any(float64(0))
	if kind == translate.CronJob {
		path, value = "/spec/suspend", true
	}
	if len(steps) != 1 || steps[0].Op != "add" && steps[0].Op != "replace" || steps[0].Path != path || steps[0].Value != value {
		return kind, fmt.Errorf("a %s sleeps by %s: %v, and Curfew patches nothing else; take the patch out, or leave this one to %s", kind.Kind, path[1:], value, tool)
	}
	return kind, nil
}
