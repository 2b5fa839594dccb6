package scaler

import (
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

var (
	workloadsDesc = prometheus.NewDesc("curfew_workloads",
		"Workloads that Curfew looks after, by state: "+list(annotation.States())+".", []string{"state"}, nil)
	heldDesc = prometheus.NewDesc("curfew_held_replicas",
		"Replicas that the workloads of a namespace have less than normal now, because a window or an override holds them.", []string{"namespace"}, nil)
	savedDesc = prometheus.NewDesc("curfew_replica_hours_saved_total",
		"Replicas held below normal, times the hours for which they were, since this process leads.", []string{"namespace"}, nil)
	desiredDesc = prometheus.NewDesc("curfew_workload_desired_replicas",
		"Size that Curfew holds a workload at; absent while it keeps its hands off.", []string{"namespace", "kind", "name"}, nil)
	downDesc = prometheus.NewDesc("curfew_workload_expected_down",
		"1 while Curfew holds a workload at 0, else 0.", []string{"namespace", "kind", "name"}, nil)
)

// workloadMetrics are the metrics of what is held now. They are made from one table when somebody asks for them, so that
// no series outlives its workload and a look that finds nothing new costs a comparison.
type workloadMetrics struct {
	clock       clock.PassiveClock
	start       time.Time
	perWorkload bool

	mu         sync.Mutex
	workloads  map[kind.Key]holding
	states     map[annotation.State]int
	namespaces map[string]*savings
}

// savings are what is not running in a namespace.
type savings struct {
	workloads int
	below     int64         // replicas, now
	hours     float64       // replica hours until since
	since     time.Duration // after the start
}

func newWorkloadMetrics(clk clock.PassiveClock, perWorkload bool) *workloadMetrics {
	return &workloadMetrics{
		clock: clk, start: clk.Now(), perWorkload: perWorkload,
		workloads:  map[kind.Key]holding{},
		states:     map[annotation.State]int{},
		namespaces: map[string]*savings{},
	}
}

// note takes down what is held of a workload; the zero holding when Curfew has nothing to do with it.
func (m *workloadMetrics) note(key kind.Key, now holding) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.workloads[key]
	if was == now {
		return
	}
	s := m.namespaces[key.Namespace]
	if s == nil {
		s = &savings{}
		m.namespaces[key.Namespace] = s
	}
	if was.state != "" {
		m.states[was.state]--
		s.workloads--
	}
	if was.below != now.below {
		s.until(m.elapsed())
		s.below += int64(now.below) - int64(was.below)
	}
	if now.state != "" {
		m.states[now.state]++
		s.workloads++
		m.workloads[key] = now
		return
	}
	delete(m.workloads, key)
	if s.workloads == 0 {
		delete(m.namespaces, key.Namespace)
	}
}

// until counts what was saved up to an instant.
func (s *savings) until(elapsed time.Duration) {
	s.hours += float64(s.below) * (elapsed - s.since).Hours()
	s.since = elapsed
}

// elapsed is measured time: somebody who sets the clock saves nothing by it.
func (m *workloadMetrics) elapsed() time.Duration { return m.clock.Since(m.start) }

// Describe sends what Collect may send.
func (m *workloadMetrics) Describe(to chan<- *prometheus.Desc) {
	to <- workloadsDesc
	to <- heldDesc
	to <- savedDesc
	if m.perWorkload {
		to <- desiredDesc
		to <- downDesc
	}
}

// Collect sends what is so now.
func (m *workloadMetrics) Collect(to chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	now := m.snapshot()
	for state, workloads := range now.states {
		gauge(workloadsDesc, float64(workloads), string(state))
	}
	for namespace, s := range now.namespaces {
		gauge(heldDesc, float64(s.below), namespace)
		to <- prometheus.MustNewConstMetric(savedDesc, prometheus.CounterValue, s.hours, namespace)
	}
	for key, h := range now.workloads {
		down := 0.0
		if h.holds {
			gauge(desiredDesc, float64(h.size), key.Namespace, key.Kind.Name, key.Name)
			if h.size == 0 {
				down = 1
			}
		}
		gauge(downDesc, down, key.Namespace, key.Kind.Name, key.Name)
	}
}

// snapshot is what was so at one moment. Metrics are made of it when the lock is free again, which workers wait for.
type snapshot struct {
	states     map[annotation.State]int
	namespaces map[string]savings
	workloads  map[kind.Key]holding
}

func (m *workloadMetrics) snapshot() snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := snapshot{states: map[annotation.State]int{}, namespaces: make(map[string]savings, len(m.namespaces))}
	for _, state := range annotation.States() {
		now.states[state] = m.states[state]
	}
	elapsed := m.elapsed()
	for namespace, s := range m.namespaces {
		s.until(elapsed)
		now.namespaces[namespace] = *s
	}
	if m.perWorkload {
		now.workloads = maps.Clone(m.workloads)
	}
	return now
}
