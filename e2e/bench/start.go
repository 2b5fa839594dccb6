package bench

import (
	"context"
	"time"

	"curfew/e2e/harness"
)

// measureStart starts a Curfew on objects that it has never seen: it has to say
// something about each.
func (s *stage) measureStart(ctx context.Context) (*harness.Curfew, error) {
	s.say("starting on objects that are new")
	begun := time.Now()
	curfew, err := s.startLeader(ctx)
	if err != nil {
		return nil, err
	}
	ready := time.Since(begun)
	err = func() error {
		writes, err := s.awaitWrites(ctx, s.objects, byCurfew, begun)
		if err != nil {
			return err
		}
		took := lastDone(writes).Sub(begun)
		if s.settle, err = s.awaitQuiet(ctx, begun); err != nil {
			return err
		}
		if !s.wants(partStart) {
			return nil
		}
		s.figure("start, objects new: ready and leading", ready.Seconds(), "s", "")
		s.figure("start, objects new: every object has its status", took.Seconds(), "s", "")
		v, _, err := s.judge(ctx, begun, func(o object, i int) bool { return o.size == sizeOf(i) && o.saysState("normal") })
		s.report("start, objects new", v)
		return err
	}()
	if err != nil {
		curfew.Kill()
		return nil, err
	}
	return curfew, nil
}
