package bench

import (
	"fmt"
	"time"
	_ "time/tzdata" // half of the objects name a zone

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"curfew/e2e/harness"
)

// perNamespace is how many Deployments a namespace holds.
const perNamespace = 100

// schedules is how many different texts of the rules there are: what a company
// agrees on, and some who agreed on something else.
const schedules = 20

// berlin is the zone that half of the objects name.
const berlin = "Europe/Berlin"

func namespaceOf(i int) string { return fmt.Sprintf("team-%03d", i/perNamespace) }

func nameOf(i int) string { return fmt.Sprintf("service-%05d", i) }

// sizeOf is the normal size of an object: given with curfew/replicas for every
// other one, and to be remembered for the rest.
func sizeOf(i int) int32 { return int32(1 + i%4) }

// rules are three rules that hold an object at 0 in the window, and otherwise
// leave it at its normal size.
func rules(i int, window harness.Window) map[string]string {
	annotations := map[string]string{}
	if i%2 == 0 {
		annotations[harness.Replicas] = fmt.Sprint(sizeOf(i))
	}
	if zone, err := time.LoadLocation(berlin); err == nil && i%schedules < schedules/2 {
		annotations[harness.Timezone] = berlin
		window = harness.Window{Start: window.Start.In(zone), End: window.End.In(zone)}
	}
	// In the year after next, so that the holidays are only looked for.
	holidays := fmt.Sprintf("%d-07-%02d..%[1]d-08-31 = 0", window.Start.Year()+2, 1+i%schedules)
	annotations[harness.Windows] = fmt.Sprintf("%s\n%s\nalways = normal", holidays, window.Rule("0"))
	return annotations
}

// manifest is a Deployment as a GitOps tool applies it: three containers with
// all that goes with them, and some forty labels and annotations.
func manifest(i int, window harness.Window) *appsv1.Deployment {
	name := nameOf(i)
	labels := map[string]string{
		"app.kubernetes.io/name": name, "app.kubernetes.io/instance": name + "-production", "app.kubernetes.io/version": "2026.11.3",
		"app.kubernetes.io/component": "backend", "app.kubernetes.io/part-of": namespaceOf(i), "app.kubernetes.io/managed-by": "Helm",
		"helm.sh/chart": "service-7.4.1", "argocd.argoproj.io/instance": namespaceOf(i) + "-production",
	}
	annotations := rules(i, window)
	annotations["argocd.argoproj.io/tracking-id"] = fmt.Sprintf("%s:apps/Deployment:%s/%s", namespaceOf(i), namespaceOf(i), name)
	annotations["meta.helm.sh/release-name"], annotations["meta.helm.sh/release-namespace"] = name, namespaceOf(i)
	for j := range 12 {
		labels[fmt.Sprintf("company.example/label-%02d", j)] = fmt.Sprintf("value-%d-%d", j, i%7)
	}
	for j := range 17 {
		annotations[fmt.Sprintf("company.example/annotation-%02d", j)] = fmt.Sprintf("https://wiki.company.example/%s/%d", name, j)
	}
	pods := map[string]string{"app.kubernetes.io/name": name, "app.kubernetes.io/instance": name + "-production"}
	size := sizeOf(i)
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(i), Name: name, Labels: labels, Annotations: annotations},
		Spec: appsv1.DeploymentSpec{
			Replicas: &size,
			Selector: &metav1.LabelSelector{MatchLabels: pods},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pods, Annotations: map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "9090"}},
				Spec: corev1.PodSpec{
					ServiceAccountName: name,
					Containers:         []corev1.Container{container("service"), container("proxy"), container("log-shipper")},
					Volumes: []corev1.Volume{{Name: "configuration", VolumeSource: corev1.VolumeSource{
						ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}},
					}}},
				},
			},
		},
	}
}

func container(name string) corev1.Container {
	var env []corev1.EnvVar
	for _, key := range []string{"DATABASE_URL", "CACHE_URL", "LOG_LEVEL", "REGION", "FEATURES", "OTEL_EXPORTER_OTLP_ENDPOINT", "JAVA_TOOL_OPTIONS", "TZ"} {
		env = append(env, corev1.EnvVar{Name: key, Value: "value-of-" + key})
	}
	amounts := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	}
	probe := func(path string) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("http")}},
			PeriodSeconds: 5, TimeoutSeconds: 2,
		}
	}
	return corev1.Container{
		Name: name, Image: "registry.company.example/" + name + ":2026.11.3", Env: env,
		Ports:          []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
		Resources:      corev1.ResourceRequirements{Requests: amounts("100m", "256Mi"), Limits: amounts("1", "512Mi")},
		ReadinessProbe: probe("/ready"), LivenessProbe: probe("/live"),
		VolumeMounts: []corev1.VolumeMount{{Name: "configuration", MountPath: "/etc/service"}},
	}
}

// controllerStatus is what kube-controller-manager writes to a Deployment that is
// up.
func controllerStatus(i int) any {
	size := sizeOf(i)
	now := metav1.Now()
	condition := func(kind appsv1.DeploymentConditionType, reason, message string) appsv1.DeploymentCondition {
		return appsv1.DeploymentCondition{Type: kind, Status: corev1.ConditionTrue, Reason: reason, Message: message, LastUpdateTime: now, LastTransitionTime: now}
	}
	return map[string]any{
		"metadata": map[string]any{"annotations": map[string]string{"deployment.kubernetes.io/revision": "1"}},
		"status": appsv1.DeploymentStatus{
			ObservedGeneration: 1, Replicas: size, UpdatedReplicas: size, ReadyReplicas: size, AvailableReplicas: size,
			Conditions: []appsv1.DeploymentCondition{
				condition(appsv1.DeploymentAvailable, "MinimumReplicasAvailable", "Deployment has minimum availability."),
				condition(appsv1.DeploymentProgressing, "NewReplicaSetAvailable", fmt.Sprintf("ReplicaSet %q has successfully progressed.", nameOf(i)+"-5d4f8c7b9d")),
			},
		},
	}
}
