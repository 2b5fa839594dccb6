package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/component-base/metrics/legacyregistry"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // workqueue_*, rest_client_*, leader_election_*

	"curfew/cmd/internal/version"
	"curfew/timewindow"
)

// newRegistry makes the registry of what is Curfew's own. What its libraries count is in one of theirs.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "curfew_info",
		Help: "1, with the version of Curfew and that of the zone data compiled into it.",
	}, []string{"version", "tzdata"})
	info.WithLabelValues(version.Number(), timewindow.ZoneDataVersion).Set(1)
	registry.MustRegister(info)
	return registry
}

// metricsPath is where metrics are served, and what the right to read them is the right to get.
const metricsPath = "/metrics"

// metrics answers with Curfew's metrics and those of its libraries, among which are those of Go and the process.
func metrics(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(prometheus.Gatherers{registry, legacyregistry.DefaultGatherer}, promhttp.HandlerOpts{Registry: registry})
}
