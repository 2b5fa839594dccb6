package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"curfew/scaler"
	"curfew/scaler/kind"
)

// sender patches objects. The answer is the metadata of what has been written: a typed client would have the API server
// send each object back as a whole, and read it, which with thousands at one boundary is work for both. That there
// is a sound answer matters, for what a broken proxy in between answers may be anything.
func sender(client metadata.Interface) scaler.Send {
	return func(ctx context.Context, key kind.Key, body []byte) error {
		_, err := client.Resource(key.Kind.Resource).Namespace(key.Namespace).Patch(ctx, key.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: kind.FieldManager})
		return err
	}
}
