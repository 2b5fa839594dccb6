package faults_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// stage is a namespace for one scenario, with all that a Curfew of its own needs.
type stage struct {
	testing.TB
	ctx       context.Context
	cluster   *cluster.Cluster
	namespace string
}

var stages atomic.Int64

func newStage(t testing.TB) *stage {
	t.Helper()
	c, err := startedCluster()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := program(); err != nil { // here, for a compiler needs more patience
		t.Fatal(err)
	}
	const patience = 6 * time.Minute
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, fmt.Errorf("nothing more after %v", patience))
	t.Cleanup(cancel)
	s := &stage{TB: t, ctx: ctx, cluster: c, namespace: fmt.Sprint("faults-", stages.Add(1))}
	_, err = c.Client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}, metav1.CreateOptions{})
	s.must(err)
	s.must(harness.Install(ctx, c, "deploy/namespaced", s.namespace))
	return s
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// wire is a network between a Curfew and the API server.
func (s *stage) wire() *harness.Wire {
	s.Helper()
	wire, err := harness.NewWire(s.cluster)
	s.must(err)
	s.Cleanup(wire.Close)
	return wire
}

// proxy is something that answers a Curfew in place of the API server.
func (s *stage) proxy() *harness.Proxy {
	s.Helper()
	proxy, err := harness.NewProxy(s.cluster, func(*http.Request) {})
	s.must(err)
	s.Cleanup(proxy.Close)
	return proxy
}

// quick are flags for a lease that does not keep a test waiting.
var quick = []string{"--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=500ms"}

// usual are the flags of the lease that a user has: 15 s, 10 s and 2 s.
var usual []string

// kubeconfig is one with Curfew's own rights, by a wire or a proxy, or directly
// if that is nil.
func (s *stage) kubeconfig(by interface {
	WriteKubeconfig(ctx context.Context, c *cluster.Cluster, namespace, path string) error
}) string {
	s.Helper()
	path := s.TempDir() + "/kubeconfig"
	if by == nil {
		s.must(harness.WriteKubeconfig(s.ctx, s.cluster, s.namespace, path))
	} else {
		s.must(by.WriteKubeconfig(s.ctx, s.cluster, s.namespace, path))
	}
	return path
}

// start runs a Curfew for this namespace. It is killed with the test.
func (s *stage) start(kubeconfig string, flags ...string) *harness.Curfew {
	s.Helper()
	curfew, err := s.tryStart(kubeconfig, flags...)
	s.must(err)
	return curfew
}

func (s *stage) tryStart(kubeconfig string, flags ...string) (*harness.Curfew, error) {
	binary, err := program()
	if err != nil {
		return nil, err
	}
	return s.startProgram(binary, kubeconfig, flags...)
}

func (s *stage) startProgram(binary, kubeconfig string, flags ...string) (*harness.Curfew, error) {
	flags = append([]string{"--namespace=" + s.namespace, "--leader-elect-resource-namespace=" + s.namespace}, flags...)
	curfew, err := harness.Run(binary, kubeconfig, s.namespace, flags...)
	if err != nil {
		return nil, err
	}
	s.Cleanup(func() {
		curfew.Kill()
		if curfew.Log.Contains("WARNING: DATA RACE") {
			s.Error("the race detector has found something")
		}
		if s.Failed() {
			s.Logf("what the Curfew with process id %d said:\n%s", curfew.PID(), curfew.Log)
		}
	})
	return curfew, nil
}

// leader waits until a Curfew is ready and leads.
func (s *stage) leader(curfew *harness.Curfew) *harness.Curfew {
	s.Helper()
	s.must(errors.Join(curfew.AwaitReady(s.ctx), curfew.AwaitLeader(s.ctx)))
	return curfew
}

// kubelet keeps a Curfew running.
func (s *stage) kubelet(kubeconfig string, flags ...string) *harness.Kubelet {
	s.Helper()
	kubelet, err := harness.NewKubelet(func() (*harness.Curfew, error) { return s.tryStart(kubeconfig, flags...) })
	s.must(err)
	s.Cleanup(kubelet.Stop)
	return kubelet
}

