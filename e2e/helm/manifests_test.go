package helm

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/engine"
)

// madeFrom is on top of every manifest that is rendered.
const madeFrom = "# Made from deploy/chart by 'make manifests': change it there.\n"

// manifests says where the objects of the chart go in deploy/, for those who do without Helm.
var manifests = []struct {
	folder string
	values string
	files  []string
}{
	{folder: "base", files: []string{
		"namespace", "serviceaccount", "lease-role", "lease-rolebinding", "deployment", "poddisruptionbudget",
	}},
	{folder: ".", files: []string{"clusterrole", "clusterrolebinding"}},
	{folder: "namespaced/watched", values: "watchNamespace: default", files: []string{"role", "rolebinding"}},
	{folder: "admission", files: []string{"admission-policy", "admission-binding"}},
}

// TestManifests: the kustomizations and install.yaml are what the chart makes.
func TestManifests(t *testing.T) {
	var all strings.Builder
	for _, m := range manifests {
		made := plain(t, m.values)
		for _, file := range m.files {
			text := made[file]
			if text == "" {
				continue // nothing there to install
			}
			name := strings.TrimPrefix(file, "admission-")
			same(t, path.Join(source, "deploy", m.folder, name+".yaml"), madeFrom+text)
			if m.values == "" {
				all.WriteString("---\n" + text)
			}
			delete(made, file)
		}
	}
	same(t, source+"/deploy/install.yaml", madeFrom+all.String())
}

// TestManifestsAreWhole: by default nothing is in the chart that is not in the plain manifests.
func TestManifestsAreWhole(t *testing.T) {
	for _, v := range []string{"", "watchNamespace: default"} {
		made := plain(t, v)
		for _, m := range manifests {
			for _, file := range m.files {
				delete(made, file)
			}
		}
		for _, file := range slices.Sorted(maps.Keys(made)) {
			t.Errorf("%s.yaml of the chart is in none of the plain manifests", file)
		}
	}
}

// plain is what the chart makes without a release: each template that makes anything, by its name.
func plain(t *testing.T, text string) map[string]string {
	t.Helper()
	v := parse(t, text)
	v["image"] = values{"tag": "latest"} // what `make image` builds
	c := load(t)
	render, err := util.ToRenderValues(c, v, common.ReleaseOptions{Name: "curfew", Namespace: "curfew"}, common.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	// By this the templates know that there is no release.
	render["Release"].(map[string]any)["Service"] = "kubectl"
	files, err := engine.Render(c, render)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for name, text := range files {
		text = strings.TrimSpace(text)
		if text != "" && path.Ext(name) == ".yaml" {
			made[strings.TrimSuffix(path.Base(name), ".yaml")] = text + "\n"
		}
	}
	return made
}
