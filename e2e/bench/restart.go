package bench

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/harness"
)

// measureRestart ends a Curfew and starts another one, for which there is
// nothing to do.
func (s *stage) measureRestart(ctx context.Context, curfew *harness.Curfew) (*harness.Curfew, error) {
	s.say("restarting")
	if err := s.end(ctx, curfew); err != nil {
		return curfew, err
	}
	list, err := s.timeList(ctx)
	if err != nil {
		return curfew, err
	}
	begun := time.Now()
	next, err := s.startCurfew()
	if err != nil {
		return curfew, err
	}
	patience, cancel := s.patience(ctx)
	defer cancel()
	if err := next.AwaitReady(patience); err != nil {
		return next, err
	}
	ready := time.Since(begun)
	looked := 0.0
	for looked < float64(s.objects) {
		if err := sleep(patience, 100*time.Millisecond); err != nil {
			return next, fmt.Errorf("%w: %.0f objects looked at\n%s", err, looked, tail(next.Log))
		}
		series, err := scrape(patience, next)
		if err != nil {
			return next, err
		}
		looked = 0
		for name, value := range series {
			if strings.HasPrefix(name, "curfew_reconcile_total{") {
				looked += value
			}
		}
	}
	all := time.Since(begun)
	v, _, err := s.judge(ctx, begun, func(o object, i int) bool { return o.size == sizeOf(i) && o.saysState("normal") })
	if err != nil {
		return next, err
	}
	attempts, err := s.attempts(ctx, byCurfew, begun)
	if err != nil {
		return next, err
	}
	s.figure("restart, objects right: writes", float64(len(attempts)), "", "").mustBe(0)
	s.figure("restart, objects right: objects wrong at the end", float64(v.wrong), "", "").mustBe(0)
	s.figure("one plain list of the objects", list.Seconds(), "s", "median of 3")
	s.figure("restart, objects right: ready", ready.Seconds(), "s", "").atMost(list.Seconds() + 1)
	s.figure("restart, objects right: all looked at", all.Seconds(), "s", "")
	return next, nil
}

// timeList is how long a client takes that lists all Deployments once.
func (s *stage) timeList(ctx context.Context) (time.Duration, error) {
	var took []float64
	for range 3 {
		begun := time.Now()
		// As an informer asks: from the API server's cache.
		_, err := s.cluster.Client.AppsV1().Deployments("").List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return 0, err
		}
		took = append(took, time.Since(begun).Seconds())
	}
	return time.Duration(median(took) * float64(time.Second)), nil
}
