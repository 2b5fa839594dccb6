package e2e_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// BenchmarkBoundary measures, by the API server's clock, how long after its
// moment a write is there: 50 boundaries of one Deployment, a second apart, with
// 200 idle ones around it. It also gives Curfew's memory.
//
//	go test -run='^$' -bench=Boundary -benchtime=1x
//
// "arrived" is when the API server had received the request, "applied" when it
// had carried it out.
func BenchmarkBoundary(b *testing.B) {
	s, curfew := newBenchmark(b)
	const boundaries, apart = 50, time.Second
	for b.Loop() {
		begin := harness.WindowIn(5*time.Second, 0).Start
		var rules []string
		var moments []time.Time
		for i := range boundaries / 2 {
			window := harness.Window{Start: begin.Add(time.Duration(2*i) * apart)}
			window.End = window.Start.Add(apart)
			rules = append(rules, window.Rule("0"))
			moments = append(moments, window.Start, window.End)
		}
		name := fmt.Sprint("measured-", begin.Unix())
		s.create(name, 3, annotations{harness.Windows: strings.Join(rules, "\n"), harness.Replicas: "3"})
		s.awaitState(name, "normal")
		_, err := s.cluster.AwaitAudit(s.ctx, boundaries, cluster.Writes, cluster.Succeeded, cluster.By(harness.User(s.home)),
			cluster.To("deployments"), cluster.Named(name), cluster.Since(begin))
		s.must(err)
		writes := harness.Resizes(s.writes(name))
		if len(writes) != boundaries {
			b.Fatalf("%d writes of the size for %d boundaries", len(writes), boundaries)
		}
		report(b, moments, writes)
	}
	b.ReportMetric(0, "ns/op") // it is the schedule's, and says nothing
	b.ReportMetric(memory(b, curfew), "RSS-MiB")
}

// BenchmarkBoundaryTogether measures the same for 200 Deployments that all have
// their boundary at one moment, the evening of a whole company.
func BenchmarkBoundaryTogether(b *testing.B) {
	s, _ := newBenchmark(b)
	for b.Loop() {
		const deployments = 200
		night := harness.WindowIn(30*time.Second, time.Hour)
		name := func(i int) string { return fmt.Sprintf("evening-%d-%03d", night.Start.Unix(), i) }
		for i := range deployments {
			s.create(name(i), 1, annotations{harness.Windows: night.Rule("0"), harness.Replicas: "1"})
		}
		var writes []harness.Write
		for i := range deployments {
			s.awaitSize(name(i), 0)
			writes = append(writes, harness.Resizes(s.writes(name(i)))...)
		}
		report(b, slices.Repeat([]time.Time{night.Start}, deployments), writes)
	}
	b.ReportMetric(0, "ns/op")
}

// newBenchmark is a Curfew with its flags as they are by default, and 200 idle
// Deployments.
func newBenchmark(b *testing.B) (*space, *harness.Curfew) {
	b.Helper()
	s := newOwnSpace(b)
	s.needAudit()
	curfew := s.startLeader()
	createIdle(s, 200)
	return s, curfew
}

func report(b *testing.B, moments []time.Time, writes []harness.Write) {
	b.Helper()
	if len(writes) != len(moments) {
		b.Fatalf("%d writes for %d boundaries", len(writes), len(moments))
	}
	var arrived, applied []time.Duration
	for i, write := range writes {
		if write.Received.Before(moments[i]) {
			b.Errorf("early by %v: %s", moments[i].Sub(write.Received), write)
		}
		arrived = append(arrived, write.Received.Sub(moments[i]))
		applied = append(applied, write.Done.Sub(moments[i]))
	}
	for name, delays := range map[string][]time.Duration{"arrived": arrived, "applied": applied} {
		slices.Sort(delays)
		for _, percent := range []int{50, 99} {
			// The nearest rank: of 50, the 99th percentile is the slowest.
			rank := (len(delays)*percent + 99) / 100
			b.ReportMetric(float64(delays[rank-1].Microseconds())/1000, fmt.Sprintf("p%d-%s-ms", percent, name))
		}
	}
}

// memory is the resident set of a process, in MiB.
func memory(b *testing.B, curfew *harness.Curfew) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", curfew.PID()))
	if err != nil {
		b.Logf("no figure for the memory: %v", err)
		return 0
	}
	var kilobytes float64
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			_, err := fmt.Sscan(value, &kilobytes)
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	return kilobytes / 1024
}
