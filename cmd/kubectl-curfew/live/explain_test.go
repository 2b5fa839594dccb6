package live

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestExplain(t *testing.T) {
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	refused := func(text string) error { return apierrors.NewForbidden(deployments, "", errors.New(text)) }
	other := errors.New("other")
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"none":  {nil, "<nil>"},
		"other": {other, "other"},
		"in a namespace": {refused(`User "ann" cannot list resource "deployments" in API group "apps" in the namespace "shop"`),
			`the right to list deployments.apps in the namespace shop is missing; whoever manages the cluster can give it to "ann" (kubectl auth can-i list deployments.apps -n shop tells when it is there)`},
		"everywhere": {refused(`User "system:serviceaccount:a:b" cannot watch resource "namespaces" in API group "" at the cluster scope`),
			`the right to watch namespaces in the whole cluster is missing; whoever manages the cluster can give it to "system:serviceaccount:a:b" (kubectl auth can-i watch namespaces -A tells when it is there)`},
		"wrapped": {fmt.Errorf("reading: %w", refused(`User "ann" cannot get resource "deployments" in API group "apps" in the namespace "x"`)),
			`the right to get deployments.apps in the namespace x is missing; whoever manages the cluster can give it to "ann" (kubectl auth can-i get deployments.apps -n x tells when it is there)`},
		"for another reason": {refused("a webhook says no"), "deployments.apps is forbidden: a webhook says no"},
		"not logged in":      {apierrors.NewUnauthorized("no"), "the API server does not know who you are: no; log in again, or choose another --context"},
		"nothing configured": {&url.Error{Op: "Get", URL: "http://localhost:8080/api?timeout=32s", Err: syscall.ECONNREFUSED},
			"there is no cluster to ask; set KUBECONFIG, or name a file with --kubeconfig"},
		"nobody there": {&url.Error{Op: "Get", URL: "https://127.0.0.1:1/", Err: syscall.ECONNREFUSED},
			`cannot reach the API server: Get "https://127.0.0.1:1/": connection refused; is it the right --context?`},
		"an unknown host": {&url.Error{Op: "Get", URL: "https://nope/", Err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nope"}}},
			`cannot reach the API server: Get "https://nope/": dial: lookup nope: no such host; is it the right --context?`},
		"an unknown context":        {errors.New(`context "nope" does not exist`), `there is no context "nope"; kubectl config get-contexts lists those that there are`},
		"an unknown one, elsewhere": {errors.New("invalid configuration: context was not found for specified context: no pe"), `there is no context "no pe"; kubectl config get-contexts lists those that there are`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fmt.Sprint(Explain(c.err)); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}
