package live

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/kind"
)

// TestRead: thousands of manifests are not as many requests, and who may get but not list can compare all the same.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		names     int
		forbidden bool
		requests  map[string]int
	}{
		"a few":                       {few, false, map[string]int{"get": few}},
		"many":                        {1000, false, map[string]int{"list": 1}},
		"many, and no right to list":  {few + 1, true, map[string]int{"list": 1, "get": few + 1}},
		"a few, and no right to list": {1, true, map[string]int{"get": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewSimpleDynamicClient(scheme.Scheme, object(kind.StatefulSet, "a", "web-0").Raw, object(kind.StatefulSet, "a", "other").Raw)
			if c.forbidden {
				client.PrependReactor("list", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
					return true, nil, apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no"))
				})
			}
			var keys []kind.Key
			for i := range c.names {
				keys = append(keys, kind.Key{Kind: kind.StatefulSet, ObjectName: cache.NewObjectName("a", fmt.Sprintf("web-%d", i))})
			}
			found, err := read(t.Context(), client, group{kind.StatefulSet, "a"}, keys)
			if err != nil || len(found) != 1 || found[0].Name != "web-0" {
				t.Errorf("found %v, %v", found, err)
			}
			requests := map[string]int{}
			for _, action := range client.Actions() {
				requests[action.GetVerb()]++
			}
			if fmt.Sprint(requests) != fmt.Sprint(c.requests) {
				t.Errorf("requests are %v, want %v", requests, c.requests)
			}
		})
	}
}

// TestOnce: who names a Namespace and an object in it sees that object once.
func TestOnce(t *testing.T) {
	d := kind.Deployment
	got := once([]Object{object(d, "a", "x"), object(d, "b", "x"), object(d, "a", "x"), object(kind.StatefulSet, "a", "x"), object(d, "a", "y")})
	var keys []string
	for _, o := range got {
		keys = append(keys, o.Key().String())
	}
	if want := "[Deployment a/x Deployment b/x StatefulSet a/x Deployment a/y]"; fmt.Sprint(keys) != want {
		t.Errorf("%v, want %s", keys, want)
	}
}
