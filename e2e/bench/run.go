package bench

import (
	"context"
	"errors"
	"time"

	"curfew/e2e/harness"
)

// run measures everything, a cluster for each number of objects.
func run(ctx context.Context, o *Options, result *Result) error {
	var failed error
	if o.wants(partWindow) {
		failed = measureWindow(ctx, o, result)
	}
	if len(o.Only) == 1 && o.Only[0] == partWindow {
		return failed
	}
	for _, n := range o.Objects {
		s, err := setStage(ctx, o, n, result)
		if err == nil {
			err = s.perform(ctx)
			s.clear()
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// perform measures one part after the other.
func (s *stage) perform(ctx context.Context) error {
	var empty footprint
	if s.wants(partMemory) {
		var err error
		if empty, err = s.measureEmpty(ctx); err != nil {
			return err
		}
	}
	s.say("making them")
	begun := time.Now()
	if err := s.createObjects(ctx, harness.WindowIn(12*time.Hour, time.Hour)); err != nil {
		return err
	}
	s.rearm = time.Since(begun) / 2 // that were two requests for each
	s.say("made in %v", time.Since(begun).Round(time.Second))

	curfew, err := s.measureStart(ctx)
	if err != nil {
		return err
	}
	defer func() { curfew.Kill() }()
	if s.wants(partIdle) || s.wants(partMemory) {
		if err := s.measureIdle(ctx, curfew, empty); err != nil {
			return err
		}
	}
	if s.wants(partSingle) {
		if err := s.measureSingle(ctx); err != nil {
			return err
		}
	}
	if s.wants(partRestart) {
		if curfew, err = s.measureRestart(ctx, curfew); err != nil {
			return err
		}
	}
	if s.wants(partBoundary) {
		if curfew, err = s.measureBoundary(ctx, curfew, empty); err != nil {
			return err
		}
	}
	if s.wants(partTakeover) {
		return s.measureTakeover(ctx, curfew)
	}
	return nil
}
