package kinds_test

import (
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"curfew/e2e/harness"
)

// row is a kind: how its objects look, and what a size is there.
type row struct {
	resource schema.GroupVersionResource
	kind     string
	manifest func(name string) any // as its owner writes it, at its normal size
	rule     string                // the size that a window asks for
	awake    string                // what the object has at its normal size,
	asleep   string                // and in the window
	// size reads that, and path says which fields it is made of.
	size func(*unstructured.Unstructured) string
	path []string
	// drift is how somebody changes the size in a window without a word on what
	// is normal, if that can be: a subresource, the type of a patch, and the patch.
	drift patch
	// mistake is a rule that is wrong for the kind, besides those that are wrong
	// everywhere. "" if there is none.
	mistake string
	// later are Curfew's own annotations besides the usual ones.
	later []string
}

type patch struct{ subresource, body string }

// flag is what --kinds calls it.
func (r row) flag() string { return r.resource.GroupResource().String() }

// scaled is a row of a kind whose size is spec.replicas.
func scaled(group, version, resource, kind string, manifest func(name string) any) row {
	return row{
		resource: schema.GroupVersionResource{Group: group, Version: version, Resource: resource}, kind: kind, manifest: manifest,
		rule: "0", awake: "3", asleep: "0", path: []string{".spec.replicas"},
		size:    func(u *unstructured.Unstructured) string { return text(u, "spec", "replicas") },
		drift:   patch{"scale", `{"spec":{"replicas":2}}`},
		mistake: "12..40",
	}
}

// rows are all kinds.
var rows = []row{
	scaled("apps", "v1", "deployments", "Deployment", func(name string) any { return harness.NewDeployment(name, 3, nil) }),
	scaled("apps", "v1", "statefulsets", "StatefulSet", func(name string) any {
		d := harness.NewDeployment(name, 3, nil)
		return &appsv1.StatefulSet{ObjectMeta: d.ObjectMeta, Spec: appsv1.StatefulSetSpec{
			Replicas: d.Spec.Replicas, Selector: d.Spec.Selector, Template: d.Spec.Template, ServiceName: name,
		}}
	}),
	scaled("apps", "v1", "replicasets", "ReplicaSet", func(name string) any {
		d := harness.NewDeployment(name, 3, nil)
		return &appsv1.ReplicaSet{ObjectMeta: d.ObjectMeta, Spec: appsv1.ReplicaSetSpec{
			Replicas: d.Spec.Replicas, Selector: d.Spec.Selector, Template: d.Spec.Template,
		}}
	}),
	scaled("", "v1", "replicationcontrollers", "ReplicationController", func(name string) any {
		d := harness.NewDeployment(name, 3, nil)
		return &corev1.ReplicationController{ObjectMeta: d.ObjectMeta, Spec: corev1.ReplicationControllerSpec{
			Replicas: d.Spec.Replicas, Selector: d.Spec.Selector.MatchLabels, Template: &d.Spec.Template,
		}}
	}),
	{
		resource: schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}, kind: "CronJob", manifest: yearly,
		rule: "0", awake: "false", asleep: "true", path: []string{".spec.suspend"},
		size:    func(u *unstructured.Unstructured) string { return text(u, "spec", "suspend") },
		drift:   patch{"", `{"spec":{"suspend":false}}`},
		mistake: "2",
	},
	{
		resource: schema.GroupVersionResource{Group: "keda.sh", Version: "v1alpha1", Resource: "scaledobjects"}, kind: "ScaledObject",
		manifest: func(name string) any { return scaling(name) },
		rule:     "0", awake: "", asleep: "0", path: []string{".metadata.annotations." + pausedReplicas},
		size:    func(u *unstructured.Unstructured) string { return text(u, "metadata", "annotations", pausedReplicas) },
		drift:   patch{"", pausedAt("null")},
		mistake: "50%",
		later:   []string{rememberedPause},
	},
	{
		resource: schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}, kind: "HorizontalPodAutoscaler",
		manifest: func(name string) any { return autoscaling(name, 3, 10) },
		rule:     "12..40", awake: "3..10", asleep: "12..40", path: []string{".spec.minReplicas", ".spec.maxReplicas"},
		size: func(u *unstructured.Unstructured) string {
			return text(u, "spec", "minReplicas") + ".." + text(u, "spec", "maxReplicas")
		},
		drift:   patch{"", `{"spec":{"minReplicas":3,"maxReplicas":10}}`},
		mistake: "0",
	},
	scaled("argoproj.io", "v1alpha1", "rollouts", "Rollout", func(name string) any {
		d := harness.NewDeployment(name, 3, nil)
		return map[string]any{"metadata": d.ObjectMeta, "spec": map[string]any{
			"replicas": d.Spec.Replicas, "selector": d.Spec.Selector, "template": d.Spec.Template,
			"strategy": map[string]any{"canary": map[string]any{"steps": []any{map[string]any{"setWeight": 20}}}},
		}}
	}),
}

// rowOf is the row of a kind.
func rowOf(kind string) row {
	return rows[slices.IndexFunc(rows, func(r row) bool { return r.kind == kind })]
}

// text is a field as text; "" if it is absent.
func text(u *unstructured.Unstructured, path ...string) string {
	value, there, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	if err != nil || !there {
		return ""
	}
	return fmt.Sprint(value)
}

// object is the row's manifest as the API server takes it.
func (r row) object(name string, annotations map[string]string) (*unstructured.Unstructured, error) {
	content, err := json.Marshal(r.manifest(name))
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(content, &u.Object); err != nil {
		return nil, err
	}
	u.SetGroupVersionKind(r.resource.GroupVersion().WithKind(r.kind))
	all := u.GetAnnotations()
	if all == nil {
		all = map[string]string{}
	}
	for key, value := range annotations {
		all[key] = value
	}
	u.SetAnnotations(all)
	delete(u.Object, "status")
	return u, nil
}

// mergePatch is the type of the patches of a row.
const mergePatch = types.MergePatchType
