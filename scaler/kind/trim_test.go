package kind

import (
	"strings"
	"testing"
	"unsafe"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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
	full.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c"}}
	full.ManagedFields = []metav1.ManagedFieldsEntry{
		fields("helm", "", ownsSize),
		fields("labels", "", `{"f:metadata":{"f:labels":{"f:replicas":{}}}}`),
		fields("template", "", `{"f:spec":{"f:template":{"f:metadata":{"f:labels":{"f:replicas":{}}}}}}`),
		fields("kube-controller-manager", "status", `{"f:status":{"f:replicas":{}}}`),
		{Manager: "nothing"},
	}
	out, err := Deployment.Trim(full)
	if err != nil {
		t.Fatal(err)
	}
	o := out.(*Object)
	if again, err := Deployment.Trim(o); err != nil || again != out { // an informer may ask twice
		t.Errorf("trimmed again: %+v, %v", again, err)
	}
	if o.Name != "web" || o.UID != "uid-1" || o.ResourceVersion != "7" || o.Size != 3 || len(o.Annotations) != 1 || o.Writer != (decide.Writer{Manager: "helm"}) {
		t.Errorf("%+v", o)
	}
	if o.Labels != nil || o.ManagedFields != nil {
		t.Error("what is not read is kept")
	}
}

// TestTrimSharesTexts: what thousands of objects say alike is there once.
func TestTrimSharesTexts(t *testing.T) {
	trim := func(name string) *Object {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: strings.Clone("shop"),
			Annotations: map[string]string{annotation.Windows: strings.Clone("always = 0")}}}
		d.ManagedFields = []metav1.ManagedFieldsEntry{fields(strings.Clone("helm"), "", ownsSize)}
		out, err := Deployment.Trim(d)
		if err != nil {
			t.Fatal(err)
		}
		return out.(*Object)
	}
	a, b := trim("a"), trim("b")
	for name, texts := range map[string][2]string{
		"namespace": {a.Namespace, b.Namespace},
		"rules":     {a.Annotations[annotation.Windows], b.Annotations[annotation.Windows]},
		"manager":   {a.Writer.Manager, b.Writer.Manager},
	} {
		if unsafe.StringData(texts[0]) != unsafe.StringData(texts[1]) {
			t.Errorf("%s: %q is there twice", name, texts[0])
		}
	}
}

func TestWriter(t *testing.T) {
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
			if got := writerOf(c.owners); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
