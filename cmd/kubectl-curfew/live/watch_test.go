package live

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
)

// objects are a Deployment for each namespace/name, and a Namespace for each name alone.
func objects(names string) []runtime.Object {
	var all []runtime.Object
	for _, word := range strings.Fields(names) {
		if namespace, name, ok := strings.Cut(word, "/"); ok {
			all = append(all, deployment(namespace, name))
		} else {
			all = append(all, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: word}})
		}
	}
	return all
}

func deployment(namespace, name string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// TestPlaces: what is watched is in the namespaces of the objects, wherever the command line is at home.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct{ objects, want string }{
		"Deployments":                         {"a/x a/y", "a[x y]"},
		"a Namespace":                         {"b", "b[all]"},
		"several":                             {"b a", "a[all] b[all]"},
		"both":                                {"b a/x", "a[x] b[all]"},
		"a Namespace, and a Deployment of it": {"a a/x", "a[all]"},
		"a Deployment, and its Namespace":     {"a/x a", "a[all]"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range placesOf(objects(c.objects)) {
				names := "all"
				if p.named != nil {
					names = strings.Join(sets.List(p.named), " ")
				}
				got = append(got, fmt.Sprintf("%s[%s]", p.namespace, names))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%v, want %s", got, c.want)
			}
		})
	}
}

// TestNamed: whole Namespaces and whole kinds are not asked for by name.
func TestNamed(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "deploy": false, "ns/a": false, "ns a": false, "Namespaces/a": false, "deploy/x ns/a": false,
		"deploy/x": true, "deploy x": true, "deploy ns": true, "deploy/x deploy/y": true,
	} {
		if got := (Selection{Args: strings.Fields(args)}).Named(); got != want {
			t.Errorf("%q: %v", args, got)
		}
	}
}
