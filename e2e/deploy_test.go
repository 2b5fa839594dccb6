package e2e_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/harness"
)

// TestDeploy: the API server accepts what is in deploy/, and lets the pods that
// its Deployment asks for into its namespace, which is a restricted one.
func TestDeploy(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"deploy", "deploy/namespaced"} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			s := newNamespace(t)
			objects, err := harness.Render(s.cluster, folder, s.namespace)
			s.must(err)
			var kinds []string
			for _, object := range objects {
				kinds = append(kinds, object.GetKind())
				if object.GetKind() == "ClusterRoleBinding" || object.GetKind() == "ClusterRole" {
					object.SetName(s.namespace) // not that of the other tests
					continue
				}
				if object.GetKind() == "ValidatingAdmissionPolicyBinding" { // what it says of others is not for their tests
					object.SetName(s.namespace)
					selector := map[string]any{"matchLabels": map[string]any{corev1.LabelMetadataName: s.namespace}}
					s.must(unstructured.SetNestedField(object.Object, selector, "spec", "matchResources", "namespaceSelector"))
					continue
				}
				if object.GetKind() != "Deployment" {
					continue
				}
				defer func() {
					var deployment appsv1.Deployment
					s.must(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &deployment))
					template := deployment.Spec.Template
					pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
					pod.Name = "curfew-0"
					_, err := s.cluster.Client.CoreV1().Pods(s.namespace).Create(s.ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
					s.must(err)
				}()
			}
			for _, kind := range []string{"Namespace", "ServiceAccount", "Role", "RoleBinding", "Deployment", "PodDisruptionBudget"} {
				if !slices.Contains(kinds, kind) {
					t.Errorf("%s has no %s", folder, kind)
				}
			}
			if clusterWide := slices.Contains(kinds, "ClusterRole"); clusterWide != (folder == "deploy") {
				t.Errorf("%s has %v", folder, kinds)
			}
			s.must(harness.Apply(s.ctx, s.cluster, objects))
		})
	}
}

// TestOwnDeployment: Curfew's own Deployment is never touched, whatever it says.
func TestOwnDeployment(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	s.startLeader("--workers=1")
	s.kubectlInput(`{"metadata": {"annotations": {"curfew/windows": "always = 0"}}}`, "patch deployment/curfew --type=merge --patch-file=/dev/stdin")
	s.create("later", 3, annotations{harness.Windows: "always = 0"})
	s.awaitSize("later", 0)
	s.settle()
	s.curfewDid("curfew")
	s.curfewDid("later", step{size: 0})
}
