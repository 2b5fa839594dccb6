package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"curfew/e2e/cluster"
)

// Render is what `kubectl kustomize` makes of a folder of Curfew's source tree,
// such as "deploy". With a namespace, everything is moved there, as by a
// kustomization of the user's own.
func Render(c *cluster.Cluster, folder, namespace string) ([]*unstructured.Unstructured, error) {
	root := filepath.Join(filepath.Dir(c.Module()), folder)
	if namespace != "" {
		// Kustomize wants a folder of its own for that, with a relative path.
		overlay, err := os.MkdirTemp(filepath.Join(c.Module(), ".state"), "kustomize-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(overlay)
		relative, err := filepath.Rel(overlay, root)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("namespace: %s\nresources: [%s]\n", namespace, relative)
		if err := os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte(text), 0o600); err != nil {
			return nil, err
		}
		root = overlay
	}
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionLegacy // namespaces first
	resources, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), root)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, resource := range resources.Resources() {
		content, err := resource.Map()
		if err != nil {
			return nil, err
		}
		objects = append(objects, &unstructured.Unstructured{Object: content})
	}
	return objects, nil
}

// Apply applies the objects in their order, server-side, and fails at the first
// that is refused. Unknown fields are refused too.
func Apply(ctx context.Context, c *cluster.Cluster, objects []*unstructured.Unstructured) error {
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.Client.Discovery()))
	for _, object := range objects {
		kind := object.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return err
		}
		text, err := object.MarshalJSON()
		if err != nil {
			return err
		}
		// As kubectl does: kustomize gives a namespace to every kind that it does not
		// know to have none.
		var target dynamic.ResourceInterface = client.Resource(mapping.Resource)
		if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			target = client.Resource(mapping.Resource).Namespace(object.GetNamespace())
		}
		force := true
		_, err = target.Patch(ctx, object.GetName(),
			types.ApplyPatchType, text,
			metav1.PatchOptions{FieldManager: "e2e", Force: &force, FieldValidation: metav1.FieldValidationStrict})
		if err != nil {
			return fmt.Errorf("%s %s: %w", kind.Kind, object.GetName(), err)
		}
	}
	return nil
}

// Install renders a folder and applies it. The Deployment among it starts
// nothing on a cluster without nodes, and on somebody else's it is left out:
// Curfew runs here, not there.
func Install(ctx context.Context, c *cluster.Cluster, folder, namespace string) error {
	objects, err := Render(c, folder, namespace)
	if err != nil {
		return fmt.Errorf("rendering %s: %w", folder, err)
	}
	if !c.HasAudit() {
		kept := objects[:0]
		for _, object := range objects {
			if object.GetKind() != "Deployment" {
				kept = append(kept, object)
			}
		}
		objects = kept
	}
	if err := Apply(ctx, c, objects); err != nil {
		return fmt.Errorf("applying %s: %w", folder, err)
	}
	return nil
}
