package helm

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// node runs what the pods of one namespace ask for, as the kubelet would: the curfew binary, with the pod's own arguments,
// as the pod's own ServiceAccount. The stand-in kubelet of the cluster marks them ready; what ends, and what must be
// started again, is told and done here.
type node struct {
	testing.TB
	ctx       context.Context
	cluster   *cluster.Cluster
	namespace string
	program   string

	mu    sync.Mutex
	pods  map[types.UID]context.CancelFunc
	logs  map[string]*harness.Log // of the last process of a pod, by its name
	group sync.WaitGroup
}

// runPods starts one for the release's namespace, which lives as long as the test.
func (p *place) runPods() {
	p.Helper()
	binary, err := program()
	p.must(err)
	ctx, cancel := context.WithCancel(p.ctx)
	n := &node{TB: p, ctx: ctx, cluster: p.cluster, namespace: p.home, program: binary, pods: map[types.UID]context.CancelFunc{}, logs: map[string]*harness.Log{}}
	factory := informers.NewSharedInformerFactoryWithOptions(p.cluster.Client, 0, informers.WithNamespace(p.home))
	_, err = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    n.see,
		UpdateFunc: func(_, object any) { n.see(object) },
		DeleteFunc: n.forget,
	})
	p.must(err)
	factory.StartWithContext(ctx)
	p.Cleanup(func() {
		cancel()
		factory.Shutdown()
		n.group.Wait()
		if p.Failed() {
			for pod, log := range n.logs {
				p.Logf("what %s said:\n%s", pod, log)
			}
		}
	})
}

func (n *node) see(object any) {
	pod := object.(*corev1.Pod)
	n.mu.Lock()
	defer n.mu.Unlock()
	if pod.Status.Phase != corev1.PodRunning || n.pods[pod.UID] != nil || n.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithCancel(n.ctx)
	n.pods[pod.UID] = cancel
	n.group.Go(func() {
		if err := n.run(ctx, pod); err != nil && n.ctx.Err() == nil {
			n.Errorf("pod %s: %v", pod.Name, err)
		}
	})
}

func (n *node) forget(object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if stop := n.pods[object.(*corev1.Pod).UID]; stop != nil {
		stop()
	}
}

// run runs a pod until it is deleted, or has ended for good.
func (n *node) run(ctx context.Context, pod *corev1.Pod) error {
	kubeconfig := filepath.Join(n.TempDir(), pod.Name)
	if err := harness.WriteKubeconfig(ctx, n.cluster, n.namespace, kubeconfig); err != nil {
		return err
	}
	for {
		curfew, err := harness.Run(n.program, kubeconfig, n.namespace, pod.Spec.Containers[0].Args...)
		if err != nil {
			return err
		}
		n.mu.Lock()
		n.logs[pod.Name] = curfew.Log
		n.mu.Unlock()
		code, err := curfew.Wait(ctx)
		if err != nil { // the pod is gone
			if n.ctx.Err() != nil {
				curfew.Kill()
				return nil
			}
			_, err := curfew.Terminate(n.ctx)
			return err
		}
		if pod.Spec.RestartPolicy == corev1.RestartPolicyNever {
			return n.ended(ctx, pod, code)
		}
	}
}

// ended tells that a pod's container has ended and will not be started again.
func (n *node) ended(ctx context.Context, pod *corev1.Pod, code int) error {
	pods := n.cluster.Client.CoreV1().Pods(n.namespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		now.Status.Phase = corev1.PodSucceeded
		if code != 0 {
			now.Status.Phase = corev1.PodFailed
		}
		for i := range now.Status.ContainerStatuses {
			status := &now.Status.ContainerStatuses[i]
			status.Ready = false
			status.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: int32(code)}}
		}
		_, err = pods.UpdateStatus(ctx, now, metav1.UpdateOptions{})
		return err
	})
}
