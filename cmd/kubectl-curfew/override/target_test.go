package override

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/cmd/kubectl-curfew/live"
)

func TestTargets(t *testing.T) {
	web := situation{name: "web", own: awake(office)}.subject(t)
	plain := situation{name: "plain"}.subject(t)
	inherits := situation{name: "inherits", namespace: annotations{"curfew/windows": office}}.subject(t)
	all := []live.Subject{inherits, plain, web, web} // as they come if a Namespace and one in it are named
	team := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", Annotations: awake(office)}}
	other := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	objects := func(subjects ...live.Subject) []live.Found {
		var all []live.Found
		for _, s := range subjects {
			all = append(all, live.Found{Object: s.Object})
		}
		return all
	}
	namespaces := func(namespaces ...*corev1.Namespace) []live.Found {
		var all []live.Found
		for _, ns := range namespaces {
			all = append(all, live.Found{Namespace: ns})
		}
		return all
	}
	for name, c := range map[string]struct {
		found      []live.Found
		everything bool
		want       []string
	}{
		"in their order":          {objects(web, plain), false, []string{"deployment.apps/web 1", "deployment.apps/plain 1"}},
		"named twice":             {slices.Concat(objects(web), namespaces(team), objects(web), namespaces(team)), false, []string{"deployment.apps/web 1", "namespace/team 3"}},
		"nothing":                 {nil, false, nil},
		"all objects":             {objects(inherits, plain, web), true, []string{"deployment.apps/inherits 1", "deployment.apps/web 1"}},
		"all Namespaces":          {namespaces(other, team), true, []string{"namespace/team 3"}},
		"a Namespace":             {namespaces(other), false, []string{"namespace/other 0"}},
		"a Deployment gone since": {objects(situation{name: "gone"}.subject(t), web), false, []string{"deployment.apps/web 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, target := range targetsOf(c.found, all, c.everything) {
				got = append(got, target.name()+" "+string(rune('0'+len(target.subjects))))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
