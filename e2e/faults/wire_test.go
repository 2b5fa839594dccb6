package faults_test

import (
	"testing"
	"time"

	"curfew/e2e/harness"
)

// TestWire: the network between Curfew and the API server breaks, across a
// boundary. Curfew keeps its lease, which is a user's usual one, and the boundary
// is kept soon after the network could carry it.
func TestWire(t *testing.T) {
	t.Parallel()
	const trouble = 4 * time.Second
	everybody := func(trouble harness.Trouble) func(*harness.Wire) {
		return func(w *harness.Wire) { w.All(trouble) }
	}
	for name, c := range map[string]struct {
		breaks func(*harness.Wire)
		during bool // the boundary can be kept in spite of it
		within time.Duration
	}{
		"everything takes 300 ms longer":   {everybody(harness.Trouble{Delay: 300 * time.Millisecond}), true, 5 * time.Second},
		"4 kB a second":                    {everybody(harness.Trouble{Rate: 4 << 10}), true, 5 * time.Second},
		"cut once":                         {(*harness.Wire).Cut, true, 2 * time.Second},
		"nothing arrives until it is over": {everybody(harness.Trouble{Stall: true}), false, 2 * trouble},
		"no connection can be made": {func(w *harness.Wire) {
			w.Next(harness.Trouble{Refuse: true})
			w.Cut()
		}, false, 2 * trouble},
		"every connection is reset at its next answer": {func(w *harness.Wire) {
			w.Present(harness.Trouble{ResetAfter: 1})
		}, true, 3 * time.Second},
		"every connection is reset in its first answers": {func(w *harness.Wire) {
			w.Next(harness.Trouble{ResetAfter: 5000})
			w.Cut()
		}, true, 12 * time.Second},
		// Dead, and nobody has said so. Watches are silent, and what is sent has
		// no answer. New connections are sound.
		"the connections there are die silently": {func(w *harness.Wire) {
			w.Present(harness.Trouble{Swallow: true})
		}, true, 12 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			wire := s.wire()
			curfew := s.leader(s.start(s.kubeconfig(wire), usual...))
			night := harness.WindowIn(4*time.Second, trouble+c.within+3*time.Second)
			web := s.create("web", night.Rule("0"))

			s.sleepUntil(night.Start.Add(-500 * time.Millisecond))
			c.breaks(wire)
			due := night.Start
			if !c.during {
				due = due.Add(trouble)
			}
			s.sleepUntil(night.Start.Add(trouble))
			wire.All(harness.Trouble{})
			s.awaitSize("web", 0)
			s.awaitSize("web", 3)
			s.settle()
			s.stays(curfew)
			s.judge(harness.Case{Before: web, Transitions: []harness.Transition{
				{Size: 0, From: due, Within: c.within}, {Size: 3, From: night.End, Within: 2 * time.Second},
			}})
		})
	}
}

// TestWatchesDieSilently: nothing that somebody changes arrives any more, and
// nobody says so. It is noticed, and what has changed is acted on.
func TestWatchesDieSilently(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	wire := s.wire()
	curfew := s.leader(s.start(s.kubeconfig(wire), usual...))
	web := s.create("web", "always = 3")

	wire.Present(harness.Trouble{Swallow: true})
	drifted := time.Now()
	s.scale("web", 2)
	s.awaitSize("web", 3)
	s.settle()
	s.stays(curfew)
	s.judge(harness.Case{Before: web, Others: 1, Transitions: []harness.Transition{
		{Size: 3, From: drifted, Within: 15 * time.Second},
	}})
}
