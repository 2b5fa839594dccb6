package monitoring

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/rulefmt"
)

// metrics says which labels each metric has, and which values a label may have; none are named where it may be any.
type metrics map[string]map[string][]string

// anything is what a label may be that has no fixed values.
var anything []string

// onTargets are the labels that Prometheus puts on what it scrapes from a pod.
var onTargets = []string{"job", "instance", "namespace", "pod", "service", "container", "endpoint"}

// knownMetrics are those of Curfew, with the libraries that it uses, those of kube-state-metrics that the alerts look at, and
// what the rules record themselves.
func knownMetrics(rules []rulefmt.Rule) metrics {
	workload := map[string][]string{"namespace": anything, "kind": anything, "name": anything}
	deployment := map[string][]string{"namespace": anything, "deployment": anything}
	statefulSet := map[string][]string{"namespace": anything, "statefulset": anything}
	queue := map[string][]string{"name": {"curfew"}}
	m := metrics{
		"curfew_workloads":                           {"state": {"window", "normal", "override", "paused", "contested", "waiting", "invalid"}},
		"curfew_scale_writes_total":                  {"reason": {"window", "normal", "drift", "override", "release"}},
		"curfew_reconcile_total":                     {"result": {"unchanged", "boundary", "written", "contested", "invalid", "conflict", "error"}},
		"curfew_held_replicas":                       {"namespace": anything},
		"curfew_replica_hours_saved_total":           {"namespace": anything},
		"curfew_info":                                {"version": anything, "tzdata": anything},
		"curfew_workload_desired_replicas":           workload,
		"curfew_workload_expected_down":              workload,
		"leader_election_master_status":              {"name": anything},
		"workqueue_depth":                            queue,
		"rest_client_requests_total":                 {"code": {"<error>", "200", "201", "401", "403", "404", "409", "429", "500", "503"}, "method": anything, "host": anything},
		"process_resident_memory_bytes":              {},
		"process_cpu_seconds_total":                  {},
		"kube_deployment_spec_replicas":              deployment,
		"kube_deployment_status_replicas_available":  deployment,
		"kube_statefulset_status_replicas_available": statefulSet,
	}
	m.histogram("curfew_boundary_delay_seconds", nil, "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "300", "+Inf")
	m.histogram("rest_client_request_duration_seconds", map[string][]string{"verb": anything, "host": anything})
	for _, rule := range rules {
		if rule.Record != "" {
			m[rule.Record] = map[string][]string{}
		}
	}
	return m
}

// histogram adds the series of a classic histogram. A whole bound is 60 as Curfew writes it and 60.0 as Prometheus 3 keeps it.
func (m metrics) histogram(name string, labels map[string][]string, bounds ...string) {
	bucket := map[string][]string{"le": bounds}
	for _, bound := range bounds {
		if !strings.ContainsAny(bound, ".I") {
			bucket["le"] = append(bucket["le"], bound+".0")
		}
	}
	for label, values := range labels {
		bucket[label] = values
	}
	m[name+"_bucket"], m[name+"_count"], m[name+"_sum"] = bucket, labels, labels
}

// TestKnownMetricsAreDocumented holds what this package takes for Curfew's metrics to their page, which is held to what the
// controller serves elsewhere.
func TestKnownMetricsAreDocumented(t *testing.T) {
	content, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	for name, labels := range knownMetrics(nil) {
		for _, suffix := range []string{"_bucket", "_count", "_sum"} {
			name = strings.TrimSuffix(name, suffix)
		}
		family := regexp.MustCompile("^(workqueue|rest_client|leader_election|process)_").FindString(name)
		switch {
		case strings.HasPrefix(name, "kube_"):
		case family != "":
			if !strings.Contains(page, "`"+family+"*`") {
				t.Errorf("the page does not know `%s*`", family)
			}
		default:
			documented(t, page, name, labels)
		}
	}
}

// documented reports a metric that the page does not know with these labels, and a value of one that it does not know.
func documented(t *testing.T, page, name string, labels map[string][]string) {
	t.Helper()
	entry := regexp.MustCompile("`" + name + `(?:\{([a-z,]+)\})?` + "`").FindStringSubmatch(page)
	if entry == nil {
		t.Errorf("the page does not know `%s`", name)
		return
	}
	for label, values := range labels {
		if label == "le" {
			continue
		}
		if !slices.Contains(strings.Split(entry[1], ","), label) {
			t.Errorf("the page knows %s, and %s has no label %s", entry[0], name, label)
		}
		for _, value := range values {
			if !strings.Contains(page, "`"+value+"`") {
				t.Errorf("the page does not know %s=%q of %s", label, value, name)
			}
		}
	}
}
