package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"curfew/scaler"
	"curfew/scaler/observe"
)

// onlyMetadata asks for an answer without what is in the object.
const onlyMetadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

// sender patches Deployments. A typed client would have the API server send each Deployment back as a whole, and read it,
// which with thousands at one boundary is work for both.
func sender(client rest.Interface) scaler.Send {
	return func(ctx context.Context, namespace, name string, body []byte) error {
		return client.Patch(types.MergePatchType).
			Namespace(namespace).Resource("deployments").Name(name).
			VersionedParams(&metav1.PatchOptions{FieldManager: observe.FieldManager}, scheme.ParameterCodec).
			SetHeader("Accept", onlyMetadata).
			Body(body).Do(ctx).Error()
	}
}
