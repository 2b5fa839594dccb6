package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	appsv1client "k8s.io/client-go/kubernetes/typed/apps/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

type deploymentClient = appsv1client.DeploymentInterface

var isConflict = apierrors.IsConflict

// prompt is how late anything may be that should happen at once. Generous: the
// figure itself is for a benchmark.
const prompt = 2 * time.Second

// step is one write that Curfew was to make.
type step struct {
	size  int32     // statusOnly: it does not touch the size
	since time.Time // it comes then, never earlier, and promptly. Zero: whenever
}

const statusOnly = -1

// at is the step that writes a size at some moment.
func at(moment time.Time, size int32) step { return step{size: size, since: moment} }

// did is the step that writes a size at a moment that does not matter.
func did(size int32) step { return step{size: size} }

// adopted is the step in which Curfew only says what it has found.
var adopted = step{size: statusOnly}

// curfewDid checks that Curfew made exactly these writes to a Deployment, since
// ever, each in its time, none that touches what is not Curfew's.
func (s *space) curfewDid(name string, steps ...step) []harness.Write {
	s.Helper()
	writes := s.writes(name)
	if len(writes) != len(steps) {
		s.Errorf("Curfew wrote to %s %d times, want %d", name, len(writes), len(steps))
		return writes
	}
	for i, step := range steps {
		write := writes[i]
		got := int32(statusOnly)
		if write.Replicas != nil {
			got = *write.Replicas
		}
		if got != step.size {
			s.Errorf("write %d to %s: size %d, want %d (-1: not touched): %s", i+1, name, got, step.size, write)
		}
		if step.since.IsZero() {
			continue
		}
		late := write.Done.Sub(step.since)
		s.Logf("%s: size %d %v after its moment", name, got, late.Round(time.Millisecond))
		if write.Received.Before(step.since) {
			s.Errorf("write %d to %s is early by %v: %s", i+1, name, step.since.Sub(write.Received), write)
		}
		if late > prompt {
			s.Errorf("write %d to %s is late by %v, want less than %v: %s", i+1, name, late, prompt, write)
		}
	}
	return writes
}

// awaitWrites waits until Curfew has written to a Deployment n times. A state
// that lasts for seconds may be over before anybody looks; a write stays in the
// log.
func (s *space) awaitWrites(name string, n int) {
	s.Helper()
	_, err := s.cluster.AwaitAudit(s.ctx, n, cluster.Writes, cluster.Succeeded, cluster.By(harness.User(s.home)),
		cluster.To("deployments"), cluster.In(s.namespace), cluster.Named(name))
	s.must(err)
}

// writes are those of Curfew to a Deployment that were carried out. One that
// came too late, because somebody else had just written, is refused with a
// conflict and is no write; anything else that is refused fails the test.
func (s *space) writes(name string) []harness.Write {
	s.Helper()
	requests, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.By(harness.User(s.home)), cluster.To("deployments"), cluster.In(s.namespace), cluster.Named(name))
	s.must(err)
	all, err := harness.ReadWrites(requests)
	s.must(err)
	var writes []harness.Write
	for _, write := range all {
		if len(write.Stray) > 0 || write.Subresource != "" || write.Verb != "patch" {
			s.Errorf("Curfew touches what is not its own (%s): %s", strings.Join(write.Stray, ", "), write)
		}
		switch {
		case write.Succeeded():
			writes = append(writes, write)
		case write.Code != http.StatusConflict:
			s.Errorf("refused: %s", write)
		}
	}
	return writes
}

// untouched checks that nothing differs from an earlier state of a Deployment
// but its size and Curfew's annotations.
func (s *space) untouched(before *appsv1.Deployment) {
	s.Helper()
	if changes := harness.ForeignChanges(before, s.get(before.Name)); changes != "" {
		s.Errorf("%s has changed where Curfew has no business:\n%s", before.Name, changes)
	}
}

// nothingLeft checks that Curfew's own annotations are gone.
func (s *space) nothingLeft(name string) {
	s.Helper()
	for _, key := range []string{harness.Status, harness.Remembered} {
		if text, found := s.get(name).Annotations[key]; found {
			s.Errorf("%s still has %s: %s", name, key, text)
		}
	}
}

// scaledAt is when somebody's latest write of the size of a Deployment arrived
// at the API server, be it by kubectl scale or by an edit.
func (s *space) scaledAt(name string) time.Time {
	s.Helper()
	requests, err := s.cluster.Audit(s.ctx, cluster.Writes, cluster.Succeeded, cluster.By(cluster.Admin), cluster.To("deployments"), cluster.In(s.namespace), cluster.Named(name))
	s.must(err)
	if len(requests) == 0 {
		s.Fatalf("nobody wrote to %s", name)
	}
	return requests[len(requests)-1].Received
}

// showHistory logs, for a test that has failed, every write to a Deployment in
// its namespace, whoever made it.
func (s *space) showHistory() {
	if !s.cluster.HasAudit() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 5*time.Second)
	defer cancel()
	requests, err := s.cluster.Audit(ctx, cluster.Writes, cluster.To("deployments"), cluster.In(s.namespace),
		func(r cluster.Request) bool { return r.Subresource != "status" })
	lines := []string{fmt.Sprint("all writes to Deployments in ", s.namespace, ":")}
	for _, request := range requests {
		lines = append(lines, request.String())
	}
	s.Log(strings.Join(lines, "\n"), err)
}
