package cluster_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/e2e/cluster"
)

// TestCluster shows what the other tests take for granted: the controllers act
// on a Deployment, kubectl works, the audit log tells who did what with which
// body, and the API server can be taken away and given back.
func TestCluster(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	c, err := cluster.Start(ctx, cluster.Options{Output: os.Stderr, Kubelet: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()

	deployments := c.Client.AppsV1().Deployments("default")
	if _, err := deployments.Create(ctx, threePods("web"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	available := func(n int32) func(*appsv1.Deployment) bool {
		return func(d *appsv1.Deployment) bool { return d.Status.AvailableReplicas == n }
	}
	if _, err := c.AwaitDeployment(ctx, "default", "web", "three pods", available(3)); err != nil {
		t.Fatal(err)
	}

	kubectl := exec.CommandContext(ctx, c.Kubectl, "--kubeconfig", c.Kubeconfig, "scale", "deployment/web", "--replicas=5")
	if out, err := kubectl.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", kubectl, err, out)
	}
	scales, err := c.Audit(ctx, cluster.Writes, cluster.To("deployments"), cluster.Named("web"), func(r cluster.Request) bool { return r.Subresource == "scale" })
	if err != nil {
		t.Fatal(err)
	}
	if len(scales) != 1 || scales[0].User != cluster.Admin || !strings.Contains(string(scales[0].Body), `"replicas":5`) {
		t.Errorf("the audit log has not exactly one scale to 5 by the admin: %v", scales)
	}
	if _, err := c.AwaitDeployment(ctx, "default", "web", "five pods", available(5)); err != nil {
		t.Fatal(err)
	}

	if err := c.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	if _, err := deployments.Get(ctx, "web", metav1.GetOptions{}); err == nil {
		t.Error("the API server still answers")
	}
	if err := c.StartAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	if d, err := deployments.Get(ctx, "web", metav1.GetOptions{}); err != nil || *d.Spec.Replicas != 5 {
		t.Errorf("after a restart of the API server: %v, %v", d, err)
	}
	if _, err := c.Audit(ctx); err != nil {
		t.Errorf("the audit log does not survive a restart of the API server: %v", err)
	}
}

func threePods(name string) *appsv1.Deployment {
	replicas := int32(3)
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "pause", Image: "pause"}}},
			},
		},
	}
}
