package live

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/resource"
)

// Selection is which objects a command line means.
type Selection struct {
	Args          []string // as kubectl takes them: deploy/NAME …, or deploy NAME …; none: every Deployment
	Selector      string   // -l
	AllNamespaces bool     // -A
}

// namespaceKinds are the words for the kind that kubectl knows.
var namespaceKinds = []string{"ns", "namespace", "namespaces"}

// Named reports whether the arguments name Deployments one by one, rather than all of them or whole Namespaces.
func (s Selection) Named() bool {
	return !s.Namespaces() && (len(s.Args) > 1 || len(s.Args) == 1 && strings.Contains(s.Args[0], "/"))
}

// Namespaces reports whether there are Namespaces among the arguments, so that their Deployments may be in several.
func (s Selection) Namespaces() bool {
	for i, arg := range s.Args {
		kind, _, slash := strings.Cut(arg, "/")
		if (i == 0 || slash) && slices.Contains(namespaceKinds, strings.ToLower(kind)) {
			return true
		}
	}
	return false
}

// AddFlags adds --selector and --all-namespaces.
func (s *Selection) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&s.Selector, "selector", "l", s.Selector, "Only objects with these labels, such as team=shop,tier!=db.")
	flags.BoolVarP(&s.AllNamespaces, "all-namespaces", "A", s.AllNamespaces, "Every namespace, not just the one of --namespace or the context.")
}

// chunk is how many objects a list asks for at once.
const chunk = 500

// Resolve finds the objects: pointers to [appsv1.Deployment], or to [corev1.Namespace] if the arguments name such. Any
// other kind is an error. What was found is returned beside the error for what was not.
func (a *Access) Resolve(s Selection) ([]runtime.Object, error) {
	namespace, err := a.Namespace()
	if err != nil {
		return nil, err
	}
	b := resource.NewBuilder(a.flags).Unstructured().
		NamespaceParam(namespace).DefaultNamespace().AllNamespaces(s.AllNamespaces).
		LabelSelectorParam(s.Selector).RequestChunksOf(chunk).ContinueOnError().Latest().Flatten()
	if len(s.Args) == 0 {
		b = b.ResourceTypes("deployments.apps").SelectAllParam(s.Selector == "")
	} else {
		b = b.ResourceTypeOrNameArgs(true, s.Args...)
	}
	infos, err := b.Do().Infos()
	if err != nil {
		err = s.hint(err)
	}
	var objects []runtime.Object
	var errs []error
	for _, info := range infos {
		object, err := typed(info.Object)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		objects = append(objects, object)
	}
	return objects, join(err, errs...)
}

// typed turns what the builder found into a Deployment or a Namespace.
func typed(object runtime.Object) (runtime.Object, error) {
	u, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("cannot read a %T", object)
	}
	var into runtime.Object
	switch u.GroupVersionKind().GroupKind().String() {
	case "Deployment.apps":
		into = &appsv1.Deployment{}
	case "Namespace":
		into = &corev1.Namespace{}
	default:
		return nil, fmt.Errorf("%s/%s: Curfew scales Deployments, so far no other kind", strings.ToLower(u.GetKind()), u.GetName())
	}
	return into, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into)
}

// hint adds a cure where a name without its kind was taken for a kind.
func (s Selection) hint(err error) error {
	if len(s.Args) == 0 {
		return err
	}
	if meta.IsNoMatchError(err) || strings.Contains(err.Error(), "the server doesn't have a resource type") {
		if name := s.Args[0]; name != "" && !strings.Contains(name, "/") {
			return fmt.Errorf("%w; for the Deployment of that name write deploy/%s", err, name)
		}
	}
	return err
}
