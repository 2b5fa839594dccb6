package override

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"curfew/cmd/kubectl-curfew/live"
)

// writer writes edits, or does as if.
type writer struct {
	client  kubernetes.Interface
	objects dynamic.Interface
	dryRun  string // none, client or server
}

// dryRuns says how the answer to each kind of dry run is marked.
var dryRuns = map[string]string{"none": "", "client": " (dry run)", "server": " (server dry run)"}

// write sends an edit and returns the object with it.
func (w writer) write(ctx context.Context, e edit) (runtime.Object, error) {
	if e.same || w.dryRun == "client" {
		return e.local(), nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]*string{e.key: e.value}}})
	if err != nil {
		return nil, err
	}
	// No resourceVersion: the annotation is the person's, whatever has become of the rest meanwhile.
	options := metav1.PatchOptions{FieldManager: live.FieldManager}
	if w.dryRun == "server" {
		options.DryRun = []string{metav1.DryRunAll}
	}
	if e.namespace != nil {
		return w.client.CoreV1().Namespaces().Patch(ctx, e.namespace.Name, types.MergePatchType, patch, options)
	}
	o := e.subjects[0].Object
	return w.objects.Resource(o.Kind.Resource).Namespace(o.Namespace).Patch(ctx, o.Name, types.MergePatchType, patch, options)
}

// local is a copy of the object with the edit.
func (e edit) local() runtime.Object {
	if e.namespace != nil {
		ns := e.namespace.DeepCopy()
		ns.Annotations = e.edited(ns.Annotations)
		return ns
	}
	u := e.subjects[0].Object.Raw.DeepCopy()
	u.SetAnnotations(e.edited(u.GetAnnotations()))
	return u
}
