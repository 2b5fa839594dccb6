package scaler

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/types"

	"curfew/scaler/decide"
	"curfew/scaler/observe"
)

// Patcher writes a change to an object. The object is the one that the change was computed from; if it has
// changed since, the error is a conflict and nothing is written.
type Patcher interface {
	Patch(ctx context.Context, o *observe.Object, change decide.Change) error
}

// Send sends a JSON merge patch for an object to the API server, under the field manager [observe.FieldManager]. What is
// there afterwards comes with the watch, so nobody needs the answer but for its error.
type Send func(ctx context.Context, namespace, name string, body []byte) error

// NewPatcher returns the Patcher that writes to an API server.
func NewPatcher(send Send) Patcher { return apiPatcher{send} }

type apiPatcher struct{ send Send }

// Patch sends size and annotations in one request, so that nobody ever sees one without the other.
func (p apiPatcher) Patch(ctx context.Context, o *observe.Object, change decide.Change) error {
	body, err := patchBody(o, change)
	if err != nil {
		return err
	}
	return p.send(ctx, o.Namespace, o.Name, body)
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
