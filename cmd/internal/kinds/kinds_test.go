package kinds

import (
	"errors"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	fakediscovery "k8s.io/client-go/discovery/fake"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"curfew/scaler/kind"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		names []string
		want  string // the resources, or the error
		fails bool
	}{
		"the default":          {[]string{"deployments.apps"}, "deployments.apps", false},
		"several":              {[]string{"deployments.apps", " statefulsets.apps ", "Rollouts.argoproj.io"}, "deployments.apps statefulsets.apps rollouts.argoproj.io", false},
		"twice":                {[]string{"deployments.apps", "deployments.apps"}, "deployments.apps", false},
		"without Deployments":  {[]string{"statefulsets.apps"}, "statefulsets.apps", false},
		"of the core group":    {[]string{"replicationcontrollers"}, "replicationcontrollers", false},
		"an empty one":         {[]string{"", "deployments.apps", ""}, "deployments.apps", false},
		"none":                 {nil, "there is none; write resources with their groups, separated by commas, such as deployments.apps", true},
		"without its group":    {[]string{"deployments"}, `there is no resource "deployments"; did you mean deployments.apps?`, true},
		"one of it":            {[]string{"statefulset.apps"}, `there is no resource "statefulset.apps"; did you mean statefulsets.apps?`, true},
		"the kind":             {[]string{"Deployment"}, `there is no resource "deployment"; did you mean deployments.apps?`, true},
		"DaemonSets":           {[]string{"daemonsets.apps"}, "daemonsets.apps: a DaemonSet has no size; docs/kinds.md says what to do instead", true},
		"PodDisruptionBudgets": {[]string{"poddisruptionbudgets.policy"}, "poddisruptionbudgets.policy: a PodDisruptionBudget has no size, and does not keep Curfew from anything; see docs/kinds.md", true},
		"pods":                 {[]string{"pods"}, "pods: a pod has no size; put the windows on what makes it", true},
		"somebody else's":      {[]string{"deployments.example.com"}, "deployments.example.com", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(c.names)
			if c.fails {
				if err == nil || err.Error() != c.want {
					t.Errorf("%v", err)
				}
				return
			}
			var texts []string
			for _, resource := range got {
				texts = append(texts, resource.String())
			}
			if err != nil || strings.Join(texts, " ") != c.want {
				t.Errorf("%v, %v", texts, err)
			}
		})
	}
}

func TestFind(t *testing.T) {
	served := func(version string, names ...string) *metav1.APIResourceList {
		list := &metav1.APIResourceList{GroupVersion: version}
		for _, name := range names {
			name, clusterWide := strings.CutPrefix(name, "*")
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: name, Kind: "A" + name, Namespaced: !clusterWide})
		}
		return list
	}
	definition := func(name, version, path string) runtime.Object {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"versions": []any{
				map[string]any{"name": "v0"},
				map[string]any{"name": version, "subresources": map[string]any{"scale": map[string]any{"specReplicasPath": path}}},
			}},
		}}
	}
	for name, c := range map[string]struct {
		resource   string
		served     []*metav1.APIResourceList
		definition runtime.Object
		forbidden  bool
		want       string // its version and kind; "" if the cluster does not have it
		unusable   string
	}{
		"one that is always there":        {"statefulsets.apps", nil, nil, false, "apps/v1 StatefulSet", ""},
		"a custom one":                    {"rollouts.argoproj.io", []*metav1.APIResourceList{served("argoproj.io/v1", "rollouts", "rollouts/scale")}, definition("rollouts.argoproj.io", "v1", ".spec.replicas"), false, "argoproj.io/v1 Arollouts", ""},
		"nobody says where its size is":   {"rollouts.argoproj.io", []*metav1.APIResourceList{served("argoproj.io/v1", "rollouts", "rollouts/scale")}, nil, false, "argoproj.io/v1 Arollouts", ""},
		"its definition may not be read":  {"rollouts.argoproj.io", []*metav1.APIResourceList{served("argoproj.io/v1", "rollouts", "rollouts/scale")}, nil, true, "argoproj.io/v1 Arollouts", ""},
		"its size is elsewhere":           {"rollouts.argoproj.io", []*metav1.APIResourceList{served("argoproj.io/v1", "rollouts", "rollouts/scale")}, definition("rollouts.argoproj.io", "v1", ".spec.size"), false, "", "its size is .spec.size, and Curfew knows .spec.replicas only"},
		"only another version has it":     {"rollouts.argoproj.io", []*metav1.APIResourceList{served("argoproj.io/v2", "analyses"), served("argoproj.io/v1", "rollouts", "rollouts/scale")}, nil, false, "argoproj.io/v1 Arollouts", ""},
		"not there yet":                   {"rollouts.argoproj.io", []*metav1.APIResourceList{served("apps/v1", "deployments")}, nil, false, "", ""},
		"the group has others":            {"rollouts.argoproj.io", []*metav1.APIResourceList{served("argoproj.io/v1", "analyses")}, nil, false, "", ""},
		"without a size":                  {"analyses.argoproj.io", []*metav1.APIResourceList{served("argoproj.io/v1", "analyses")}, nil, false, "", "it has no scale subresource, so it has no size that Curfew knows of"},
		"in no namespace":                 {"pools.example.com", []*metav1.APIResourceList{served("example.com/v1", "*pools", "*pools/scale")}, nil, false, "", "its objects are in no namespace"},
		"of Kubernetes, without a size":   {"controllerrevisions.apps", []*metav1.APIResourceList{served("apps/v1", "controllerrevisions")}, nil, false, "", "it has no scale subresource, so it has no size that Curfew knows of"},
		"of Kubernetes, and a mistake":    {"replicaset.apps", []*metav1.APIResourceList{served("apps/v1", "replicasets")}, nil, false, "", "there is no such resource"},
		"of Kubernetes, without its type": {"replicasets.apps", []*metav1.APIResourceList{served("apps/v1", "replicasets", "replicasets/scale")}, nil, false, "apps/v1 Areplicasets", ""},
		"of the core group":               {"replicationcontrollers", []*metav1.APIResourceList{served("v1", "replicationcontrollers", "replicationcontrollers/scale")}, nil, false, "v1 Areplicationcontrollers", ""},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			client.Discovery().(*fakediscovery.FakeDiscovery).Resources = c.served
			var definitions []runtime.Object
			if c.definition != nil {
				definitions = append(definitions, c.definition)
			}
			resource := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
			objects := fakedynamic.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{resource: "CustomResourceDefinitionList"}, definitions...)
			if c.forbidden {
				objects.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
					return true, nil, apierrors.NewForbidden(resource.GroupResource(), "", nil)
				})
			}
			f := Finder{discovery.ToDiscoveryInterfaceWithContext(client.Discovery()), objects}
			k, err := f.Find(t.Context(), schema.ParseGroupResource(c.resource))
			var no Unusable
			if errors.As(err, &no) != (c.unusable != "") || c.unusable != "" && err.Error() != c.unusable || c.unusable == "" && err != nil {
				t.Errorf("error %v", err)
			}
			got := ""
			if k != nil {
				got = k.Resource.GroupVersion().String() + " " + k.Name
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// What is refused must not be something that Curfew knows.
func TestUnscalable(t *testing.T) {
	for resource := range unscalable {
		if slices.ContainsFunc(kind.Known(), func(k *kind.Kind) bool { return k.Resource.GroupResource() == resource }) {
			t.Errorf("%s is known", resource)
		}
	}
}
