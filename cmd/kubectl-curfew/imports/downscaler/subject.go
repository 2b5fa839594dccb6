package downscaler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/scaler/kind"
)

// subject is an object that the old tool may have a say in.
type subject struct {
	object      manifest.Object
	annotations map[string]string
	mistakes    []string // annotations of the old tool's that are no text
}

func subjectOf(object manifest.Object) subject {
	s := subject{object: object, annotations: map[string]string{}}
	metadata, _ := object.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		text, ok := annotations[key].(string)
		switch {
		case ok:
			s.annotations[key] = text
		case strings.HasPrefix(key, Prefix):
			s.annotations[key] = ""
			s.mistakes = append(s.mistakes, fmt.Sprintf("%s: %v is no text, and an API server takes no other; write it in quotes", manifest.Printable(key), annotations[key]))
		}
	}
	return s
}

func (s subject) isNamespace() bool {
	return s.object.GetAPIVersion() == "v1" && s.object.GetKind() == "Namespace"
}

// isDeployment reports whether it is what both tools scale if they are not told otherwise.
func (s subject) isDeployment() bool { return s.kind() == kind.Deployment }

// kind is what Curfew knows it as; nil if it does not scale it.
func (s subject) kind() *kind.Kind {
	k := translate.OfKind(s.object)
	if k != nil && k.Resource.Group == "apps" && s.object.GetAPIVersion() != "apps/v1" {
		return nil // which no API server takes
	}
	return k
}

// old lists the annotations of the old tool's.
func (s subject) old() []string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(s.annotations)) {
		if strings.HasPrefix(key, Prefix) {
			keys = append(keys, key)
		}
	}
	return keys
}

func (s subject) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := s.annotations[key]; return ok })
}

// size is what it asks for here.
func (s subject) size() int { return int(s.object.As(s.kind()).Size) }

func (s subject) target() translate.Target {
	return translate.TargetOf(s.object)
}

// leftAlone are the Namespaces that neither tool touches unless told so.
var leftAlone = []string{"kube-system", "kube-public", "kube-node-lease"}
