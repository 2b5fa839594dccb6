package bench

import (
	"context"
	"fmt"
	"time"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// byCurfew picks Curfew's own requests.
func byCurfew(r cluster.Request) bool {
	return r.User == harness.User(harness.Namespace) && r.UserAgent != bareAgent
}

// byBare picks those of the bare client.
func byBare(r cluster.Request) bool { return r.UserAgent == bareAgent }

// attempts are the writes to Deployments since then, whatever came of them.
func (s *stage) attempts(ctx context.Context, by cluster.Filter, since time.Time) ([]cluster.Request, error) {
	return s.cluster.Audit(ctx, by, cluster.Writes, cluster.To("deployments"), cluster.Since(since))
}

// awaitWrites waits until n writes to Deployments have been carried out since then.
func (s *stage) awaitWrites(ctx context.Context, n int, by cluster.Filter, since time.Time) ([]cluster.Request, error) {
	ctx, cancel := s.patience(ctx)
	defer cancel()
	return s.cluster.AwaitAudit(ctx, n, by, cluster.Writes, cluster.Succeeded, cluster.To("deployments"), cluster.Since(since))
}

// lastDone is when the last of them was carried out.
func lastDone(requests []cluster.Request) time.Time {
	var last time.Time
	for _, r := range requests {
		if r.Done.After(last) {
			last = r.Done
		}
	}
	return last
}

// awaitRight waits until every object is as it should be.
func (s *stage) awaitRight(ctx context.Context, right func(object, int) bool) error {
	for {
		if _, err := s.awaitQuiet(ctx, time.Now()); err != nil {
			return err
		}
		objects, err := s.list(ctx)
		if err != nil {
			return err
		}
		wrong := 0
		for i, o := range objects {
			if !right(o, i) {
				wrong++
			}
		}
		if wrong == 0 {
			return nil
		}
		s.say("%d are not right yet", wrong)
	}
}

// verdict is what is wrong with what Curfew did since some instant.
type verdict struct {
	extra     int // writes more than one for an object
	conflicts int // that were refused
	failures  int // that failed otherwise
	wrong     int // objects that are not as they should be
}

func (v verdict) add(w verdict) verdict {
	return verdict{v.extra + w.extra, v.conflicts + w.conflicts, v.failures + w.failures, v.wrong + w.wrong}
}

// judge waits for what should not come, and judges what Curfew did since an
// instant in which every object needed one write.
func (s *stage) judge(ctx context.Context, since time.Time, right func(object, int) bool) (verdict, []object, error) {
	var v verdict
	if err := sleep(ctx, s.pause()); err != nil {
		return v, nil, err
	}
	attempts, err := s.attempts(ctx, byCurfew, since)
	if err != nil {
		return v, nil, err
	}
	writes := map[string]int{}
	for _, r := range attempts {
		switch {
		case r.Succeeded():
			if writes[r.Name]++; writes[r.Name] > 1 {
				v.extra++
			}
		case r.Code == 409:
			v.conflicts++
		default:
			v.failures++
		}
	}
	objects, err := s.list(ctx)
	if err != nil {
		return v, nil, err
	}
	for i, o := range objects {
		if !right(o, i) {
			if v.wrong++; v.wrong == 1 {
				s.say("%s/%s is wrong: size %d, %v", o.namespace, o.name, o.size, o.curfew)
			}
		}
	}
	return v, objects, nil
}

// report adds the figures that must be 0.
func (s *stage) report(part string, v verdict) {
	for _, f := range []struct {
		name  string
		value int
	}{
		{"extra writes", v.extra}, {"conflicts", v.conflicts}, {"failed writes", v.failures}, {"objects wrong at the end", v.wrong},
	} {
		s.figure(fmt.Sprintf("%s: %s", part, f.name), float64(f.value), "", "").mustBe(0)
	}
}
