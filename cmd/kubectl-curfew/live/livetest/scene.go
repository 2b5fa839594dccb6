// Package livetest makes up what tests of the plugin's commands look at, without a cluster.
package livetest

import (
	"cmp"
	"encoding/json"
	"maps"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// Scene is an object named web and what is around it.
type Scene struct {
	Kind       *kind.Kind        // nil is a Deployment
	Own        map[string]string // its annotations
	UID        types.UID
	OwnerKind  string            // that of the controller that it belongs to, named parent; "" is none
	Namespace  map[string]string // those of its Namespace
	In         string            // the name of that; "" is shop
	Dark       bool              // the Namespace may not be read
	Size       int32
	Max        int32             // where there is one
	Writer     string            // the field manager that set the size; "" is nobody known
	Autoscaler bool              // there is one, named auto
	Age        time.Duration     // 0 is a day
	Target     map[string]string // the annotations of the Deployment named target that it scales, where it scales any
	Deleting   bool

	Kept    bool                                  // Curfew has done its work, just now
	Contest func(decide.Decision) decide.Decision // what it then made of its decision
}

// Subject is the scene at an instant.
func (c Scene) Subject(now time.Time) live.Subject {
	c.In = cmp.Or(c.In, "shop")
	c.Age = cmp.Or(c.Age, 24*time.Hour)
	if c.Kind == nil {
		c.Kind = kind.Deployment
	}
	o := object{c.Kind, &unstructured.Unstructured{Object: map[string]any{}}}
	o.SetGroupVersionKind(c.Kind.GroupVersionKind())
	o.SetName("web")
	o.SetNamespace(c.In)
	o.SetUID(c.UID)
	o.SetAnnotations(maps.Clone(c.Own))
	o.SetCreationTimestamp(metav1.NewTime(now.Add(-c.Age)))
	if c.Kind.Counted {
		o.merge(map[string]any{"status": map[string]any{"readyReplicas": 1}})
	}
	o.resize(c.Size, c.Writer)
	if bounded := c.Kind.Bounded(); bounded != nil {
		patch := kind.Patch{}
		bounded.WriteMax(c.Max, patch)
		o.merge(patch)
	}
	if c.Kind == kind.Autoscaler {
		o.merge(map[string]any{"spec": map[string]any{"scaleTargetRef": map[string]any{"kind": kind.Deployment.Name, "name": "target"}}})
	}
	if c.OwnerKind != "" {
		o.SetOwnerReferences([]metav1.OwnerReference{{Kind: c.OwnerKind, Name: "parent", Controller: new(true)}})
	}
	if c.Deleting {
		o.SetDeletionTimestamp(&metav1.Time{Time: now})
	}
	read := func() live.Subject {
		return live.NewSubjects([]live.Object{live.Read(c.Kind, o.Unstructured)}, live.Around{
			Namespaces: c.namespaces(), Autoscalers: c.autoscalers(), Others: c.target(), Now: now,
		}, observe.Settings{})[0]
	}
	if c.Kept {
		decision := decide.Decide(read().Workload, now)
		if c.Contest != nil {
			decision = c.Contest(decision)
		}
		o.apply(decision)
	}
	return read()
}

func (c Scene) target() []*kind.Object {
	target := &kind.Object{Kind: kind.Deployment}
	target.Namespace, target.Name, target.Annotations = c.In, "target", c.Target
	return []*kind.Object{target}
}

func (c Scene) namespaces() []*corev1.Namespace {
	if c.Dark {
		return nil
	}
	return []*corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: c.In, Annotations: c.Namespace}}}
}

func (c Scene) autoscalers() []*autoscalingv2.HorizontalPodAutoscaler {
	if !c.Autoscaler {
		return nil
	}
	h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "auto", Namespace: c.In}}
	h.Spec.ScaleTargetRef.Kind, h.Spec.ScaleTargetRef.Name = kind.Deployment.Name, "web"
	if c.Kind != nil {
		h.Spec.ScaleTargetRef.Kind = c.Kind.Name
	}
	return []*autoscalingv2.HorizontalPodAutoscaler{h}
}

// object is one of a kind, as the API server would have it.
type object struct {
	kind *kind.Kind
	*unstructured.Unstructured
}

// resize gives it a size, as a field manager that leaves its name, or nobody known.
func (o object) resize(size int32, manager string) {
	patch := kind.Patch{}
	o.kind.Write(o.kind.Of(o.Unstructured), size, patch)
	o.merge(patch)
	if manager == "" {
		o.SetManagedFields(nil)
		return
	}
	owned := kind.Patch{}
	for _, path := range o.kind.Fields() {
		owned.Set(struct{}{}, path...)
	}
	text, err := json.Marshal(owned)
	if err != nil {
		panic(err)
	}
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: manager, FieldsV1: metav1.NewFieldsV1(string(text))}})
}

// merge applies a JSON merge patch.
func (o object) merge(patch map[string]any) {
	text, err := json.Marshal(patch)
	if err != nil {
		panic(err)
	}
	var plain map[string]any
	if err := utiljson.Unmarshal(text, &plain); err != nil {
		panic(err)
	}
	merge(o.Object, plain)
}

func merge(into, patch map[string]any) {
	for key, value := range patch {
		below, ok := value.(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case ok:
			if _, ok := into[key].(map[string]any); !ok {
				into[key] = map[string]any{}
			}
			merge(into[key].(map[string]any), below)
		default:
			into[key] = value
		}
	}
}

// apply makes it as was decided.
func (o object) apply(decision decide.Decision) {
	change := decision.Change(o.kind.Of(o.Unstructured).Size, o.GetAnnotations())
	if change.Size != nil {
		o.resize(*change.Size, kind.FieldManager)
	}
	if change.Max != nil {
		patch := kind.Patch{}
		o.kind.Bounded().WriteMax(*change.Max, patch)
		o.merge(patch)
	}
	if len(change.Annotations) > 0 {
		o.merge(map[string]any{"metadata": map[string]any{"annotations": change.Annotations}})
	}
}
