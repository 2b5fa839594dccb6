package model_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// TestDecisions tells stories to the decision alone: its changes are made to an object in memory.
//
//	go test ./model -run Decisions -rapid.checks=100000
func TestDecisions(t *testing.T) {
	tales(t, "2000")
	counts := told{}
	rapid.Check(t, func(r *rapid.T) {
		s := drawStory(r, 6*24*60)
		counts.count(s)
		if differs := tell(s, newBare(s), false); differs != "" {
			r.Fatalf("%s\n\n%#v\n", differs, s)
		}
	})
	if missing := counts.missing(); !t.Failed() && len(missing) > 0 {
		t.Errorf("no story has any of %v", missing)
	}
}

// bare is a world of one object, and of decisions about it.
type bare struct {
	object     *appsv1.Deployment
	before     *appsv1.Deployment
	namespace  map[string]string
	autoscaler *decide.Autoscaler
	now        time.Time
	next       time.Time
	stopped    bool
	writes     []write
	wrong      string // what should never be
}

func newBare(s story) *bare {
	b := &bare{object: newDeployment(s), namespace: map[string]string{}, now: begins(s.start)}
	b.before = b.object.DeepCopy()
	b.own(string(ownerName), "")
	b.look()
	return b
}

const (
	ownerName  = "kubectl-client-side-apply"
	scalerName = "kubectl-scale"
)

func newDeployment(s story) *appsv1.Deployment {
	d := &appsv1.Deployment{}
	d.Name, d.Namespace, d.UID = "web", "default", "uid-1"
	d.CreationTimestamp = metav1.NewTime(begins(s.start))
	d.Annotations = map[string]string{"example.com/owner": "somebody else"}
	d.Labels = map[string]string{"app": "web"}
	d.Spec.Replicas = &s.size
	d.Spec.MinReadySeconds = 7
	return d
}

func (b *bare) own(manager, subresource string) {
	b.object.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: manager, Subresource: subresource, FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`),
	}}
}

func (b *bare) look() {
	if b.stopped {
		return
	}
	d, change := b.decide()
	if !change.Empty() {
		w := write{at: b.now}
		if change.Size != nil {
			size := *change.Size
			w.size, b.object.Spec.Replicas = &size, &size
			b.own(kind.FieldManager, "")
		}
		for key, value := range change.Annotations {
			if value == nil {
				delete(b.object.Annotations, key)
			} else {
				b.object.Annotations[key] = *value
			}
		}
		b.writes = append(b.writes, w)
		before := d
		if d, change = b.decide(); !change.Empty() {
			b.fault(fmt.Sprintf("at %s Curfew does not come to rest: it decides %+v and then %+v", b.now, before.Status, d.Status))
		}
	}
	if b.next = d.Next; !b.next.IsZero() && !b.next.After(b.now) {
		b.fault(fmt.Sprintf("at %s Curfew wants to look again at %s", b.now, b.next))
	}
}

func (b *bare) fault(text string) {
	if b.wrong == "" {
		b.wrong = text
	}
}

func (b *bare) decide() (decide.Decision, decide.Change) {
	o := kind.Deployment.Of(b.object)
	w := observe.Workload(o, b.namespace, b.autoscaler, observe.Settings{})
	decision := decide.Decide(w, b.now)
	return decision, decision.Change(w.Size, o.Annotations)
}

func (b *bare) annotate(space bool, values map[string]string) {
	annotations := b.object.Annotations
	if space {
		annotations = b.namespace
	}
	annotateMap(annotations, values)
	b.look()
}

func annotateMap(annotations, values map[string]string) {
	maps.Copy(annotations, values)
	maps.DeleteFunc(annotations, func(_, value string) bool { return value == "" })
}

func (b *bare) apply(size int32, stripped bool) {
	if stripped {
		delete(b.object.Annotations, annotation.StatusKey)
		delete(b.object.Annotations, annotation.Remembered)
	}
	if size != *b.object.Spec.Replicas {
		b.own(ownerName, "")
	}
	b.object.Spec.Replicas = &size
	b.look()
}

func (b *bare) scale(size int32) {
	if size != *b.object.Spec.Replicas {
		b.own(scalerName, "scale")
	}
	b.object.Spec.Replicas = &size
	b.look()
}

func (b *bare) autoscale(minimum *int32) {
	b.autoscaler = nil
	if minimum != nil {
		b.autoscaler = &decide.Autoscaler{Name: "web", Min: *minimum}
	}
	b.look()
}

// pass looks when Curfew wants to look, and once in between, as a wake-up does that was asked for by rules of the past.
func (b *bare) pass(to time.Time) {
	for b.now.Before(to) {
		next := to
		if !b.stopped && b.next.After(b.now) && b.next.Before(to) {
			next = b.next
		}
		b.now = b.now.Add(next.Sub(b.now) / 2)
		b.look()
		b.now = next
		b.look()
	}
}

func (b *bare) stop() { b.stopped = true }

func (b *bare) start() { b.stopped = false; b.look() }

func (b *bare) share(spread time.Duration) time.Duration { return observe.Shift(b.object.UID, spread) }

func (b *bare) size() int32 { return *b.object.Spec.Replicas }

func (b *bare) annotation(key string) string { return b.object.Annotations[key] }

func (b *bare) trouble() string { return b.wrong }

func (b *bare) foreign() string { return foreign(b.before, b.object) }

func (b *bare) wrote() []write {
	wrote := b.writes
	b.writes = nil
	return wrote
}

// foreign is what differs, apart from size, annotations of Curfew's and who owns what.
func foreign(before, after *appsv1.Deployment) string {
	plain := func(d *appsv1.Deployment) string {
		d = d.DeepCopy()
		d.Spec.Replicas, d.ManagedFields, d.ResourceVersion = nil, nil, ""
		maps.DeleteFunc(d.Annotations, func(key, _ string) bool { return strings.HasPrefix(key, annotation.Prefix) })
		return d.String()
	}
	if is, was := plain(after), plain(before); is != was {
		return is + " was " + was
	}
	return ""
}
