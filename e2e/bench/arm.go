package bench

import (
	"context"
	"errors"
	"time"

	"curfew/e2e/harness"
)

// arm gives all objects one window that starts soon, and returns when Curfew has
// noted that for every one of them and has gone quiet, with how that came out and
// the instant from which on nothing should happen until the window starts.
func (s *stage) arm(ctx context.Context) (window harness.Window, armed time.Time, before []object, err error) {
	for try := range 4 {
		lead := (s.rearm+s.settle)*time.Duration(2+try)*2/3 + s.lead()
		window = harness.WindowIn(lead, 6*time.Hour)
		s.say("the next boundary is in %v", lead.Round(time.Second))
		begun := time.Now()
		if err := s.setRules(ctx, window); err != nil {
			return window, armed, nil, err
		}
		s.rearm = time.Since(begun)
		if _, err := s.awaitWrites(ctx, s.objects, byCurfew, begun); err != nil {
			return window, armed, nil, err
		}
		quiet, err := s.awaitQuiet(ctx, begun)
		if err != nil {
			return window, armed, nil, err
		}
		s.settle = max(s.settle, quiet-s.rearm)
		armed = time.Now()
		if before, err = s.list(ctx); err != nil {
			return window, armed, nil, err
		}
		if time.Until(window.Start) < time.Second {
			s.say("that was too soon")
			continue
		}
		for i, o := range before {
			if !o.isNormal(i, window) {
				s.say("%s/%s is wrong before the boundary: size %d, %v", o.namespace, o.name, o.size, o.curfew)
				return window, armed, nil, errors.New("an object is wrong before the boundary")
			}
		}
		return window, armed, before, nil
	}
	return window, armed, nil, errors.New("this machine does not get ready in time for a boundary")
}
