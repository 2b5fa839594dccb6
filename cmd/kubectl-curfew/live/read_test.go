package live

import (
	"errors"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
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
			client := fake.NewClientset(deployment("a", "web-0"), deployment("a", "other"))
			if c.forbidden {
				client.PrependReactor("list", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
					return true, nil, apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no"))
				})
			}
			var names []cache.ObjectName
			for i := range c.names {
				names = append(names, cache.NewObjectName("a", fmt.Sprintf("web-%d", i)))
			}
			found, err := read(t.Context(), client, "a", names)
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

// TestOnce: who names a Namespace and a Deployment in it sees that Deployment once.
func TestOnce(t *testing.T) {
	got := once([]*appsv1.Deployment{deployment("a", "x"), deployment("b", "x"), deployment("a", "x"), deployment("a", "y")})
	if len(got) != 3 || got[0].Name != "x" || got[1].Namespace != "b" || got[2].Name != "y" {
		t.Errorf("%v", got)
	}
}
