package override

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"curfew/cmd/kubectl-curfew/live"
)

func TestTargets(t *testing.T) {
	web := situation{name: "web", own: awake(office)}.subject(t)
	plain := situation{name: "plain"}.subject(t)
	inherits := situation{name: "inherits", namespace: annotations{"curfew/windows": office}}.subject(t)
	all := []live.Subject{inherits, plain, web, web} // as they come if a Namespace and one in it are named
	team := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", Annotations: awake(office)}}
	other := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	for name, c := range map[string]struct {
		objects    []runtime.Object
		everything bool
		want       []string
	}{
		"in their order":          {[]runtime.Object{web.Deployment, plain.Deployment}, false, []string{"deployment.apps/web 1", "deployment.apps/plain 1"}},
		"named twice":             {[]runtime.Object{web.Deployment, team, web.Deployment, team}, false, []string{"deployment.apps/web 1", "namespace/team 3"}},
		"nothing":                 {nil, false, nil},
		"all Deployments":         {[]runtime.Object{inherits.Deployment, plain.Deployment, web.Deployment}, true, []string{"deployment.apps/inherits 1", "deployment.apps/web 1"}},
		"all Namespaces":          {[]runtime.Object{other, team}, true, []string{"namespace/team 3"}},
		"a Namespace":             {[]runtime.Object{other}, false, []string{"namespace/other 0"}},
		"a Deployment gone since": {[]runtime.Object{situation{name: "gone"}.subject(t).Deployment, web.Deployment}, false, []string{"deployment.apps/web 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, target := range targetsOf(c.objects, all, c.everything) {
				got = append(got, target.name()+" "+string(rune('0'+len(target.subjects))))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
