package faults_test

import (
	"net/http"
	"testing"
	"time"

	"curfew/e2e/harness"
)

// These break the API server for everybody, so they are not parallel: go test
// runs them before those that are.

// outages are two ways of not being there.
var outages = map[string]struct {
	begin func(*stage) error
	end   func(*stage) error
}{
	"killed": {
		begin: func(s *stage) error { return s.cluster.StopAPIServer() },
		end:   func(s *stage) error { return s.cluster.StartAPIServer(s.ctx) },
	},
	"hung": {
		begin: func(s *stage) error { return s.cluster.HangAPIServer() },
		end:   func(s *stage) error { return s.cluster.WakeAPIServer() },
	},
}

// unread is the code for who comes before an API server that has just started
// has read its roles.
var unread = []int{http.StatusForbidden}

// TestOutageAcrossBoundaries: the API server is away or hangs for a few seconds,
// each time across a boundary. The leader keeps its lease and makes up for each.
func TestOutageAcrossBoundaries(t *testing.T) {
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			if name != "killed" { // TestWire has a network that hangs
				needTime(t)
			}
			s := newStage(t)
			curfew := s.leader(s.start(s.kubeconfig(nil), usual...))
			late := s.kubeconfig(nil)
			night := harness.WindowIn(5*time.Second, 20*time.Second)
			web := s.create("web", night.Rule("0"))

			s.sleepUntil(night.Start.Add(-time.Second))
			s.must(outage.begin(s))
			// One that starts now finds nobody, and waits.
			standby := s.start(late, usual...)
			s.sleepUntil(night.Start.Add(3 * time.Second))
			up := time.Now()
			s.stays(standby)
			s.must(outage.end(s))
			t.Logf("up again after %v", time.Since(up).Round(time.Millisecond))
			s.awaitSize("web", 0)
			s.must(standby.AwaitReady(s.ctx))
			s.awaitSize("web", 3)
			s.settle()
			s.stays(curfew)
			s.stays(standby)
			s.judge(harness.Case{Before: web, Refusals: unread, Transitions: []harness.Transition{
				{Size: 0, From: up, Within: 10 * time.Second},
				{Size: 3, From: night.End, Within: 2 * time.Second},
			}})
		})
	}
}

// TestLongOutage: the same for a minute. The leader loses its lease and ends;
// the kubelet starts it again, once, and it waits for the API server. A boundary
// that passed meanwhile is kept within a minute of its coming back.
func TestLongOutage(t *testing.T) {
	needTime(t)
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			kubelet := s.kubelet(s.kubeconfig(nil), usual...)
			s.leader(kubelet.Current())
			standby := s.start(s.kubeconfig(nil), usual...)
			s.must(standby.AwaitReady(s.ctx))
			const down = time.Minute
			night := harness.WindowIn(15*time.Second, down+62*time.Second)
			web := s.create("web", night.Rule("0"))

			s.sleepUntil(night.Start.Add(-5 * time.Second))
			s.must(outage.begin(s))
			s.sleepUntil(night.Start.Add(down))
			s.leftOnly(kubelet, 1)
			s.stays(standby)
			up := time.Now()
			s.must(outage.end(s))
			s.awaitSize("web", 0)
			s.awaitSize("web", 3)
			s.settle()
			s.leftOnly(kubelet, 1)
			s.stays(standby)
			s.judge(harness.Case{Before: web, Refusals: unread, Transitions: []harness.Transition{
				{Size: 0, From: up, Within: time.Minute},
				{Size: 3, From: night.End, Within: 2 * time.Second},
			}})
		})
	}
}

// TestRestoredData: etcd's data are put back to an older state, as from a backup.
// Everything that Curfew remembers then comes from a future that never happened:
// sizes, and revisions that will be given again. It begins anew by itself.
func TestRestoredData(t *testing.T) {
	needTime(t)
	s := newStage(t)
	kubelet := s.kubelet(s.kubeconfig(nil), usual...)
	s.leader(kubelet.Current())
	night := harness.WindowIn(6*time.Second, 40*time.Second)
	web := s.create("web", night.Rule("0"))
	s.must(s.cluster.SaveData())
	s.awaitSize("web", 0)
	// What nobody will remember, and many revisions of the future.
	s.create("lost", night.Rule("0"))
	for i := range int32(200) {
		s.scale("lost", 3+i%2)
	}

	restored := time.Now()
	s.must(s.cluster.RestoreData(s.ctx))
	up := time.Now()
	t.Logf("restored and up again after %v", up.Sub(restored).Round(time.Millisecond))
	s.awaitSize("web", 0)
	t.Logf("back where it was %v after that", time.Since(up).Round(time.Millisecond))
	// A change of now is seen, though its revision is one that Curfew has seen before.
	s.put("again", night.Rule("0"))
	s.awaitSize("again", 0)
	s.awaitSize("web", 3)
	s.awaitSize("again", 3)
	s.settle()
	s.leftOnly(kubelet, 1)
	s.judge(harness.Case{Before: web, Restored: true, Refusals: unread, Transitions: []harness.Transition{
		{Size: 0, From: night.Start, Within: 2 * time.Second}, // this is what was lost
		{Size: 0, From: restored, Within: 40 * time.Second},
		{Size: 3, From: night.End, Within: 2 * time.Second},
	}})
}
