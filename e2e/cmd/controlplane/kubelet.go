package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// readyAfter is the annotation of a pod that takes its time: "2s", or "never".
const readyAfter = "e2e.curfew/ready-after"

// newKubeletCommand runs a stand-in for the scheduler and the kubelet: it marks
// every pod running and ready, at once or when it says, and runs nothing.
func newKubeletCommand() *cobra.Command {
	var kubeconfig string
	var only bool
	command := &cobra.Command{
		Use:          "kubelet",
		SilenceUsage: true,
		RunE: func(command *cobra.Command, _ []string) error {
			return markPodsReady(command.Context(), kubeconfig, only)
		},
	}
	command.Flags().StringVar(&kubeconfig, "kubeconfig", "", "how to reach the API server")
	command.Flags().BoolVar(&only, "only-who-say-when", false, "leave the pods alone that have no annotation "+readyAfter)
	return command
}

func markPodsReady(ctx context.Context, kubeconfig string, only bool) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 200, 400
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	mark := func(pod *corev1.Pod) {
		_, err := client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, ready(pod), metav1.UpdateOptions{})
		if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			fmt.Fprintln(os.Stderr, "stand-in kubelet:", err)
		}
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Lister()
	var slow sync.Map // by UID: those that are waited for
	handle := func(object any) {
		pod, ok := object.(*corev1.Pod)
		if !ok || !pending(pod) {
			return
		}
		wait, ok := pod.Annotations[readyAfter]
		if !ok {
			if !only {
				mark(pod)
			}
			return
		}
		after, err := time.ParseDuration(wait)
		if err != nil { // never
			return
		}
		if _, known := slow.LoadOrStore(pod.UID, true); known {
			return
		}
		time.AfterFunc(after, func() {
			slow.Delete(pod.UID)
			if now, err := pods.Pods(pod.Namespace).Get(pod.Name); err == nil && now.UID == pod.UID && pending(now) {
				mark(now)
			}
		})
	}
	_, err = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    handle,
		UpdateFunc: func(_, object any) { handle(object) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	<-ctx.Done()
	return nil
}

func pending(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodPending && pod.DeletionTimestamp == nil
}

// ready is a copy of pod with the status a kubelet would give it once all its
// containers have started.
func ready(pod *corev1.Pod) *corev1.Pod {
	pod = pod.DeepCopy()
	now := metav1.Now()
	pod.Status = corev1.PodStatus{
		Phase:     corev1.PodRunning,
		StartTime: &now,
		PodIP:     "10.244.0.1",
		PodIPs:    []corev1.PodIP{{IP: "10.244.0.1"}},
	}
	for _, condition := range []corev1.PodConditionType{
		corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady,
	} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
			Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: now,
		})
	}
	started := true
	for _, container := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: true, Started: &started,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	return pod
}
