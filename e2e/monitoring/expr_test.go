package monitoring

import (
	"slices"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
)

// check reports what an expression asks for that there is not: a metric, a label of it, a value of that label.
func (m metrics) check(t *testing.T, expr string) {
	t.Helper()
	for _, problem := range m.problems(expr) {
		t.Errorf("%s\n%s", problem, expr)
	}
}

func (m metrics) problems(text string) []string {
	expr, err := promql.ParseExpr(text)
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	asked := 0
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			asked++
			problems = append(problems, m.selector(n)...)
		case *parser.AggregateExpr:
			problems = append(problems, m.grouping(n, n.Grouping)...)
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				problems = append(problems, m.grouping(n, n.VectorMatching.MatchingLabels)...)
				problems = append(problems, m.grouping(n, n.VectorMatching.Include)...)
			}
		}
		return nil
	})
	if asked == 0 {
		problems = append(problems, "it asks for no metric at all")
	}
	return problems
}

// selector says what is wrong with asking for a metric that way.
func (m metrics) selector(s *parser.VectorSelector) []string {
	has, found := m[s.Name]
	if !found {
		return []string{"there is no metric " + s.Name}
	}
	var problems []string
	for _, matcher := range s.LabelMatchers {
		values, own := has[matcher.Name]
		switch {
		case matcher.Name == model.MetricNameLabel:
		case !own && !slices.Contains(onTargets, matcher.Name):
			problems = append(problems, s.Name+" has no label "+matcher.Name)
		case len(values) > 0 && !slices.ContainsFunc(values, matcher.Matches):
			problems = append(problems, "no "+s.Name+" has "+matcher.String())
		}
	}
	return problems
}

// grouping says which of some labels nothing below a node has.
func (m metrics) grouping(node parser.Node, names []string) []string {
	has := slices.Clone(onTargets)
	parser.Inspect(node, func(below parser.Node, _ []parser.Node) error {
		switch n := below.(type) {
		case *parser.VectorSelector:
			for label := range m[n.Name] {
				has = append(has, label)
			}
		case *parser.Call:
			if made, ok := n.Args[min(1, len(n.Args)-1)].(*parser.StringLiteral); ok && n.Func.Name == "label_replace" {
				has = append(has, made.Val)
			}
		}
		return nil
	})
	var problems []string
	for _, name := range names {
		if !slices.Contains(has, name) {
			problems = append(problems, "nothing there has the label "+name)
		}
	}
	return problems
}

// TestCheck: what there is passes, and each kind of mistake is found.
func TestCheck(t *testing.T) {
	known := knownMetrics(nil)
	for name, test := range map[string]struct {
		expr string
		want int
	}{
		"right":                      {`sum by (job, state) (curfew_workloads{state="invalid", pod="a"})`, 0},
		"a regular expression":       {`rate(rest_client_requests_total{code=~"5.."}[5m])`, 0},
		"a label that is made":       {`sum by (shop) (label_replace(curfew_info, "shop", "$1", "version", "(.*)"))`, 0},
		"not PromQL":                 {`sum(curfew_workloads`, 1},
		"no metric":                  {`vector(1)`, 1},
		"a metric there is not":      {`curfew_workload`, 1},
		"a metric nested deep":       {`histogram_quantile(0.5, sum by (le) (rate(curfew_delay_bucket[5m])))`, 2}, // and so no le
		"a label there is not":       {`curfew_workloads{reason="drift"}`, 1},
		"a value there is not":       {`curfew_workloads{state="invlaid"}`, 1},
		"an expression for no value": {`curfew_workloads{state=~"x.*"}`, 1},
		"grouped by no label":        {`sum by (reason) (curfew_workloads)`, 1},
		"joined on no label":         {`curfew_workloads and on (reason) curfew_info`, 1},
		"ignoring no label":          {`curfew_boundary_delay_seconds_count - ignoring (lt) curfew_boundary_delay_seconds_bucket`, 1},
		"taken over, but no label":   {`curfew_workloads * on (job) group_left (age) curfew_info`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := known.problems(test.expr); len(got) != test.want {
				t.Errorf("%d problems, want %d: %q", len(got), test.want, got)
			}
		})
	}
}
