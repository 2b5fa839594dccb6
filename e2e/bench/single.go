package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// measureSingle measures, by the API server's clock, how long after its moment a
// write is there: many boundaries of one Deployment, a second apart, while all
// the others are idle.
func (s *stage) measureSingle(ctx context.Context) error {
	s.say("one object, %d boundaries", s.boundaries())
	const name = "single"
	const apart = time.Second
	client := s.cluster.Client
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	begin := harness.WindowIn(s.lead(), 0).Start
	var rules []string
	var moments []time.Time
	for i := range s.boundaries() / 2 {
		window := harness.Window{Start: begin.Add(time.Duration(2*i) * apart)}
		window.End = window.Start.Add(apart)
		rules = append(rules, window.Rule("0"))
		moments = append(moments, window.Start, window.End)
	}
	deployment := harness.NewDeployment(name, 3, map[string]string{harness.Windows: strings.Join(rules, "\n"), harness.Replicas: "3"})
	if _, err := client.AppsV1().Deployments(name).Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
		return err
	}
	patience, cancel := s.patience(ctx)
	defer cancel()
	_, err = s.cluster.AwaitDeployment(patience, name, name, "a status before its first boundary", func(d *appsv1.Deployment) bool { return harness.StatusOf(d) != nil })
	if err != nil {
		return err
	}
	filters := []cluster.Filter{byCurfew, cluster.Writes, cluster.Succeeded, cluster.To("deployments"), cluster.In(name), cluster.Since(begin)}
	if _, err := s.cluster.AwaitAudit(patience, len(moments), filters...); err != nil {
		return err
	}
	if err := sleep(ctx, s.pause()); err != nil {
		return err
	}
	writes, err := s.cluster.Audit(ctx, filters...)
	if err != nil {
		return err
	}
	s.figure("one object: extra writes", float64(len(writes)-len(moments)), "", "").mustBe(0)
	if len(writes) != len(moments) {
		return nil // whose delays are nobody's
	}
	var arrived, applied []time.Duration
	for i, write := range writes {
		arrived = append(arrived, write.Received.Sub(moments[i]))
		applied = append(applied, write.Done.Sub(moments[i]))
	}
	slices.Sort(arrived)
	slices.Sort(applied)
	note := func(percent int) string {
		return fmt.Sprintf("arrived after %s", number(milliseconds(rank(arrived, percent))))
	}
	s.figure("one object: delay, median", milliseconds(rank(applied, 50)), "ms", note(50))
	s.figure("one object: delay, p99", milliseconds(rank(applied, 99)), "ms", note(99)).atMost(50)
	return client.AppsV1().Deployments(name).Delete(ctx, name, metav1.DeleteOptions{})
}
