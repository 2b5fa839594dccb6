package helm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
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

// copies are what the chart brings along as it stands, and where it goes in deploy/ for those who do without Helm.
var copies = map[string]string{
	"files/monitoring/prometheusrule.yaml": "monitoring/prometheusrule.yaml",
	"files/monitoring/dashboard.json":      "monitoring/dashboard.json",
}

// TestCopies: there too they are what the chart has.
func TestCopies(t *testing.T) {
	for from, to := range copies {
		text, err := os.ReadFile(path.Join(chartDir, from))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, path.Join(source, "deploy", to), string(text))
	}
}

// TestInstallYAML: install.yaml has the objects of `kubectl kustomize deploy`, no more and no less.
func TestInstallYAML(t *testing.T) {
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), source+"/deploy")
	if err != nil {
		t.Fatal(err)
	}
	kustomized := map[string]any{}
	for _, object := range made.Resources() {
		content, err := object.Map()
		if err != nil {
			t.Fatal(err)
		}
		kustomized[object.GetKind()+" "+object.GetName()] = content
	}
	text, err := os.ReadFile(source + "/deploy/install.yaml")
	if err != nil {
		t.Fatal(err)
	}
	installed := map[string]any{}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		content := map[string]any{}
		if err := yaml.Unmarshal([]byte(document), &content); err != nil {
			t.Fatal(err)
		}
		if len(content) == 0 {
			continue // the comment on top
		}
		installed[fmt.Sprint(content["kind"], " ", content["metadata"].(map[string]any)["name"])] = content
	}
	// Both by way of JSON, so that a number is a number.
	if diff := cmp.Diff(plainJSON(t, kustomized), plainJSON(t, installed)); diff != "" {
		t.Errorf("kustomized (-) and install.yaml (+) differ:\n%s", diff)
	}
}

func plainJSON(t *testing.T, content any) (made any) {
	t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	return made
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
