package scaler

import (
	"context"
	"fmt"
	"maps"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// Watch adds informers that could not be there from the start. What they bring counts as it comes, and nothing waits for
// it.
func (c *Controller) Watch(ctx context.Context, from Sources) error {
	_, err := c.watch(ctx, from)
	return err
}

// Unwatch forgets a kind whose informer has been stopped, and all objects of it.
func (c *Controller) Unwatch(k *kind.Kind) {
	for _, o := range c.reconciler.Objects.remove(k) {
		c.queue.Add(o.Key())
		c.addAutoscalers(o.Key())
		c.wakeTarget(o)
	}
}

// watch makes the informers' events put keys into the queue, and nothing more. It returns what tells when all there is
// has come.
func (c *Controller) watch(ctx context.Context, from Sources) (caches, error) {
	var all caches
	logger := klog.FromContext(ctx)
	options := cache.HandlerOptions{Logger: &logger}
	watched := func(what string, foreign bool, informer cache.SharedIndexInformer, handler cache.ResourceEventHandlerRegistration, err error) error {
		if err != nil {
			return fmt.Errorf("watching %s: %w", what, err)
		}
		all = append(all, filling{what, foreign, []cache.DoneChecker{informer.HasSyncedChecker(), handler.HasSyncedChecker()}})
		return nil
	}

	for _, w := range from.Workloads {
		handler, err := w.Informer.AddEventHandlerWithOptions(c.objectEvents(w.Kind), options)
		if err := watched(w.Kind.String(), w.Foreign, w.Informer, handler, err); err != nil {
			return nil, err
		}
	}
	if from.Namespaces != nil {
		namespaces := from.Namespaces.TypedInformer()
		handler, err := namespaces.AddTypedEventHandler(c.namespaceEvents(ctx), options)
		if err := watched("Namespaces", false, namespaces, handler, err); err != nil {
			return nil, err
		}
	}
	if from.Autoscalers != nil {
		autoscalers := from.Autoscalers.TypedInformer()
		handler, err := autoscalers.AddTypedEventHandler(c.autoscalerEvents(), options)
		if err := watched("HorizontalPodAutoscalers", false, autoscalers, handler, err); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (c *Controller) objectEvents(k *kind.Kind) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(added any) {
			if o, ok := added.(*kind.Object); ok && c.concerns(o) {
				c.queue.Add(o.Key())
				c.wakeTarget(o)
				c.addFloors(o, o)
			}
		},
		UpdateFunc: func(before, after any) {
			was, ok := before.(*kind.Object)
			is, too := after.(*kind.Object)
			if ok && too && (c.concerns(was) || c.concerns(is)) && (matters(was, is) || c.comesUp(was, is)) {
				c.queue.Add(is.Key())
				c.wakeTarget(was)
				c.wakeTarget(is)
				c.addFloors(was, is)
			}
		},
		DeleteFunc: func(obj any) {
			if name, err := cache.DeletionHandlingObjectToName(obj); err == nil {
				key := kind.Key{Kind: k, ObjectName: name}
				c.queue.Add(key)
				c.addAutoscalers(key)
			}
			if o := deleted(obj); o != nil {
				c.wakeTarget(o)
			}
		},
	}
}

// namespaceEvents wakes what lives in a Namespace when what it says has changed.
func (c *Controller) namespaceEvents(ctx context.Context) coreinformers.NamespaceHandlerFuncs {
	changed := func(ns *corev1.Namespace) {
		c.addAll(ns.Name, func(*kind.Object) bool { return true })
		if c.working.Load() {
			c.tellNamespace(ns)
		}
	}
	return coreinformers.NamespaceHandlerFuncs{
		AddFunc: func(ns *corev1.Namespace) {
			if len(ns.Annotations) > 0 {
				changed(ns)
			}
		},
		UpdateFunc: func(was, is *corev1.Namespace) {
			if !maps.Equal(was.Annotations, is.Annotations) || (was.DeletionTimestamp == nil) != (is.DeletionTimestamp == nil) {
				changed(is)
			}
		},
	}
}

// addFloors queues the autoscalers of an object that they do as, or did.
func (c *Controller) addFloors(was, is *kind.Object) {
	if observe.IsFloor(was.Annotations) || observe.IsFloor(is.Annotations) {
		c.addAutoscalers(is.Key())
	}
}

// addAutoscalers queues the autoscalers of an object, if they are looked after.
func (c *Controller) addAutoscalers(target kind.Key) {
	if !c.reconciler.Objects.Has(kind.Autoscaler) {
		return
	}
	for _, h := range c.reconciler.Autoscalers.targeting(target) {
		c.queue.Add(kind.Key{Kind: kind.Autoscaler, ObjectName: cache.MetaObjectToName(h)})
	}
}

// autoscalerEvents wakes the target of an autoscaler that came, went or changed, and with it the autoscaler itself, which
// may have to do as that says.
func (c *Controller) autoscalerEvents() autoscalinginformers.HorizontalPodAutoscalerHandlerFuncs {
	wake := func(h *autoscalingv2.HorizontalPodAutoscaler) {
		if h == nil {
			return
		}
		c.wake(kind.TargetOf(h))
		if c.reconciler.Objects.Has(kind.Autoscaler) {
			c.queue.Add(kind.Key{Kind: kind.Autoscaler, ObjectName: cache.MetaObjectToName(h)})
		}
	}
	return autoscalinginformers.HorizontalPodAutoscalerHandlerFuncs{
		AddFunc: wake,
		UpdateFunc: func(was, is *autoscalingv2.HorizontalPodAutoscaler) {
			if was.Spec.ScaleTargetRef != is.Spec.ScaleTargetRef || !ptr.Equal(was.Spec.MinReplicas, is.Spec.MinReplicas) ||
				observe.SaysItself(was.Annotations) != observe.SaysItself(is.Annotations) || observe.OwnerOf(was) != observe.OwnerOf(is) {
				wake(was)
				wake(is)
			}
		},
		DeleteFunc: func(h autoscalinginformers.DeletedHorizontalPodAutoscaler) { wake(h.OptionalObj) },
	}
}

// concerns reports whether there may be anything to do for an object: it, its Namespace or its target says something.
func (c *Controller) concerns(o *kind.Object) bool {
	if len(o.Annotations) > 0 || len(c.reconciler.Defaults.Of(o.Namespace)) > 0 {
		return true
	}
	target := c.reconciler.Objects.target(o)
	return target != nil && observe.IsFloor(target.Annotations)
}

// matters reports whether an update of an object changed anything that Curfew reads.
func matters(was, is *kind.Object) bool {
	return was.UID != is.UID ||
		!maps.Equal(was.Annotations, is.Annotations) ||
		was.Size != is.Size ||
		was.Writer != is.Writer ||
		was.Unfit != is.Unfit ||
		!ptr.Equal(was.Ceiling, is.Ceiling) ||
		!ptr.Equal(was.Target, is.Target) ||
		(was.DeletionTimestamp == nil) != (is.DeletionTimestamp == nil)
}

// comesUp reports whether an update made an object available that others may wait for.
func (c *Controller) comesUp(was, is *kind.Object) bool {
	return !was.Up() && is.Up() && c.reconciler.turns.waking(is.Key())
}

// addAll queues the objects of a namespace, or of all if it is "", that pass.
func (c *Controller) addAll(namespace string, pass func(*kind.Object) bool) {
	for _, o := range c.reconciler.Objects.in(namespace) {
		if pass(o) {
			c.queue.Add(o.Key())
		}
	}
}

// tellNamespaces tells of the mistakes on every Namespace, as this one begins to lead.
func (c *Controller) tellNamespaces(ctx context.Context) {
	if c.reconciler.Defaults.Namespaces == nil {
		return
	}
	all, err := c.reconciler.Defaults.Namespaces.List(labels.Everything())
	if err != nil {
		klog.FromContext(ctx).Error(err, "Cannot list the cache")
		return
	}
	for _, ns := range all {
		c.tellNamespace(ns)
	}
}

func (c *Controller) tellNamespace(ns *corev1.Namespace) {
	if problems := annotation.ParseNamespace(ns.Annotations); len(problems) > 0 && !c.reconciler.DryRun && ns.DeletionTimestamp == nil {
		eventWriter{c.reconciler.Recorder}.namespace(ns, problems)
	}
}
