package kinds

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"curfew/scaler/kind"
)

// TestChartKnowsKinds: the chart, which works out the rights that --kinds takes, knows the kinds that Curfew knows, and
// refuses what Curfew refuses.
func TestChartKnowsKinds(t *testing.T) {
	var known []string
	define(t, "curfew.knownKinds", &known)
	var want []string
	for _, k := range kind.Known() {
		want = append(want, k.String())
	}
	slices.Sort(known)
	slices.Sort(want)
	if !slices.Equal(known, want) {
		t.Errorf("the chart knows %q, and Curfew %q", known, want)
	}
	var refused map[string]string
	define(t, "curfew.unscalable", &refused)
	for resource := range unscalable {
		if refused[resource.String()] == "" {
			t.Errorf("Curfew refuses %s, and the chart does not", resource)
		}
	}
	for name := range refused {
		if _, err := Parse([]string{name}); err == nil {
			t.Errorf("the chart refuses %s, and Curfew does not", name)
		}
	}
}

// define reads what a named template of the chart has in it, which is YAML.
func define(t *testing.T, name string, into any) {
	t.Helper()
	const helpers = "../../../deploy/chart/templates/_helpers.tpl"
	text, err := os.ReadFile(helpers)
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?s)define "` + regexp.QuoteMeta(name) + `" -}}\n(.*?){{- end }}`).FindSubmatch(text)
	if match == nil {
		t.Fatalf("%s does not define %s", helpers, name)
	}
	if err := yaml.Unmarshal(match[1], into); err != nil {
		t.Fatal(err)
	}
}
