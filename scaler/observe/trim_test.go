package observe

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

func fields(manager, subresource, json string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Subresource: subresource, FieldsV1: metav1.NewFieldsV1(json)}
}

const ownsSize = `{"f:spec":{"f:replicas":{},"f:template":{}}}`

func TestTrimKeepsWhatIsRead(t *testing.T) {
	full := &appsv1.Deployment{}
	full.Name, full.UID, full.Spec.Replicas = "web", "uid-1", ptr.To[int32](3)
	full.Annotations = map[string]string{annotation.Windows: "always = 0", "kubectl.kubernetes.io/last-applied-configuration": "{…}"}
	full.ResourceVersion, full.Labels = "7", map[string]string{"a": "b"}
	full.Generation, full.Status.ObservedGeneration, full.Status.AvailableReplicas = 4, 3, 2
	full.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c"}}
	full.ManagedFields = []metav1.ManagedFieldsEntry{
		fields("helm", "", ownsSize),
		fields("labels", "", `{"f:metadata":{"f:labels":{"f:replicas":{}}}}`),
		fields("template", "", `{"f:spec":{"f:template":{"f:metadata":{"f:labels":{"f:replicas":{}}}}}}`),
		fields("kube-controller-manager", "status", `{"f:status":{"f:replicas":{}}}`),
		{Manager: "nothing"},
	}
	out, err := Trim(full)
	if err != nil {
		t.Fatal(err)
	}
	d := out.(*appsv1.Deployment)
	if again, err := Trim(d); err != nil || !equality.Semantic.DeepEqual(again, d) {
		t.Errorf("trimmed again: %+v, %v", again, err)
	}
	if d.Name != "web" || d.UID != "uid-1" || d.ResourceVersion != "7" || *d.Spec.Replicas != 3 || len(d.Annotations) != 1 {
		t.Errorf("%+v", d)
	}
	if d.Generation != 4 || d.Status.ObservedGeneration != 3 || d.Status.AvailableReplicas != 2 {
		t.Errorf("whether it is up is lost: %+v", d)
	}
	if d.Labels != nil || d.Spec.Template.Spec.Containers != nil {
		t.Error("what is not read is kept")
	}
	if len(d.ManagedFields) != 1 || d.ManagedFields[0].Manager != "helm" {
		t.Errorf("owners of the size: %+v", d.ManagedFields)
	}
	if other, err := Trim(&corev1.Pod{}); err != nil || other == nil {
		t.Error("another type does not pass")
	}
}

func TestWriterOf(t *testing.T) {
	entry := func(manager, subresource string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Subresource: subresource}
	}
	for name, c := range map[string]struct {
		owners []metav1.ManagedFieldsEntry
		want   decide.Writer
	}{
		"nobody":                  {nil, decide.Writer{}},
		"Curfew":                  {[]metav1.ManagedFieldsEntry{entry("curfew", "")}, decide.Writer{Manager: "curfew", Curfew: true}},
		"kubectl scale":           {[]metav1.ManagedFieldsEntry{entry("kubectl", "scale")}, decide.Writer{Manager: "kubectl", Scale: true}},
		"a scale called curfew":   {[]metav1.ManagedFieldsEntry{entry("curfew", "scale")}, decide.Writer{Manager: "curfew", Scale: true}},
		"Curfew and a manifest":   {[]metav1.ManagedFieldsEntry{entry("curfew", ""), entry("argocd", "")}, decide.Writer{Manager: "argocd"}},
		"a manifest and a scaler": {[]metav1.ManagedFieldsEntry{entry("argocd", ""), entry("hpa", "scale")}, decide.Writer{Manager: "argocd"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := WriterOf(c.owners); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
