package live

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/scaler/kind"
)

func TestCompleted(t *testing.T) {
	names := []string{"api", "web", "web-2"}
	for name, c := range map[string]struct {
		args       []string
		toComplete string
		word       string // - is that nothing is asked of the cluster
		want       []cobra.Completion
	}{
		"nothing yet":              {nil, "", "", names},
		"a kind begun":             {nil, "a", "", []string{"api"}},
		"the name begun":           {nil, "deploy/w", "deploy", []string{"deploy/web", "deploy/web-2"}},
		"the kind in another form": {nil, "deployments.apps/a", "deployments.apps", []string{"deployments.apps/api"}},
		"a Namespace":              {nil, "ns/w", "ns", []string{"ns/web", "ns/web-2"}},
		"another kind":             {nil, "sts/a", "sts", []string{"sts/api"}},
		"one is there":             {[]string{"deploy/web"}, "deploy/w", "deploy", []string{"deploy/web-2"}},
		"one of another kind":      {[]string{"deploy/web"}, "sts/w", "sts", []string{"sts/web", "sts/web-2"}},
		"the kind stands alone":    {[]string{"deployment"}, "w", "deployment", []string{"web", "web-2"}},
		"and one is there":         {[]string{"deploy", "web"}, "", "deploy", []string{"api", "web-2"}},
		"no kind before the slash": {nil, "/w", "-", nil},
	} {
		t.Run(name, func(t *testing.T) {
			word, prefix, ok := completed(c.args, c.toComplete)
			if ok != (c.word != "-") || ok && word != c.word {
				t.Fatalf("word %q, ok %v", word, ok)
			}
			if !ok {
				return
			}
			if got := offered(names, prefix, c.args, c.toComplete); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestWords: what people type for a kind names it, and the first is what is shown to them.
func TestWords(t *testing.T) {
	for word, want := range map[string]*kind.Kind{
		"deploy": kind.Deployment, "Deployment": kind.Deployment, "deployments.apps": kind.Deployment, "deploy.apps": kind.Deployment,
		"sts": kind.StatefulSet, "statefulset": kind.StatefulSet, "statefulsets.apps": kind.StatefulSet,
		"ns": nil, "rollout": nil, "": nil,
	} {
		if got := called(word); got != want {
			t.Errorf("%q is %v, want %v", word, got, want)
		}
	}
	for _, k := range kind.Known() {
		if words(k)[0] == k.String() {
			t.Errorf("there is no short word for %v", k)
		}
	}
	rollout := kind.NewScaled(schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"}, "Rollout")
	if got := words(rollout); !slices.Equal(got, []string{"rollouts.argoproj.io"}) {
		t.Errorf("a Rollout is %q", got)
	}
}
