package monitoring

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// board is a dashboard of the schema that files and imports are in, in old Grafanas and in new ones.
type board = dashboard.Dashboard //nolint:staticcheck // older Grafanas do not read its successor

// readDashboard reads the dashboard by Grafana's own schema.
func readDashboard(t *testing.T) (board, []byte) {
	t.Helper()
	content, err := os.ReadFile("../../deploy/monitoring/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	runtime := cog.NewRuntime()
	runtime.RegisterPanelcfgVariant(stat.VariantConfig())
	runtime.RegisterPanelcfgVariant(table.VariantConfig())
	runtime.RegisterPanelcfgVariant(timeseries.VariantConfig())
	runtime.RegisterDataqueryVariant(prometheus.VariantConfig())
	// The strict reading finds the mistakes, but what it has read is not whole, and
	// where it finds none its error is an empty list.
	var problems cog.BuildErrors
	if err := new(board).UnmarshalJSONStrict(content); err != nil && (!errors.As(err, &problems) || len(problems) > 0) {
		t.Fatal(err)
	}
	var read board
	if err := json.Unmarshal(content, &read); err != nil {
		t.Fatal(err)
	}
	return read, content
}

// TestDashboardAsksForWhatThereIs reads every expression of the dashboard, as Grafana would ask it.
func TestDashboardAsksForWhatThereIs(t *testing.T) {
	it, _ := readDashboard(t)
	known := knownMetrics(nil)
	panels := 0
	for _, item := range it.Panels {
		panel := item.Panel
		if panel == nil {
			continue
		}
		panels++
		t.Run(*panel.Title, func(t *testing.T) {
			if len(panel.Targets) == 0 {
				t.Error("it shows nothing")
			}
			for _, target := range panel.Targets {
				query, ok := target.(*prometheus.Dataquery)
				if !ok {
					t.Fatalf("%T is no question to Prometheus", target)
				}
				known.check(t, filledIn(query.Expr))
				if query.LegendFormat != nil {
					for _, label := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(*query.LegendFormat, -1) {
						known.check(t, "group by ("+label[1]+") ("+filledIn(query.Expr)+")")
					}
				}
			}
			if panel.FieldConfig.Defaults.Unit == nil {
				t.Error("it has no unit")
			}
		})
	}
	if panels == 0 {
		t.Error("there are no panels")
	}
	for _, variable := range it.Templating.List {
		if variable.Type != dashboard.VariableTypeQuery {
			continue
		}
		match := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(*variable.Definition)
		if match == nil {
			t.Errorf("the variable %s is %q", variable.Name, *variable.Definition)
			continue
		}
		known.check(t, "group by ("+match[2]+") ("+match[1]+")")
	}
}

// filledIn puts something in the place of Grafana's variables.
func filledIn(expr string) string {
	return strings.NewReplacer("$__rate_interval", "5m", "$__range", "1d", "$job", "curfew", "$namespace", ".*").Replace(expr)
}

// TestDashboardGoesAnywhere: nothing in the dashboard is of one Grafana.
func TestDashboardGoesAnywhere(t *testing.T) {
	it, content := readDashboard(t)
	if it.Id != nil {
		t.Errorf("it has the id %d of some Grafana", *it.Id)
	}
	names := map[string]bool{}
	for _, variable := range it.Templating.List {
		names[variable.Name] = true
	}
	for _, name := range []string{"datasource", "job", "namespace"} {
		if !names[name] {
			t.Errorf("there is no variable %s", name)
		}
	}
	for _, match := range regexp.MustCompile(`\$\{?(\w+)`).FindAllStringSubmatch(string(content), -1) {
		if name := match[1]; !names[name] && !strings.HasPrefix(name, "__") && name != "1" {
			t.Errorf("there is no variable %s", name)
		}
	}
	var tree any
	if err := json.Unmarshal(content, &tree); err != nil {
		t.Fatal(err)
	}
	visit(tree, func(object map[string]any) {
		if source, ok := object["datasource"]; ok {
			uid, _ := source.(map[string]any)["uid"].(string)
			if uid != "${datasource}" {
				t.Errorf("a data source is %v, not the one that was chosen", source)
			}
		}
	})
}

// TestPanelsDoNotOverlap: every panel has a place of its own.
func TestPanelsDoNotOverlap(t *testing.T) {
	it, _ := readDashboard(t)
	type place struct{ x, y uint32 }
	taken, ids := map[place]string{}, map[uint32]bool{}
	for _, item := range it.Panels {
		if item.Panel == nil {
			continue
		}
		p := item.Panel
		if ids[*p.Id] {
			t.Errorf("%s has the id %d of another", *p.Title, *p.Id)
		}
		ids[*p.Id] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other, found := taken[place{x, y}]; found {
					t.Fatalf("%s lies on %s", *p.Title, other)
				}
				if x > 23 {
					t.Fatalf("%s does not fit in", *p.Title)
				}
				taken[place{x, y}] = *p.Title
			}
		}
	}
}

func visit(tree any, see func(map[string]any)) {
	switch node := tree.(type) {
	case map[string]any:
		see(node)
		for _, child := range node {
			visit(child, see)
		}
	case []any:
		for _, child := range node {
			visit(child, see)
		}
	}
}
