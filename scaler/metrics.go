package scaler

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/tools/cache"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// Results of a reconcile, as the metric curfew_reconcile_total tells them apart.
const (
	resultUnchanged = "unchanged" // everything was as it should be
	resultWritten   = "written"   // something was written
	resultConflict  = "conflict"  // the object changed meanwhile; tried again at once
	resultContested = "contested" // somebody else keeps changing the size; waiting
	resultInvalid   = "invalid"   // a mistake that only the object's author can mend
	resultError     = "error"     // a failure that may pass; tried again
)

// Metrics are what the controller counts. Each controller has its own, so that several may live in one process.
type Metrics struct {
	reconciles *prometheus.CounterVec
	writes     *prometheus.CounterVec
	delay      prometheus.Histogram
	workloads  *prometheus.GaugeVec

	mu     sync.Mutex
	states map[cache.ObjectName]annotation.State
}

// NewMetrics makes the metrics and registers them.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		reconciles: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "curfew_reconcile_total",
			Help: "Times a workload was looked at, by result: unchanged, written, conflict, contested (waiting to put a size back), invalid (a mistake in its annotations), error (a failure that may pass).",
		}, []string{"result"}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "curfew_scale_writes_total",
			Help: "Sizes written, by reason: " + list(decide.Reasons()) + ".",
		}, []string{"reason"}),
		delay: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "curfew_boundary_delay_seconds",
			Help:    "How long after the start or end of a window its size was written.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300},
		}),
		workloads: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "curfew_workloads",
			Help: "Workloads that Curfew looks after, by state: " + list(annotation.States()) + ".",
		}, []string{"state"}),
		states: map[cache.ObjectName]annotation.State{},
	}
	for _, s := range annotation.States() {
		m.workloads.WithLabelValues(string(s))
	}
	registry.MustRegister(m.reconciles, m.writes, m.delay, m.workloads)
	return m
}

func list[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// look notes what came of a look at a workload.
func (m *Metrics) look(key cache.ObjectName, state annotation.State, result string) {
	m.reconciles.WithLabelValues(result).Inc()
	m.state(key, state)
}

// gone notes that there is nothing to look at any more.
func (m *Metrics) gone(key cache.ObjectName) { m.state(key, "") }

// state notes a workload's state; "" when Curfew has nothing to do with it.
func (m *Metrics) state(key cache.ObjectName, now annotation.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.states[key]
	if was == now {
		return
	}
	if was != "" {
		m.workloads.WithLabelValues(string(was)).Dec()
	}
	if now == "" {
		delete(m.states, key)
		return
	}
	m.workloads.WithLabelValues(string(now)).Inc()
	m.states[key] = now
}
