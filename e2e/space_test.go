package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// patience is how long anything may take that needs no clock to reach a
// boundary, on a machine that has other things to do.
const patience = 3 * time.Minute

// space is a namespace for one test, and who acts in it.
type space struct {
	testing.TB
	ctx       context.Context
	cluster   *cluster.Cluster
	namespace string
	home      string            // the namespace of Curfew's ServiceAccount
	labels    map[string]string // on every Deployment
}

type annotations = map[string]string

// newSpace makes a namespace whose Deployments the shared Curfew looks after.
func newSpace(t testing.TB) *space {
	t.Helper()
	s := newNamespace(t)
	if _, err := shared.getCurfew(); err != nil {
		t.Fatal(err)
	}
	s.home = harness.Namespace
	return s
}

// newOwnSpace makes a namespace that the shared Curfew leaves alone, with all
// that a Curfew of its own needs: deploy/namespaced, moved there.
func newOwnSpace(t testing.TB) *space {
	t.Helper()
	s := newNamespace(t)
	s.home = s.namespace
	s.labels = map[string]string{ownLabel: ""}
	s.must(harness.Install(s.ctx, s.cluster, "deploy/namespaced", s.namespace))
	return s
}

var spaces atomic.Int64

func newNamespace(t testing.TB) *space {
	t.Helper()
	c, err := shared.getCluster()
	if err != nil {
		t.Fatal(err)
	}
	// Here, for patience is not meant for a compiler.
	if _, err := program(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, fmt.Errorf("nothing more after %v", patience))
	t.Cleanup(cancel)
	s := &space{TB: t, ctx: ctx, cluster: c}
	name := fmt.Sprintf("e2e-%d-%d", time.Now().Unix(), spaces.Add(1))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err = c.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	s.must(err)
	s.namespace = name
	t.Cleanup(func() {
		if t.Failed() {
			s.showHistory()
		}
		if !c.HasAudit() {
			// Ours goes away as a whole; there it would only cost time.
			_ = c.Client.CoreV1().Namespaces().Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{})
		}
	})
	return s
}

func (s *space) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// needAudit skips the test on a cluster whose audit log we cannot read.
func (s *space) needAudit() {
	s.Helper()
	if !s.cluster.HasAudit() {
		s.Skip("needs the audit log, which a cluster from KUBECONFIG does not show us: unset KUBECONFIG")
	}
}

// dataRace is what a program built with CURFEW_RACE=1 logs if it has one.
const dataRace = "WARNING: DATA RACE"

// start runs a Curfew for this namespace alone. It is killed with the test.
func (s *space) start(flags ...string) *harness.Curfew {
	s.Helper()
	kubeconfig := s.TempDir() + "/kubeconfig"
	s.must(harness.WriteKubeconfig(s.ctx, s.cluster, s.home, kubeconfig))
	return s.startWith(kubeconfig, flags...)
}

// startLeader is start, and waits until the new Curfew leads.
func (s *space) startLeader(flags ...string) *harness.Curfew {
	s.Helper()
	curfew := s.start(flags...)
	s.must(curfew.AwaitReady(s.ctx))
	s.must(curfew.AwaitLeader(s.ctx))
	return curfew
}

// leaseDuration is how long a dead leader is waited for. The default, 15 s, is
// for clusters larger than a test.
const leaseDuration = 4 * time.Second

func (s *space) startWith(kubeconfig string, flags ...string) *harness.Curfew {
	s.Helper()
	binary, err := program()
	s.must(err)
	return s.startProgram(binary, kubeconfig, flags...)
}

// startIn is startWith for a Curfew with more in its environment.
func (s *space) startIn(environment, kubeconfig string, flags ...string) *harness.Curfew {
	s.Helper()
	binary, err := program()
	s.must(err)
	script := s.TempDir() + "/curfew"
	s.must(os.WriteFile(script, []byte("#!/bin/sh\nexec env "+environment+" "+binary+" \"$@\"\n"), 0o700))
	return s.startProgram(script, kubeconfig, flags...)
}

func (s *space) startProgram(binary, kubeconfig string, flags ...string) *harness.Curfew {
	s.Helper()
	flags = append([]string{
		"--namespace=" + s.namespace,
		"--leader-elect-resource-namespace=" + s.home,
		fmt.Sprint("--leader-elect-lease-duration=", leaseDuration),
		fmt.Sprint("--leader-elect-renew-deadline=", leaseDuration*3/4),
		"--leader-elect-retry-period=500ms",
	}, flags...)
	curfew, err := harness.Run(binary, kubeconfig, s.home, flags...)
	s.must(err)
	s.Cleanup(func() {
		curfew.Kill()
		if curfew.Log.Contains(dataRace) {
			s.Error("the race detector has found something")
		}
		if s.Failed() {
			s.Logf("what the Curfew with process id %d said:\n%s", curfew.PID(), curfew.Log)
		}
	})
	return curfew
}

