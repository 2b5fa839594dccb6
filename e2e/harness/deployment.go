package harness

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The annotations under test, written out here because they are a promise to
// users: a test that took them from the code would not notice a change.
const (
	Prefix     = "curfew/"
	Windows    = Prefix + "windows"
	Timezone   = Prefix + "timezone"
	Replicas   = Prefix + "replicas"
	Override   = Prefix + "override"
	Paused     = Prefix + "paused"
	Grace      = Prefix + "grace"
	Wave       = Prefix + "wave"
	Lead       = Prefix + "lead"
	Spread     = Prefix + "spread"
	Status     = Prefix + "status"
	Remembered = Prefix + "remembered-replicas"
)

// ReadyAfter is the annotation of a pod that the stand-in kubelet makes ready
// after so long, "2s", or "never".
const ReadyAfter = "e2e.curfew/ready-after"

// NewDeployment is a Deployment of a container that would do nothing, with
// labels, annotations and a template that are none of Curfew's business.
func NewDeployment(name string, replicas int32, annotations map[string]string) *appsv1.Deployment {
	annotations = maps.Clone(annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["example.com/owner"] = "somebody else"
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations, Labels: maps.Clone(labels)},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: map[string]string{"example.com/build": "17"}},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "pause", Image: "registry.k8s.io/pause:3.10", Env: []corev1.EnvVar{{Name: "COLOUR", Value: "blue"}},
				}}},
			},
		},
	}
}

// Size is the number of replicas the Deployment asks for.
func Size(d *appsv1.Deployment) int32 {
	if d.Spec.Replicas == nil {
		return 1
	}
	return *d.Spec.Replicas
}

// StatusOf is Curfew's status annotation, read. It is nil if there is none, or
// none that can be read.
func StatusOf(d *appsv1.Deployment) *WorkloadStatus {
	return ParseStatus(d.Annotations[Status])
}

// ParseStatus reads a status annotation. It is nil if it cannot be read.
func ParseStatus(text string) *WorkloadStatus {
	var status WorkloadStatus
	if json.Unmarshal([]byte(text), &status) != nil {
		return nil
	}
	return &status
}

// WorkloadStatus is the content of the status annotation.
type WorkloadStatus struct {
	State   string // "window", "normal" or "invalid"
	Size    *int32 // nil: Curfew keeps its hands off
	Normal  *int32
	Rule    string
	Until   string
	Message string
}

// ForeignChanges tells what differs between two states of a Deployment that
// Curfew has no business to change, nor the server to count: everything but the
// size and Curfew's own annotations. It is empty if nothing does.
func ForeignChanges(before, after *appsv1.Deployment) string {
	return cmp.Diff(foreign(before), foreign(after))
}

func foreign(d *appsv1.Deployment) *appsv1.Deployment {
	d = d.DeepCopy()
	d.Spec.Replicas = nil
	d.Status = appsv1.DeploymentStatus{}
	d.ResourceVersion, d.Generation, d.ManagedFields = "", 0, nil
	maps.DeleteFunc(d.Annotations, func(key, _ string) bool {
		return strings.HasPrefix(key, Prefix) || key == "deployment.kubernetes.io/revision"
	})
	return d
}
