package translate

import (
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/cmd/kubectl-curfew/manifest"
)

// Is reports whether an object is of a kind in a group of the API, of whatever version.
func Is(o manifest.Object, group, kind string) bool {
	return o.Unstructured != nil && o.GetKind() == kind && IsGroup(o.GetAPIVersion(), group)
}

// IsGroup reports whether an apiVersion is of a group.
func IsGroup(apiVersion, group string) bool {
	gv, err := schema.ParseGroupVersion(apiVersion)
	return err == nil && gv.Group == group
}

// TargetOf is an object as a target.
func TargetOf(o manifest.Object) Target {
	return Target{o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()}
}

// Workloads are those of a kind in a namespace whose labels match.
func Workloads(objects []manifest.Object, kind schema.GroupKind, namespace string, selector labels.Selector) []manifest.Object {
	var found []manifest.Object
	for _, o := range objects {
		if Is(o, kind.Group, kind.Kind) && o.GetNamespace() == namespace && selector.Matches(labels.Set(o.GetLabels())) {
			found = append(found, o)
		}
	}
	return found
}

// AutoscalersOf names the HorizontalPodAutoscalers that scale a target.
func AutoscalersOf(objects []manifest.Object, t Target) []string {
	var names []string
	for _, o := range objects {
		if !Is(o, Autoscaler.Group, Autoscaler.Kind) || o.GetNamespace() != t.Namespace {
			continue
		}
		ref := FieldsOf(o.Object, "spec").Fields("scaleTargetRef")
		if ref.String("kind") == t.Kind && ref.String("name") == t.Name {
			names = append(names, manifest.Printable(o.GetName()))
		}
	}
	return names
}

// ForeignNamespace reports whether a namespace is one whose workloads take nothing over from it.
func ForeignNamespace(name string) bool {
	return name == "kube-system" || name == "kube-public" || name == "kube-node-lease"
}

// String shows a target so that it is safe to print.
func (t Target) String() string {
	name := manifest.Printable(t.Name)
	if t.Namespace != "" {
		name = manifest.Printable(t.Namespace) + "/" + name
	}
	return strings.TrimSpace(manifest.Printable(t.Kind) + " " + name)
}
