package faults_test

import (
	"context"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"curfew/e2e/build"
	"curfew/e2e/harness"
)

// These are with the real process and a wall clock that is set under it; see
// build.FakedClock. In virtual time it is scaler.TestWallClockSteps, which is
// quicker, and what runs every time.

var fakedProgram = sync.OnceValues(func() (string, error) {
	module, err := build.Module()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	return build.FakedClock(ctx, module, "curfew", os.Stderr)
})

// TestClock: somebody sets the clock of the host, or the host sleeps for a while.
// What the clock says now is made so within seconds, once; and the next boundary
// is kept by the new clock.
func TestClock(t *testing.T) {
	t.Parallel()
	needTime(t)
	const soon = 25 * time.Second // the boundary after the step
	for name, c := range map[string]struct {
		step   time.Duration
		sleeps bool
		begins time.Duration // the window, from when the scenario does
		lasts  time.Duration
		want   []int32 // at once, and at the boundary after that
		notes  int64   // what is written besides: the status
	}{
		"forward an hour, into a window": {step: time.Hour, begins: 30 * time.Minute, lasts: 30*time.Minute + soon, want: []int32{0, 3}},
		"forward an hour, over a window": {step: time.Hour, begins: 20 * time.Minute, lasts: 20 * time.Minute, notes: 1},
		"back an hour, out of a window":  {step: -time.Hour, begins: -time.Hour + soon, lasts: 3 * time.Hour, want: []int32{3, 0}},
		"42 minutes asleep, into a window": {step: 42 * time.Minute, sleeps: true,
			begins: 20 * time.Minute, lasts: 22*time.Minute + soon, want: []int32{0, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			program, err := fakedProgram()
			s.must(err)
			clock, err := harness.NewClock(t.TempDir(), program, 0)
			s.must(err)
			wire := s.wire()
			curfew, err := s.startProgram(clock.Program, s.kubeconfig(wire), usual...)
			s.must(err)
			s.leader(curfew)
			night := harness.WindowIn(c.begins, c.lasts)
			web := s.create("web", night.Rule("0"))
			s.settle()

			stepped := time.Now()
			within := 8 * time.Second
			if c.sleeps {
				// Nothing is left of the connections when it wakes up, and nobody says so.
				within = 20 * time.Second
				s.must(curfew.Signal(syscall.SIGSTOP))
				wire.Present(harness.Trouble{Swallow: true})
			}
			s.must(clock.Set(c.step))
			if c.sleeps {
				s.must(curfew.Signal(syscall.SIGCONT))
			}
			want := []harness.Transition{}
			for i, size := range c.want {
				transition := harness.Transition{Size: size, From: stepped, Within: within}
				if i == 1 {
					transition.From, transition.Within = night.Start.Add(-c.step), 2*time.Second
					if size == 3 {
						transition.From = night.End.Add(-c.step)
					}
				}
				want = append(want, transition)
				s.awaitSize("web", size)
			}
			s.sleepUntil(stepped.Add(10 * time.Second))
			s.settle()
			s.stays(curfew)
			s.judge(harness.Case{Before: web, Since: stepped, Notes: c.notes, Transitions: want})
		})
	}
}

// TestClockSkew: the clocks of two replicas are half a minute apart. As long as
// one leads, its clock counts, and each transition comes once. Where the lead
// changes in that half minute, the other one, by whose clock it is too early,
// takes it back until it is time.
func TestClockSkew(t *testing.T) {
	t.Parallel()
	needTime(t)
	const skew = 30 * time.Second
	for name, killed := range map[string]bool{"the lead stays": false, "the lead changes in between": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			program, err := fakedProgram()
			s.must(err)
			clock, err := harness.NewClock(t.TempDir(), program, skew)
			s.must(err)
			leader, err := s.startProgram(clock.Program, s.kubeconfig(nil), quick...)
			s.must(err)
			s.leader(leader)
			standby := s.start(s.kubeconfig(nil), quick...)
			s.must(standby.AwaitReady(s.ctx))
			night := harness.WindowIn(skew+6*time.Second, 10*time.Second)
			web := s.create("web", night.Rule("0"))
			since := time.Now()

			s.awaitSize("web", 0)
			want := []harness.Transition{{Size: 0, From: night.Start.Add(-skew), Within: 2 * time.Second}}
			if killed {
				leader.Kill()
				s.must(standby.AwaitLeader(s.ctx))
				want = append(want, harness.Transition{Size: 3}, harness.Transition{Size: 0, From: night.Start, Within: 2 * time.Second})
				want = append(want, harness.Transition{Size: 3, From: night.End, Within: 2 * time.Second})
			} else {
				want = append(want, harness.Transition{Size: 3, From: night.End.Add(-skew), Within: 2 * time.Second})
			}
			s.sleepUntil(night.End)
			s.awaitSize("web", 3)
			s.settle()
			s.stays(standby)
			s.judge(harness.Case{Before: web, Since: since, Transitions: want})
		})
	}
}
