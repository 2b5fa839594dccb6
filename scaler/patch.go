package scaler

import (
	"context"
	"encoding/json"

	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// Patcher writes a change to an object. The object is the one that the change was computed from; if it has
// changed since, the error is a conflict and nothing is written.
type Patcher interface {
	Patch(ctx context.Context, o *kind.Object, change decide.Change) error
}

// Send sends a JSON merge patch for an object to the API server, under the field manager [kind.FieldManager]. What is
// there afterwards comes with the watch, so nobody needs the answer but for its error.
type Send func(ctx context.Context, key kind.Key, body []byte) error

// NewPatcher returns the Patcher that writes to an API server.
func NewPatcher(send Send) Patcher { return apiPatcher{send} }

type apiPatcher struct{ send Send }

// Patch sends size and annotations in one request, so that nobody ever sees one without the other.
func (p apiPatcher) Patch(ctx context.Context, o *kind.Object, change decide.Change) error {
	body, err := patchBody(o, change)
	if err != nil {
		return err
	}
	return p.send(ctx, o.Key(), body)
}

// patchBody is a JSON merge patch. With the resourceVersion in it the API server refuses it if the object is no longer
// the one that was read, and with the UID if it is another one of the same name.
func patchBody(o *kind.Object, change decide.Change) ([]byte, error) {
	patch := kind.Patch{}
	patch.Set(o.ResourceVersion, "metadata", "resourceVersion")
	patch.Set(o.UID, "metadata", "uid")
	for key, value := range change.Annotations {
		patch.Set(value, "metadata", "annotations", key)
	}
	if change.Size != nil {
		o.Kind.Write(o, *change.Size, patch)
	}
	if change.Max != nil {
		o.Kind.Bounded().WriteMax(*change.Max, patch)
	}
	return json.Marshal(patch)
}
