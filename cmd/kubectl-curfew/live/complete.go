package live

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/metadata"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// completionTimeout is how long a shell waits for names.
const completionTimeout = 5 * time.Second

// CompleteObjects offers a shell the objects that may be named next, as deploy/NAME or after deploy as NAME, and
// Namespaces behind ns/. Before a kind is named, these are Deployments, and of the other kinds that Curfew knows those
// that somebody has annotated for it. It is a cobra.CompletionFunc. A shell has no place for an error, so then it offers
// nothing.
func (a *Access) CompleteObjects(cmd *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const nothingElse = cobra.ShellCompDirectiveNoFileComp
	word, prefix, ok := completed(args, toComplete)
	if all := cmd.Flags().Lookup("all-namespaces"); !ok || all != nil && all.Changed {
		return nil, nothingElse
	}
	ctx := cmd.Context()
	var names []string
	switch {
	case word == "":
		names = a.usual(ctx, toComplete)
	case slices.Contains(namespaceKinds, word):
		names = a.NamespaceNames(ctx)
	default:
		resource, err := a.resource(word)
		if err != nil {
			return nil, nothingElse
		}
		names, _ = a.namesHere(ctx, resource, false)
	}
	return offered(names, prefix, args, toComplete), nothingElse
}

// completed tells which kind the word to complete is of, and what stands before the name in it, such as "deploy/"; no kind
// is named yet if it is "". It is false if there is no way to go on.
func completed(args []string, toComplete string) (word, prefix string, ok bool) {
	if len(args) > 0 && !strings.Contains(args[0], "/") {
		return args[0], "", args[0] != ""
	}
	if word, _, ok := strings.Cut(toComplete, "/"); ok {
		return word, word + "/", word != ""
	}
	return "", "", true
}

// usual are the words of which one may be meant before a kind is named, as far as they begin alike.
func (a *Access) usual(ctx context.Context, toComplete string) []string {
	all := make([][]string, len(kind.Known()))
	var running sync.WaitGroup
	for i, k := range kind.Known() {
		prefix := words(k)[0] + "/"
		if !strings.HasPrefix(prefix, toComplete) {
			continue
		}
		running.Go(func() {
			names, _ := a.namesHere(ctx, k.Resource, k != kind.Deployment)
			for _, name := range names {
				all[i] = append(all[i], prefix+name)
			}
		})
	}
	running.Wait()
	return slices.Concat(all...)
}

// resource is what a word for a kind means in the cluster.
func (a *Access) resource(word string) (schema.GroupVersionResource, error) {
	if k := called(word); k != nil {
		return k.Resource, nil
	}
	mapper, err := a.flags.ToRESTMapper()
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	return mapper.ResourceFor(schema.ParseGroupResource(word).WithVersion(""))
}

// offered are the words that begin like the one to complete, without those that are there already.
func offered(names []string, prefix string, args []string, toComplete string) []cobra.Completion {
	there := sets.New(args...)
	var words []cobra.Completion
	for _, name := range names {
		if word := prefix + name; strings.HasPrefix(word, toComplete) && !there.Has(word) {
			words = append(words, word)
		}
	}
	return words
}

// namesHere reads the names of the objects in the namespace: all, or those that somebody has annotated for Curfew.
func (a *Access) namesHere(ctx context.Context, resource schema.GroupVersionResource, annotated bool) ([]string, error) {
	namespace, err := a.Namespace()
	if err != nil {
		return nil, err
	}
	return a.names(ctx, resource, namespace, annotated)
}

// NamespaceNames are the names of the Namespaces, for a shell; none where they cannot be read.
func (a *Access) NamespaceNames(ctx context.Context) []string {
	names, err := a.names(ctx, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, metav1.NamespaceAll, false)
	if err != nil {
		return nil // a shell has no place for it
	}
	return names
}

// Contexts are the names of the contexts in the configuration, for a shell; none where it cannot be read.
func (a *Access) Contexts() []string {
	config, err := a.flags.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil // a shell has no place for it
	}
	return slices.Sorted(maps.Keys(config.Contexts))
}

// names reads metadata and nothing else, and no more than a list asks for at once.
func (a *Access) names(ctx context.Context, resource schema.GroupVersionResource, namespace string, annotated bool) ([]string, error) {
	config, err := a.flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	list, err := client.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: chunk})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, item := range list.Items {
		if !annotated || annotation.Has(item.Annotations) {
			names = append(names, item.Name)
		}
	}
	return names, nil
}
