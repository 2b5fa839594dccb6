package helm

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	release "helm.sh/helm/v4/pkg/release/v1"
	"sigs.k8s.io/yaml"
)

// source is the root of Curfew's source tree, chartDir the chart in it.
const (
	source   = "../.."
	chartDir = source + "/deploy/chart"
)

var update = flag.Bool("update", false, "write what is made from the chart anew")

type values = map[string]any

// load reads the chart.
func load(t testing.TB) *chart.Chart {
	t.Helper()
	c, err := loader.Load(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// template is `helm template` with the chart.
func template(c *chart.Chart, v values, apis ...string) (*release.Release, error) {
	install := action.NewInstall(action.NewConfiguration())
	install.DryRunStrategy = action.DryRunClient
	install.ReleaseName, install.Namespace = "curfew", "curfew"
	install.KubeVersion, install.APIVersions = &common.KubeVersion{Version: "v1.37.0", Major: "1", Minor: "37"}, apis
	made, err := install.Run(c, v)
	if err != nil {
		return nil, err
	}
	return made.(*release.Release), nil
}

// parse reads the values that a test writes as YAML.
func parse(t testing.TB, text string) values {
	t.Helper()
	v := values{}
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// everything that a release puts into the cluster, hooks as well, as helm prints it.
func everything(r *release.Release) string {
	var text strings.Builder
	text.WriteString(strings.TrimSpace(r.Manifest))
	hooks := slices.SortedFunc(slices.Values(r.Hooks), func(a, b *release.Hook) int { return strings.Compare(a.Path, b.Path) })
	for _, hook := range hooks {
		text.WriteString("\n---\n# Source: " + hook.Path + "\n" + strings.TrimSpace(hook.Manifest))
	}
	return text.String() + "\n"
}

// same compares a file with what it should hold, or writes it with -update.
func same(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; 'make manifests' writes it", err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the chart makes; 'make manifests' writes it anew. %s", path, firstDifference(string(got), want))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "Line " + strconv.Itoa(i+1) + " is\n\t" + g[i] + "\nand should be\n\t" + w[i]
		}
	}
	return "It has " + strconv.Itoa(len(g)) + " lines and should have " + strconv.Itoa(len(w)) + "."
}
