package live

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/resource"
)

// Selection is which objects a command line means.
type Selection struct {
	Args          []string // as kubectl takes them: deploy/NAME …, or sts NAME …; none: all that a namespace stands for
	Selector      string   // -l
	AllNamespaces bool     // -A
	Kinds         []string // --kinds; none: see [Access.scope]
}

// Named reports whether the arguments name objects one by one, rather than all of a kind or whole Namespaces.
func (s Selection) Named() bool {
	return !s.Namespaces() && (len(s.Args) > 1 || len(s.Args) == 1 && strings.Contains(s.Args[0], "/"))
}

// Namespaces reports whether there are Namespaces among the arguments, so that what is in them may be in several.
func (s Selection) Namespaces() bool {
	for i, arg := range s.Args {
		kind, _, slash := strings.Cut(arg, "/")
		if (i == 0 || slash) && slices.Contains(namespaceKinds, strings.ToLower(kind)) {
			return true
		}
	}
	return false
}

// AddFlags adds --selector, --all-namespaces and --kinds.
func (s *Selection) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&s.Selector, "selector", "l", s.Selector, "Only objects with these labels, such as team=shop,tier!=db.")
	flags.BoolVarP(&s.AllNamespaces, "all-namespaces", "A", s.AllNamespaces, "Every namespace, not just the one of --namespace or the context.")
	flags.StringSliceVar(&s.Kinds, "kinds", s.Kinds, "The kinds to look at in namespaces, as the controller's --kinds has them, such as deployments.apps,statefulsets.apps. (default Deployments, and of the other kinds that Curfew knows what has an annotation of its own)")
}

// Found is what a command line means: an object that has a size, or a Namespace, which stands for what is in it.
type Found struct {
	Namespace *corev1.Namespace // nil: an object
	Object    Object
}

// Resolve finds what a command line means. What was found is returned beside the error for what was not.
func (a *Access) Resolve(ctx context.Context, s Selection) ([]Found, error) {
	namespace, err := a.Namespace()
	if err != nil {
		return nil, err
	}
	if len(s.Args) == 0 {
		if s.AllNamespaces {
			namespace = metav1.NamespaceAll
		}
		return a.inScope(ctx, s, namespace)
	}
	infos, err := resource.NewBuilder(a.flags).Unstructured().
		NamespaceParam(namespace).DefaultNamespace().AllNamespaces(s.AllNamespaces).
		LabelSelectorParam(s.Selector).RequestChunksOf(chunk).ContinueOnError().Latest().Flatten().
		ResourceTypeOrNameArgs(true, s.Args...).Do().Infos()
	if err != nil {
		err = s.hint(err)
	}
	var all []Found
	var errs []error
	for _, info := range infos {
		found, err := a.found(ctx, info)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, found)
	}
	return all, join(err, errs...)
}

// inScope is all that a namespace stands for.
func (a *Access) inScope(ctx context.Context, s Selection, namespace string) ([]Found, error) {
	scope, failed := a.scope(ctx, s)
	objects, err := a.listAll(ctx, scope, namespace, s.Selector)
	var all []Found
	for _, o := range objects {
		all = append(all, Found{Object: o})
	}
	return all, join(failed, err)
}

// found is what the builder has found.
func (a *Access) found(ctx context.Context, info *resource.Info) (Found, error) {
	u, ok := info.Object.(*unstructured.Unstructured)
	if !ok {
		return Found{}, fmt.Errorf("cannot read a %T", info.Object)
	}
	is := info.Mapping.Resource
	if is.GroupResource() == corev1.Resource("namespaces") {
		ns := &corev1.Namespace{}
		return Found{Namespace: ns}, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, ns)
	}
	k, err := a.kind(ctx, is.GroupResource())
	if err != nil {
		return Found{}, fmt.Errorf("%s/%s: %w", strings.ToLower(u.GetKind()), u.GetName(), err)
	}
	if k.Resource != is { // the API server prefers another version
		client, err := a.Objects()
		if err != nil {
			return Found{}, err
		}
		if u, err = client.Resource(k.Resource).Namespace(u.GetNamespace()).Get(ctx, u.GetName(), metav1.GetOptions{}); err != nil {
			return Found{}, err
		}
	}
	return Found{Object: Read(k, u)}, nil
}

// hint adds a cure where a name without its kind was taken for a kind.
func (s Selection) hint(err error) error {
	if meta.IsNoMatchError(err) || strings.Contains(err.Error(), "the server doesn't have a resource type") {
		if name := s.Args[0]; name != "" && !strings.Contains(name, "/") {
			return fmt.Errorf("%w; for the Deployment of that name write deploy/%s", err, name)
		}
	}
	return err
}
