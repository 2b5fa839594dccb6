package monitoring

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

var promql = parser.NewParser(parser.Options{})

// rulesFile writes the rules in prometheusrule.yaml as a rule file of Prometheus, and returns its name and what is in it.
func rulesFile(t *testing.T) (string, []rulefmt.Rule) {
	t.Helper()
	content, err := os.ReadFile("../../deploy/monitoring/prometheusrule.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   struct {
			Name, Namespace string
			Labels          map[string]string
		}
		Spec yaml.Node
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(&object); err != nil {
		t.Fatal(err)
	}
	if object.APIVersion != "monitoring.coreos.com/v1" || object.Kind != "PrometheusRule" || object.Metadata.Name == "" {
		t.Fatalf("%s %s %q is no PrometheusRule", object.APIVersion, object.Kind, object.Metadata.Name)
	}
	spec, err := yaml.Marshal(&object.Spec)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(name, spec, 0o600); err != nil {
		t.Fatal(err)
	}
	groups, errs := rulefmt.ParseFile(name, false, model.UTF8Validation, promql, slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var rules []rulefmt.Rule
	for _, group := range groups.Groups {
		rules = append(rules, group.Rules...)
	}
	return name, rules
}

// TestRulesAskForWhatThereIs reads every expression of the rules.
func TestRulesAskForWhatThereIs(t *testing.T) {
	_, rules := rulesFile(t)
	known := knownMetrics(rules)
	for _, rule := range rules {
		t.Run(rule.Record+rule.Alert, func(t *testing.T) { known.check(t, rule.Expr) })
	}
}

// TestAlertsSayWhatToDo: whoever is called can see how bad it is, what it means, and where to read on.
func TestAlertsSayWhatToDo(t *testing.T) {
	_, rules := rulesFile(t)
	for _, rule := range rules {
		if rule.Alert == "" {
			continue
		}
		t.Run(rule.Alert, func(t *testing.T) {
			if s := rule.Labels["severity"]; s != "warning" && s != "critical" {
				t.Errorf("severity is %q", s)
			}
			if got, want := rule.Annotations["runbook_url"], "docs/runbook.md#"+strings.ToLower(rule.Alert); got != want {
				t.Errorf("runbook_url is %q, want %q", got, want)
			}
			if summary := rule.Annotations["summary"]; summary == "" || strings.Contains(summary, "{{") {
				t.Errorf("the summary is %q; it should be the same for all that have the alert's name", summary)
			}
			if rule.Annotations["description"] == "" {
				t.Error("there is no description")
			}
		})
	}
}