// create makes a Deployment of 3 with a rule, and returns it as it is when Curfew has seen it.
func (s *stage) create(name, windows string) *appsv1.Deployment {
	s.Helper()
	s.put(name, windows)
	// The Deployment controller has its annotation, too.
	return s.await(name, "a status", func(d *appsv1.Deployment) bool {
		return harness.StatusOf(d) != nil && d.Annotations["deployment.kubernetes.io/revision"] != ""
	})
}

// put is create, and waits for nobody.
func (s *stage) put(name, windows string) {
	s.Helper()
	deployment := harness.NewDeployment(name, 3, map[string]string{harness.Windows: windows})
	_, err := s.cluster.Client.AppsV1().Deployments(s.namespace).Create(s.ctx, deployment, metav1.CreateOptions{})
	s.must(err)
}

func (s *stage) await(name, word string, condition func(*appsv1.Deployment) bool) *appsv1.Deployment {
	s.Helper()
	deployment, err := s.cluster.AwaitDeployment(s.ctx, s.namespace, name, name+": "+word, condition)
	s.must(err)
	return deployment
}

func (s *stage) awaitSize(name string, size int32) {
	s.Helper()
	s.await(name, fmt.Sprint("size ", size), func(d *appsv1.Deployment) bool { return harness.Size(d) == size })
}

// stays checks that a Curfew is still there, and well.
func (s *stage) stays(curfew *harness.Curfew) {
	s.Helper()
	if code, ended := curfew.Ended(); ended {
		s.Errorf("it has ended, with exit code %d", code)
	} else if err := curfew.Healthy(s.ctx); err != nil {
		s.Errorf("it is not healthy: %v", err)
	}
}

// leaves checks that a Curfew ends with an exit code that says that it failed.
func (s *stage) leaves(curfew *harness.Curfew) {
	s.Helper()
	code, err := curfew.Wait(s.ctx)
	s.must(err)
	if code == 0 {
		s.Error("exit code 0, want another")
	}
}

// leftOnly checks that a kubelet's Curfew ended so often, each time as one that
// failed, and that it is well now.
func (s *stage) leftOnly(kubelet *harness.Kubelet, times int) {
	s.Helper()
	exits, err := kubelet.Exits()
	s.must(err)
	if len(exits) > times {
		s.Errorf("it has ended %d times, want at the most %d", len(exits), times)
	}
	for _, code := range exits {
		if code != 1 {
			s.Errorf("exit code %d, want 1", code)
		}
	}
	s.stays(kubelet.Current())
}

// judge passes judgement.
func (s *stage) judge(k harness.Case) {
	s.Helper()
	k.Home = s.namespace
	verdict, err := harness.Judge(s.ctx, s.cluster, k)
	s.Logf("%s: %s", k.Before.Name, verdict)
	if err != nil {
		s.Errorf("%s: %v", k.Before.Name, err)
		for _, write := range verdict.Refused {
			s.Logf("refused: %s", write)
		}
	}
}

// scale changes the size as kubectl scale does.
func (s *stage) scale(name string, size int32) {
	s.Helper()
	scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name}, Spec: autoscalingv1.ScaleSpec{Replicas: size}}
	_, err := s.cluster.Client.AppsV1().Deployments(s.namespace).UpdateScale(s.ctx, name, scale, metav1.UpdateOptions{FieldManager: "kubectl"})
	s.must(err)
}

// sleepUntil lets time pass up to a moment that the scenario is about.
func (s *stage) sleepUntil(t time.Time) {
	s.Helper()
	select {
	case <-time.After(time.Until(t)):
	case <-s.ctx.Done():
		s.Fatal(context.Cause(s.ctx))
	}
}

// settle leaves time for something that must not happen: one write too many.
func (s *stage) settle() {
	s.Helper()
	s.sleepUntil(time.Now().Add(2 * time.Second))
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
