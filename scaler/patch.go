package scaler

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"

	"curfew/scaler/decide"
	"curfew/scaler/observe"
)

// Patcher writes a change to an object. The object is the one that the change was computed from; if it has
// changed since, the error is a conflict and nothing is written.
type Patcher interface {
	Patch(ctx context.Context, o *observe.Object, change decide.Change) error
}

// NewPatcher returns the Patcher that writes to an API server.
func NewPatcher(client appsclient.DeploymentsGetter) Patcher { return apiPatcher{client} }

type apiPatcher struct{ client appsclient.DeploymentsGetter }

// Patch sends size and annotations in one request, so that nobody ever sees one without the other.
func (p apiPatcher) Patch(ctx context.Context, o *observe.Object, change decide.Change) error {
	body, err := patchBody(o, change)
	if err != nil {
		return err
	}
	_, err = p.client.Deployments(o.Namespace).Patch(ctx, o.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: observe.FieldManager})
	return err
}

// patchBody is a JSON merge patch. With the resourceVersion in it the API server refuses it if the object is no longer
// the one that was read, and with the UID if it is another one of the same name.
func patchBody(o *observe.Object, change decide.Change) ([]byte, error) {
	type metadata struct {
		ResourceVersion string             `json:"resourceVersion"`
		UID             types.UID          `json:"uid"`
		Annotations     map[string]*string `json:"annotations,omitempty"`
	}
	type spec struct {
		Replicas int32 `json:"replicas"`
	}
	patch := struct {
		Metadata metadata `json:"metadata"`
		Spec     *spec    `json:"spec,omitempty"`
	}{Metadata: metadata{o.ResourceVersion, o.UID, change.Annotations}}
	if change.Size != nil {
		patch.Spec = &spec{*change.Size}
	}
	return json.Marshal(patch)
}
