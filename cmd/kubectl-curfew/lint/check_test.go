package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"curfew/cmd/kubectl-curfew/manifest"
)

// TestCheckWithoutPlaces: where the place in a file cannot be told, the message says the one in the text.
func TestCheckWithoutPlaces(t *testing.T) {
	object := manifest.Object{
		Place: manifest.Place{File: "f", Line: 3},
		Unstructured: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{
				"name": "shop", "annotations": map[string]any{
					"curfew/windows":  "always = 0\n Sat = many",
					"curfew/override": "many until tomorrow",
					"curfew/grace":    "soon",
					"curfew/x":        "",
					"curfew/replicas": 3.0,
				},
			},
		}},
	}
	var got []string
	for _, f := range Check([]manifest.Object{object}, Options{}) {
		if f.Place != object.Place || f.EndColumn != 0 || f.source != "" {
			t.Errorf("%+v has a place of its own", f)
		}
		message, _, _ := strings.Cut(f.Message, `"`)
		got = append(got, fmt.Sprintf("%s %s", f.Rule, message))
	}
	slices.Sort(got)
	want := []string{
		"invalid-grace ",
		"invalid-override line 1, column 1 of it: ",
		"invalid-windows line 2, column 8 of it: ",
		"not-text 3 is no text",
		"unknown-annotation there is no such annotation",
	}
	if !slices.Equal(got, want) {
		t.Errorf("findings are %q, want %q", got, want)
	}
}

// TestRuleIDsAreStable: others name them, so an ID goes only with a reason.
func TestRuleIDsAreStable(t *testing.T) {
	want := "unreadable not-text invalid-windows invalid-timezone invalid-replicas invalid-override invalid-paused invalid-grace invalid-wave invalid-lead invalid-spread invalid-hpa " +
		"invalid-remembered-replicas unknown-annotation workload-annotation no-size not-ours scaled-twice gap-before-midnight hidden-rule cron-both-days " +
		"suspicious-zone within-lead autoscaler autoscaler-paused scaled-object above-maximum replicas-in-manifest without-rules needs-kinds wrong-kind wrong-place written-by-curfew other-tool"
	var got []string
	for _, r := range Rules() {
		got = append(got, r.ID)
		if !strings.HasSuffix(r.Summary, ".") || r.Level != Error && r.Level != Warning {
			t.Errorf("%+v", r)
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("rules are %q, want %q", got, want)
	}
}

// TestSorted: files by name, and in each from top to bottom.
func TestSorted(t *testing.T) {
	at := func(file string, line, column int) Finding {
		return Finding{Place: manifest.Place{File: file, Line: line, Column: column}}
	}
	var got []string
	for _, f := range sorted([]Finding{at("b", 1, 1), at("a", 10, 1), at("a", 9, 2), at("a", 9, 1), at("a", 0, 0)}) {
		got = append(got, f.Place.String())
	}
	if want := []string{"a", "a:9:1", "a:9:2", "a:10:1", "b:1:1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
