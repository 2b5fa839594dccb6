package live

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/metadata"
)

// completionTimeout is how long a shell waits for names.
const completionTimeout = 5 * time.Second

// CompleteDeployments offers a shell the Deployments that may be named next, as deploy/NAME or after deploy as NAME, and
// Namespaces behind ns/. It is a cobra.CompletionFunc. A shell has no place for an error, so then it offers nothing.
func (a *Access) CompleteDeployments(cmd *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
	prefix, bare := completed(args, toComplete)
	if all := cmd.Flags().Lookup("all-namespaces"); prefix == "" && !bare || all != nil && all.Changed {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if kind, _, _ := strings.Cut(prefix, "/"); slices.Contains(namespaceKinds, kind) {
		return offered(a.NamespaceNames(cmd.Context()), prefix, args, toComplete), cobra.ShellCompDirectiveNoFileComp
	}
	names, err := a.deploymentNames(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offered(names, prefix, args, toComplete), cobra.ShellCompDirectiveNoFileComp
}

// DeploymentKinds are the words for the kind that kubectl knows, the one to offer first.
func DeploymentKinds() []string {
	return []string{"deploy", "deployment", "deployments", "deploy.apps", "deployment.apps", "deployments.apps"}
}

// completed tells what stands before the name in the word to complete, such as "deploy/". It reports whether names
// stand alone there. If neither is so, the word is no Deployment's.
func completed(args []string, toComplete string) (prefix string, bare bool) {
	kinds := DeploymentKinds()
	if len(args) > 0 && !strings.Contains(args[0], "/") {
		return "", slices.Contains(kinds, args[0])
	}
	if kind, _, ok := strings.Cut(toComplete, "/"); ok {
		if slices.Contains(kinds, kind) || slices.Contains(namespaceKinds, kind) {
			return kind + "/", false
		}
		return "", false
	}
	if strings.HasPrefix(kinds[0]+"/", toComplete) {
		return kinds[0] + "/", false
	}
	return "", false
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

// deploymentNames reads the names of the Deployments in the namespace.
func (a *Access) deploymentNames(ctx context.Context) ([]string, error) {
	namespace, err := a.Namespace()
	if err != nil {
		return nil, err
	}
	return a.names(ctx, schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, namespace)
}

// NamespaceNames are the names of the Namespaces, for a shell; none where they cannot be read.
func (a *Access) NamespaceNames(ctx context.Context) []string {
	names, err := a.names(ctx, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, metav1.NamespaceAll)
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

// names reads names and nothing else, and no more than a list asks for at once.
func (a *Access) names(ctx context.Context, resource schema.GroupVersionResource, namespace string) ([]string, error) {
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
		names = append(names, item.Name)
	}
	return names, nil
}
