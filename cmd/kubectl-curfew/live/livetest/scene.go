// Package livetest makes up what tests of the plugin's commands look at, without a cluster.
package livetest

import (
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// Scene is a Deployment named web and what is around it.
type Scene struct {
	Own        map[string]string // its annotations
	UID        types.UID
	Namespace  map[string]string // those of its Namespace
	In         string            // the name of that; "" is shop
	Dark       bool              // the Namespace may not be read
	Size       int32
	Writer     string        // the field manager that set the size; "" is nobody known
	Autoscaler bool          // there is one, named auto
	Age        time.Duration // 0 is a day
	Deleting   bool

	Kept    bool                                  // Curfew has done its work, just now
	Contest func(decide.Decision) decide.Decision // what it then made of its decision
}

// Subject is the scene at an instant.
func (c Scene) Subject(now time.Time) live.Subject {
	if c.In == "" {
		c.In = "shop"
	}
	if c.Age == 0 {
		c.Age = 24 * time.Hour
	}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Name: "web", Namespace: c.In, UID: c.UID, Annotations: maps.Clone(c.Own), CreationTimestamp: metav1.NewTime(now.Add(-c.Age)),
	}}
	d.Spec.Replicas, d.Status.ReadyReplicas = &c.Size, 1
	setWriter(d, c.Writer)
	if c.Deleting {
		d.DeletionTimestamp = &metav1.Time{Time: now}
	}
	read := func() live.Subject {
		return live.NewSubjects([]*appsv1.Deployment{d}, c.namespaces(), c.autoscalers(), observe.Settings{})[0]
	}
	if c.Kept {
		decision := decide.Decide(read().Workload, now)
		if c.Contest != nil {
			decision = c.Contest(decision)
		}
		apply(d, decision)
	}
	return read()
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
	h.Spec.ScaleTargetRef.Kind, h.Spec.ScaleTargetRef.Name = "Deployment", "web"
	return []*autoscalingv2.HorizontalPodAutoscaler{h}
}

func setWriter(d *appsv1.Deployment, manager string) {
	d.ManagedFields = nil
	if manager != "" {
		d.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}}
	}
}

// apply makes a Deployment as was decided.
func apply(d *appsv1.Deployment, decision decide.Decision) {
	change := decision.Change(*d.Spec.Replicas, d.Annotations)
	if change.Size != nil {
		d.Spec.Replicas = change.Size
		setWriter(d, kind.FieldManager)
	}
	if d.Annotations == nil {
		d.Annotations = map[string]string{}
	}
	for key, value := range change.Annotations {
		if value == nil {
			delete(d.Annotations, key)
		} else {
			d.Annotations[key] = *value
		}
	}
}
