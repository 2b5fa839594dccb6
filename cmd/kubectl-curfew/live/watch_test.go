package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// objects are a Deployment for each namespace/name, a StatefulSet for each namespace/sts/name, and a Namespace for each
// name alone.
func objects(names string) []Found {
	var all []Found
	for _, word := range strings.Fields(names) {
		parts := strings.Split(word, "/")
		switch name := parts[len(parts)-1]; len(parts) {
		case 1:
			all = append(all, Found{Namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}})
		case 2:
			all = append(all, Found{Object: object(kind.Deployment, parts[0], name)})
		default:
			all = append(all, Found{Object: object(kind.StatefulSet, parts[0], name)})
		}
	}
	return all
}

func object(k *kind.Kind, namespace, name string) Object {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(k.GroupVersionKind())
	u.SetNamespace(namespace)
	u.SetName(name)
	return Read(k, u)
}

// TestPlaces: what is watched is in the namespaces of the objects, wherever the command line is at home.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct{ objects, want string }{
		"Deployments":                         {"a/x a/y", "a: deploy[x y]"},
		"other kinds too":                     {"a/sts/x a/y", "a: sts[x] deploy[y]"},
		"a Namespace":                         {"b", "b: deploy* sts+"},
		"several":                             {"b a", "a: deploy* sts+; b: deploy* sts+"},
		"both":                                {"b a/x", "a: deploy[x]; b: deploy* sts+"},
		"a Namespace, and a Deployment of it": {"a a/x", "a: deploy*[x] sts+"},
		"a StatefulSet, and its Namespace":    {"a/sts/x a", "a: sts+[x] deploy*"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range placesOf(objects(c.objects), []part{{kind: kind.Deployment}, {kind: kind.StatefulSet, own: true}}) {
				text := p.namespace + ":"
				for _, m := range p.meant {
					text += " " + words(m.kind)[0]
					switch {
					case m.whole && m.own:
						text += "+"
					case m.whole:
						text += "*"
					}
					if len(m.names) > 0 {
						text += fmt.Sprint(sets.List(m.names))
					}
				}
				got = append(got, text)
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("%v, want %s", got, c.want)
			}
		})
	}
}

// TestPick: of the kinds that nobody asked for, only what is annotated or named is seen.
func TestPick(t *testing.T) {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	for _, name := range []string{"annotated", "named", "other"} {
		o := object(kind.StatefulSet, "a", name)
		if name == "annotated" {
			o.Annotations = map[string]string{annotation.Windows: "none"}
		}
		if err := store.Add(&o); err != nil {
			t.Fatal(err)
		}
	}
	own, all := part{kind.StatefulSet, true}, part{kind.StatefulSet, false}
	for name, c := range map[string]struct {
		meant meant
		want  string
	}{
		"all":                  {meant{part: all, whole: true}, "[annotated named other]"},
		"annotated":            {meant{part: own, whole: true}, "[annotated]"},
		"named":                {meant{part: all, names: sets.New("named")}, "[named]"},
		"annotated, and named": {meant{part: own, whole: true, names: sets.New("named")}, "[annotated named]"},
	} {
		t.Run(name, func(t *testing.T) {
			c.meant.objects = store
			var got []string
			for _, o := range c.meant.pick() {
				got = append(got, o.Name)
			}
			slices.Sort(got)
			if fmt.Sprint(got) != c.want {
				t.Errorf("%v, want %s", got, c.want)
			}
		})
	}
}

// TestNamed: whole Namespaces and whole kinds are not asked for by name.
func TestNamed(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "deploy": false, "ns/a": false, "ns a": false, "Namespaces/a": false, "deploy/x ns/a": false,
		"deploy/x": true, "sts": false, "sts/x": true, "deploy x": true, "deploy ns": true, "deploy/x deploy/y": true,
	} {
		if got := (Selection{Args: strings.Fields(args)}).Named(); got != want {
			t.Errorf("%q: %v", args, got)
		}
	}
}
