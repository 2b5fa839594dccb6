package live

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
)

func TestCompleted(t *testing.T) {
	names := []string{"api", "web", "web-2"}
	for name, c := range map[string]struct {
		args       []string
		toComplete string
		want       []cobra.Completion // nil: nothing is asked of the cluster
	}{
		"nothing yet":              {nil, "", []string{"deploy/api", "deploy/web", "deploy/web-2"}},
		"the kind begun":           {nil, "depl", []string{"deploy/api", "deploy/web", "deploy/web-2"}},
		"the name begun":           {nil, "deploy/w", []string{"deploy/web", "deploy/web-2"}},
		"the kind in another form": {nil, "deployments.apps/a", []string{"deployments.apps/api"}},
		"a Namespace":              {nil, "ns/w", []string{"ns/web", "ns/web-2"}},
		"another kind":             {nil, "sts/a", nil},
		"a name without its kind":  {nil, "web", nil},
		"one is there":             {[]string{"deploy/web"}, "deploy/w", []string{"deploy/web-2"}},
		"the kind stands alone":    {[]string{"deployment"}, "w", []string{"web", "web-2"}},
		"and one is there":         {[]string{"deploy", "web"}, "", []string{"api", "web-2"}},
		"another kind stands so":   {[]string{"sts"}, "w", nil},
	} {
		t.Run(name, func(t *testing.T) {
			prefix, bare := completed(c.args, c.toComplete)
			if asks := prefix != "" || bare; asks != (c.want != nil) {
				t.Fatalf("prefix %q, bare %v", prefix, bare)
			}
			if c.want == nil {
				return
			}
			if got := offered(names, prefix, c.args, c.toComplete); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
