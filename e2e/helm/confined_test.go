package helm

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestPodsAreConfined: no pod of the chart has more than it needs, whatever the values: not root, a root that is
// read-only, no capability, a seccomp profile, nothing of the node.
func TestPodsAreConfined(t *testing.T) {
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			r, err := template(load(t), parse(t, set.values), set.apis...)
			if err != nil {
				t.Fatal(err)
			}
			pods := 0
			for document := range strings.SplitSeq(everything(r), "\n---\n") {
				var object struct {
					Kind string
					Spec struct{ Template *corev1.PodTemplateSpec }
				}
				if yaml.Unmarshal([]byte(document), &object) != nil || object.Spec.Template == nil {
					continue
				}
				pods++
				confined(t, object.Kind, object.Spec.Template.Spec)
			}
			if pods == 0 {
				t.Error("there are no pods")
			}
		})
	}
}

func confined(t *testing.T, whose string, pod corev1.PodSpec) {
	t.Helper()
	s := pod.SecurityContext
	if s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.RunAsUser == nil || *s.RunAsUser == 0 ||
		s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%s: the pod has %+v", whose, s)
	}
	if pod.HostNetwork || pod.HostPID || pod.HostIPC || len(pod.InitContainers) > 0 {
		t.Errorf("%s: the pod has something of the node", whose)
	}
	for _, volume := range pod.Volumes {
		if volume.HostPath != nil {
			t.Errorf("%s: the pod mounts %s", whose, volume.HostPath.Path)
		}
	}
	for _, container := range pod.Containers {
		c := container.SecurityContext
		if c == nil || c.ReadOnlyRootFilesystem == nil || !*c.ReadOnlyRootFilesystem || c.AllowPrivilegeEscalation == nil || *c.AllowPrivilegeEscalation ||
			c.Capabilities == nil || len(c.Capabilities.Drop) != 1 || c.Capabilities.Drop[0] != "ALL" || len(c.Capabilities.Add) > 0 || c.Privileged != nil {
			t.Errorf("%s: the container has %+v", whose, c)
		}
	}
}
