package faults_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestKilledAtTheBoundary: the leader is killed in the moment in which its write
// is on the way. The other one makes it, or finds it made.
func TestKilledAtTheBoundary(t *testing.T) {
	t.Parallel()
	for name, arrives := range map[string]bool{"before its write arrives": false, "after its write was carried out": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			proxy := s.proxy()
			leader := s.leader(s.start(s.kubeconfig(proxy), quick...))
			standby := s.start(s.kubeconfig(nil), quick...)
			s.must(standby.AwaitReady(s.ctx))
			night := harness.WindowIn(4*time.Second, 14*time.Second)
			web := s.create("web", night.Rule("0"))

			var once sync.Once
			proxy.Answer(func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
				if r.Method != http.MethodPatch || !strings.HasSuffix(r.URL.Path, "/deployments/web") {
					pass.ServeHTTP(w, r)
					return
				}
				defer once.Do(leader.Kill)
				if arrives {
					harness.Lose(r, pass)
				}
			})
			s.must(standby.AwaitLeader(s.ctx))
			s.awaitSize("web", 0)
			s.awaitSize("web", 3)
			s.settle()
			s.stays(standby)
			s.judge(harness.Case{Before: web, Transitions: []harness.Transition{
				{Size: 0, From: night.Start, Within: 10 * time.Second}, {Size: 3, From: night.End, Within: 2 * time.Second},
			}})
		})
	}
}

// TestFrozenLeader: the leader is frozen for longer than its lease lasts, with a
// boundary of many Deployments in between. The other one keeps it; thawed, the
// first one sends no write at all, and ends.
func TestFrozenLeader(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	leader := s.leader(s.start(s.kubeconfig(nil), quick...))
	standby := s.start(s.kubeconfig(nil), quick...)
	s.must(standby.AwaitReady(s.ctx))
	night := harness.WindowIn(12*time.Second, time.Hour)
	web := s.create("web", night.Rule("0"))
	for _, name := range strings.Fields("a b c d e f g h i j k l m n o p q r s t") {
		s.put(name, night.Rule("0"))
	}

	s.sleepUntil(night.Start.Add(-6 * time.Second))
	s.must(leader.Signal(syscall.SIGSTOP))
	s.must(standby.AwaitLeader(s.ctx))
	s.awaitSize("t", 0)
	s.awaitSize("web", 0)
	s.settle()
	thawed := time.Now()
	s.must(leader.Signal(syscall.SIGCONT))
	s.leaves(leader)
	t.Logf("thawed, it ended after %v", time.Since(thawed).Round(time.Millisecond))
	s.settle()
	s.stays(standby)
	s.noWrites(thawed)
	s.judge(harness.Case{Before: web, Transitions: []harness.Transition{{Size: 0, From: night.Start, Within: 2 * time.Second}}})
}

// TestPartition: the leader alone loses the API server, or rather it is not told,
// for what it sends waits on the way and arrives when the network is whole again.
// It ends before another one may lead, and nothing of it arrives afterwards that
// changes anything.
func TestPartition(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	wire := s.wire()
	leader := s.leader(s.start(s.kubeconfig(wire), quick...))
	standby := s.start(s.kubeconfig(nil), quick...)
	s.must(standby.AwaitReady(s.ctx))
	night := harness.WindowIn(6*time.Second, 15*time.Second)
	web := s.create("web", night.Rule("0"))

	// A second before the boundary, so that it still leads when that comes.
	s.sleepUntil(night.Start.Add(-time.Second))
	wire.All(harness.Trouble{Stall: true})
	s.leaves(leader)
	if standby.Leads() {
		t.Error("the other one led already when the first one ended")
	}
	s.must(standby.AwaitLeader(s.ctx))
	s.awaitSize("web", 0)
	wire.All(harness.Trouble{})
	s.awaitSize("web", 3)
	s.settle()
	s.stays(standby)
	s.judge(harness.Case{Before: web, Transitions: []harness.Transition{
		{Size: 0, From: night.Start, Within: 8 * time.Second}, {Size: 3, From: night.End, Within: 2 * time.Second},
	}})
}

// TestLeaseDeleted: somebody deletes the lease, again and again, across the
// boundaries. There may be two leaders for a moment; each transition comes once.
func TestLeaseDeleted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	one := s.kubelet(s.kubeconfig(nil), quick...)
	s.leader(one.Current())
	two := s.kubelet(s.kubeconfig(nil), quick...)
	s.must(two.Current().AwaitReady(s.ctx))
	night := harness.WindowIn(4*time.Second, 4*time.Second)
	web := s.create("web", night.Rule("0"))

	deleted := 0
	for time.Now().Before(night.End.Add(time.Second)) {
		s.must(s.deleteLease())
		deleted++
		s.sleepUntil(time.Now().Add(700 * time.Millisecond))
	}
	s.settle()
	t.Logf("the lease was deleted %d times", deleted)
	s.judge(harness.Case{Before: web, Transitions: []harness.Transition{
		{Size: 0, From: night.Start, Within: 3 * time.Second}, {Size: 3, From: night.End, Within: 3 * time.Second},
	}})
}

// TestRolling: three replicas are replaced one after the other, as a rolling
// update does, with a boundary every two seconds.
func TestRolling(t *testing.T) {
	t.Parallel()
	needTime(t)
	s := newStage(t)
	kubeconfig := s.kubeconfig(nil)
	var replicas []*harness.Curfew
	for range 3 {
		replicas = append(replicas, s.start(kubeconfig, usual...))
	}
	for _, replica := range replicas {
		s.must(replica.AwaitReady(s.ctx))
	}
	const nights = 8
	begin := harness.WindowIn(5*time.Second, 0).Start
	var rules []string
	var want []harness.Transition
	for i := range nights {
		night := harness.Window{Start: begin.Add(time.Duration(4*i) * time.Second)}
		night.End = night.Start.Add(2 * time.Second)
		rules = append(rules, night.Rule("0"))
		want = append(want, harness.Transition{Size: 0, From: night.Start, Within: 2 * time.Second}, harness.Transition{Size: 3, From: night.End, Within: 2 * time.Second})
	}
	web := s.create("web", strings.Join(rules, "\n"))
	s.sleepUntil(begin)
	for i, old := range replicas {
		replicas[i] = s.start(kubeconfig, usual...)
		s.must(replicas[i].AwaitReady(s.ctx))
		code, err := old.Terminate(s.ctx)
		s.must(err)
		if code != 0 {
			t.Errorf("exit code %d, want 0", code)
		}
		s.sleepUntil(begin.Add(time.Duration(i+1) * 8 * time.Second))
	}
	s.sleepUntil(begin.Add(4 * nights * time.Second))
	s.settle()
	for _, replica := range replicas {
		s.stays(replica)
	}
	s.judge(harness.Case{Before: web, Transitions: want})
}

func (s *stage) deleteLease() error {
	ctx, cancel := context.WithTimeout(s.ctx, 10*time.Second)
	defer cancel()
	return ignoreNotFound(s.cluster.Client.CoordinationV1().Leases(s.namespace).Delete(ctx, "curfew", metav1.DeleteOptions{}))
}

// noWrites checks that nobody of this stage tried to write to a Deployment.
func (s *stage) noWrites(since time.Time) {
	s.Helper()
	tries, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.By(harness.User(s.namespace)), cluster.To("deployments"), cluster.Since(since))
	s.must(err)
	for _, try := range tries {
		s.Errorf("it writes: %s", try)
	}
}
