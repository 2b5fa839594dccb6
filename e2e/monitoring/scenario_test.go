package monitoring

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"go.yaml.in/yaml/v3"
)

// scenarios is a file in testdata, in the format of `promtool test rules` but for the names of the rule files: the rules
// are always ours. Annotations are compared where a test names them, and only those it names.
type scenarios struct {
	EvaluationInterval model.Duration `yaml:"evaluation_interval"`
	Tests              []scenario
}

type scenario struct {
	Name        string
	Interval    model.Duration
	InputSeries []struct {
		Series, Values string
	} `yaml:"input_series"`
	AlertRuleTest []struct {
		EvalTime  model.Duration `yaml:"eval_time"`
		Alertname string
		ExpAlerts []alert `yaml:"exp_alerts"`
	} `yaml:"alert_rule_test"`
}

type alert struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

// TestAlerts lets every alert's scenarios happen, one file for each alert.
func TestAlerts(t *testing.T) {
	file, all := rulesFile(t)
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for _, name := range files {
		tested[strings.TrimSuffix(filepath.Base(name), ".yaml")] = true
	}
	for _, rule := range all {
		if rule.Alert == "" {
			continue
		}
		if !tested[rule.Alert] {
			t.Errorf("%s has no scenarios", rule.Alert)
			continue
		}
		delete(tested, rule.Alert)
		t.Run(rule.Alert, func(t *testing.T) { play(t, file, rule) })
	}
	for name := range tested {
		t.Errorf("testdata has scenarios of %s, which is no alert", name)
	}
}

// play lets the scenarios of one alert happen. There must be some in which it fires and some in which it never does.
func play(t *testing.T, file string, rule rulefmt.Rule) {
	content, err := os.Open(filepath.Join("testdata", rule.Alert+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	var all scenarios
	decoder := yaml.NewDecoder(content)
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	known := knownMetrics(nil)
	fires, silent := 0, 0
	var seen []alert
	for _, test := range all.Tests {
		for _, series := range test.InputSeries {
			known.check(t, series.Series)
		}
		expected := 0
		for _, at := range test.AlertRuleTest {
			if at.Alertname != rule.Alert {
				t.Errorf("%s: tests %s", test.Name, at.Alertname)
			}
			expected += len(at.ExpAlerts)
		}
		if expected > 0 {
			fires++
		} else if len(test.AlertRuleTest) > 0 {
			silent++
		}
		t.Run(test.Name, func(t *testing.T) { seen = append(seen, test.play(t, file, time.Duration(all.EvaluationInterval))...) })
	}
	if fires == 0 || silent == 0 {
		t.Errorf("it fires in %d scenarios and keeps silent in %d; there must be one of each", fires, silent)
	}
	for _, label := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(fmt.Sprint(rule.Annotations), -1) {
		filled := false
		for _, a := range seen {
			filled = filled || a.Labels[label[1]] != ""
		}
		if !filled {
			t.Errorf("the annotations name the label %s, and no alert had it", label[1])
		}
	}
}

// play lets one scenario happen and returns every alert that was seen to fire.
func (s scenario) play(t *testing.T, file string, every time.Duration) []alert {
	t.Helper()
	var load strings.Builder
	fmt.Fprintf(&load, "load %s\n", s.Interval)
	for _, series := range s.InputSeries {
		fmt.Fprintf(&load, "  %s %s\n", series.Series, series.Values)
	}
	past, err := promqltest.NewLazyLoader(load.String(), promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	if err != nil {
		t.Fatal(err)
	}
	defer past.Close()
	past.SubqueryInterval = every
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc:    rules.EngineQueryFunc(past.QueryEngine(), past.Storage()),
		AppendableV2: past.Storage(),
		Context:      t.Context(),
		NotifyFunc:   func(context.Context, string, ...*rules.Alert) {},
		Logger:       slog.New(slog.DiscardHandler),
		Parser:       promql,
	})
	groups, errs := manager.LoadGroups(every, labels.EmptyLabels(), "", nil, false, file)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var seen []alert
	now := time.Unix(0, 0).UTC()
	for _, at := range s.AlertRuleTest {
		for ; !now.After(time.Unix(0, 0).Add(time.Duration(at.EvalTime))); now = now.Add(every) {
			past.WithSamplesTill(now, func(err error) {
				if err != nil {
					t.Fatal(err)
				}
				for _, group := range groups {
					group.Eval(past.Context(), now)
				}
			})
		}
		got, want := firing(t, groups, at.Alertname), at.ExpAlerts
		seen = append(seen, got...)
		for i := range want {
			if want[i].Labels == nil {
				want[i].Labels = map[string]string{}
			}
			want[i].Labels["alertname"] = at.Alertname
			if i < len(got) { // compare what is named
				for name := range got[i].Annotations {
					if _, named := want[i].Annotations[name]; !named {
						delete(got[i].Annotations, name)
					}
				}
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("at %s (- want, + got)\n%s", at.EvalTime, diff)
		}
	}
	return seen
}

// firing are the alerts of one name that fire now.
func firing(t *testing.T, groups map[string]*rules.Group, name string) []alert {
	t.Helper()
	var found []alert
	for _, group := range groups {
		for _, rule := range group.Rules() {
			if err := rule.LastError(); err != nil {
				t.Errorf("%s: %v", rule.Name(), err)
			}
			alerting, ok := rule.(*rules.AlertingRule)
			if !ok || alerting.Name() != name {
				continue
			}
			for _, a := range alerting.ActiveAlerts() {
				if a.State != rules.StateFiring {
					continue
				}
				found = append(found, alert{Labels: a.Labels.Map(), Annotations: a.Annotations.Map()})
				if text := fmt.Sprint(a.Annotations.Map()); strings.Contains(text, "<error") && !strings.Contains(text, "<error> are the API server") {
					t.Errorf("an annotation cannot be made: %s", text)
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b alert) int { return strings.Compare(fmt.Sprint(a.Labels), fmt.Sprint(b.Labels)) })
	return found
}
