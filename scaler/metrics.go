package scaler

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// Results of a reconcile, as the metric curfew_reconcile_total tells them apart.
const (
	resultUnchanged = "unchanged" // everything was as it should be
	resultBoundary  = "boundary"  // a window started or ended, and its size was written
	resultWritten   = "written"   // something else was written
	resultConflict  = "conflict"  // the object changed meanwhile; tried again at once
	resultContested = "contested" // somebody else keeps changing the size; waiting
	resultWaiting   = "waiting"   // its turn to wake has not come
	resultInvalid   = "invalid"   // a mistake that only the object's author can mend
	resultError     = "error"     // a failure that may pass; tried again
)

var results = []string{resultUnchanged, resultBoundary, resultWritten, resultConflict, resultContested, resultWaiting, resultInvalid, resultError}

// writeReasons are the reasons to write a size, as the metric curfew_scale_writes_total tells them apart.
var writeReasons = map[decide.Reason]string{
	decide.WindowStarted: "window",
	decide.WindowEnded:   "normal",
	decide.NormalHeld:    "normal",
	decide.Drift:         "drift",
	decide.Overridden:    "override",
	decide.RulesRemoved:  "release",
}

// Metrics are what the controller counts. Each controller has its own, so that several may live in one process. Only the
// one that leads has anything to count: to a standby every workload is unknown.
type Metrics struct {
	reconciles *prometheus.CounterVec
	writes     *prometheus.CounterVec
	delay      prometheus.Histogram
	waking     prometheus.Gauge
	timeouts   prometheus.Counter
	workloads  *workloadMetrics
}

// NewMetrics makes the metrics and registers them. perWorkload adds those that have a series for each workload.
func NewMetrics(registry prometheus.Registerer, clk clock.PassiveClock, perWorkload bool) *Metrics {
	m := &Metrics{
		reconciles: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "curfew_reconcile_total",
			Help: "Times a workload was looked at, by result: unchanged, boundary (a window started or ended, and its size was written), written (anything else was), conflict (tried again at once), contested (waiting to put a size back), waiting (for its turn to wake), invalid (a mistake in its annotations), error (a failure that may pass, tried again).",
		}, []string{"result"}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "curfew_scale_writes_total",
			Help: "Sizes written, by reason: window (one started), normal (nothing holds any more, or curfew/replicas says so), drift (somebody else had changed it), override, release (the rules are gone).",
		}, []string{"reason"}),
		delay: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "curfew_boundary_delay_seconds",
			Help:    "How long after the start or end of a window its size was written.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300},
		}),
		waking: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "curfew_wakes_on_their_way",
			Help: "Workloads that were woken and are not available yet, where waves or limits make others wait for them.",
		}),
		timeouts: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "curfew_wake_timeouts_total",
			Help: "Workloads that were not available in time after they were woken, where waves or limits make others wait for them.",
		}),
		workloads: newWorkloadMetrics(clk, perWorkload),
	}
	for _, result := range results {
		m.reconciles.WithLabelValues(result)
	}
	for _, reason := range writeReasons {
		m.writes.WithLabelValues(reason)
	}
	registry.MustRegister(m.reconciles, m.writes, m.delay, m.waking, m.timeouts, m.workloads)
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
func (m *Metrics) look(key kind.Key, now holding, result string) {
	m.count(result)
	m.workloads.note(key, now)
}

func (m *Metrics) count(result string) { m.reconciles.WithLabelValues(result).Inc() }

// wrote notes that a size was written.
func (m *Metrics) wrote(reason decide.Reason) {
	m.writes.WithLabelValues(writeReasons[reason]).Inc()
}

// gone notes that there is nothing to look at any more.
func (m *Metrics) gone(key kind.Key) { m.workloads.note(key, holding{}) }

// holding is what Curfew makes of a workload and does to its size. The zero holding is that of a workload that Curfew
// has nothing to do with.
type holding struct {
	state annotation.State
	holds bool  // it has a size to be held at,
	size  int32 // which is this
	below int32 // how many replicas it has less than normal for that reason
}