// create makes a Deployment and returns it as the server has it.
func (s *space) create(name string, size int32, curfew annotations) *appsv1.Deployment {
	s.Helper()
	deployment := harness.NewDeployment(name, size, curfew)
	maps.Copy(deployment.Labels, s.labels)
	created, err := s.deployments().Create(s.ctx, deployment, metav1.CreateOptions{})
	s.must(err)
	return created
}

func (s *space) get(name string) *appsv1.Deployment {
	s.Helper()
	deployment, err := s.deployments().Get(s.ctx, name, metav1.GetOptions{})
	s.must(err)
	return deployment
}

func (s *space) deployments() deploymentClient {
	return s.cluster.Client.AppsV1().Deployments(s.namespace)
}

// await waits until the Deployment satisfies a condition.
func (s *space) await(name, word string, condition func(*appsv1.Deployment) bool) *appsv1.Deployment {
	s.Helper()
	deployment, err := s.cluster.AwaitDeployment(s.ctx, s.namespace, name, name+": "+word, condition)
	s.must(err)
	return deployment
}

// awaitSize waits until the Deployment asks for so many replicas.
func (s *space) awaitSize(name string, size int32) *appsv1.Deployment {
	s.Helper()
	return s.await(name, fmt.Sprintf("size %d", size), func(d *appsv1.Deployment) bool { return harness.Size(d) == size })
}

// awaitState waits until Curfew's status says "window", "normal" or "invalid".
func (s *space) awaitState(name, state string) *appsv1.Deployment {
	s.Helper()
	return s.await(name, "state "+state, func(d *appsv1.Deployment) bool {
		status := harness.StatusOf(d)
		return status != nil && status.State == state
	})
}

// awaitEvent waits until Curfew has told that reason about the Deployment.
func (s *space) awaitEvent(name, reason string) *eventsv1.Event {
	s.Helper()
	event, err := s.cluster.AwaitEvent(s.ctx, s.namespace, fmt.Sprintf("event %s on %s", reason, name), func(e *eventsv1.Event) bool {
		return e.Regarding.Name == name && e.Reason == reason
	})
	s.must(err)
	if event.ReportingController != "curfew" || event.Regarding.Kind != "Deployment" {
		s.Errorf("event %s comes from %q about a %q, want curfew and Deployment", reason, event.ReportingController, event.Regarding.Kind)
	}
	return event
}

// kubectl runs the real one as the admin, with the words of a shell command.
func (s *space) kubectl(words string) string {
	s.Helper()
	return s.kubectlInput("", words)
}

// kubectlInput is kubectl with an input. Where kubectl reads before it writes, the
// Deployment controller may write in between; then it is run again, as anybody would.
func (s *space) kubectlInput(input, words string) string {
	s.Helper()
	arguments := append([]string{"--kubeconfig", s.cluster.Kubeconfig, "--namespace", s.namespace}, strings.Fields(words)...)
	for {
		command := exec.CommandContext(s.ctx, s.cluster.Kubectl, arguments...)
		command.Stdin = strings.NewReader(input)
		output, err := command.CombinedOutput()
		if err == nil {
			return string(output)
		}
		if !strings.Contains(string(output), "the object has been modified") {
			s.Fatalf("kubectl %s: %v\n%s", words, err, output)
		}
	}
}

// update changes a Deployment as its owner would in an editor.
func (s *space) update(name string, change func(*appsv1.Deployment)) {
	s.Helper()
	s.must(s.tryUpdate(name, change))
}

func (s *space) tryUpdate(name string, change func(*appsv1.Deployment)) error {
	for {
		deployment, err := s.deployments().Get(s.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(deployment)
		_, err = s.deployments().Update(s.ctx, deployment, metav1.UpdateOptions{FieldManager: "somebody-else"})
		if err == nil || !isConflict(err) {
			return err
		}
	}
}

// sleepUntil lets time pass. Only for what cannot be awaited: a boundary that
// nobody is there to keep.
func (s *space) sleepUntil(t time.Time) {
	s.Helper()
	select {
	case <-time.After(time.Until(t)):
	case <-s.ctx.Done():
		s.Fatal(context.Cause(s.ctx))
	}
}

// settle leaves time for something that must not happen: one write too many.
func (s *space) settle() {
	s.Helper()
	s.sleepUntil(time.Now().Add(2 * time.Second))
}

// each calls do with 0 to n-1, some at a time.
func (s *space) each(n int, do func(int) error) {
	s.Helper()
	next := make(chan int)
	failed := make(chan error, n)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					failed <- err
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	close(failed)
	for err := range failed {
		s.Fatal(err)
	}
}
