package scaler

import (
	"context"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	appsinformers "k8s.io/client-go/informers/apps/v1"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/observe"
)

// watch makes the informers' events put keys into the queue, and nothing more.
func (c *Controller) watch(ctx context.Context, from Sources) error {
	logger := klog.FromContext(ctx)
	options := cache.HandlerOptions{Logger: &logger}
	watched := func(what string, informer cache.SharedIndexInformer, handler cache.ResourceEventHandlerRegistration, err error) error {
		if err != nil {
			return fmt.Errorf("watching %s: %w", what, err)
		}
		c.synced = append(c.synced, informer.HasSyncedChecker(), handler.HasSyncedChecker())
		return nil
	}

	deployments := from.Deployments.TypedInformer()
	handler, err := deployments.AddTypedEventHandler(c.deploymentEvents(), options)
	if err := watched("Deployments", deployments, handler, err); err != nil {
		return err
	}
	if from.Namespaces != nil {
		namespaces := from.Namespaces.TypedInformer()
		handler, err := namespaces.AddTypedEventHandler(c.namespaceEvents(ctx), options)
		if err := watched("Namespaces", namespaces, handler, err); err != nil {
			return err
		}
	}
	if from.Autoscalers != nil {
		autoscalers := from.Autoscalers.TypedInformer()
		handler, err := autoscalers.AddTypedEventHandler(c.autoscalerEvents(), options)
		return watched("HorizontalPodAutoscalers", autoscalers, handler, err)
	}
	return nil
}

func (c *Controller) deploymentEvents() appsinformers.DeploymentHandlerFuncs {
	return appsinformers.DeploymentHandlerFuncs{
		AddFunc: func(d *appsv1.Deployment) {
			if c.concerns(d) {
				c.queue.Add(cache.MetaObjectToName(d))
			}
		},
		UpdateFunc: func(was, is *appsv1.Deployment) {
			if (c.concerns(was) || c.concerns(is)) && (matters(was, is) || c.comesUp(was, is)) {
				c.queue.Add(cache.MetaObjectToName(is))
			}
		},
		DeleteFunc: func(d appsinformers.DeletedDeployment) { c.queue.Add(d.GetObjectName()) },
	}
}

// namespaceEvents wakes what lives in a Namespace when what it says has changed.
func (c *Controller) namespaceEvents(ctx context.Context) coreinformers.NamespaceHandlerFuncs {
	changed := func(ns *corev1.Namespace) {
		c.addAll(ctx, ns.Name, func(*appsv1.Deployment) bool { return true })
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

// autoscalerEvents wakes the target of an autoscaler that came, went or changed.
func (c *Controller) autoscalerEvents() autoscalinginformers.HorizontalPodAutoscalerHandlerFuncs {
	wake := func(h *autoscalingv2.HorizontalPodAutoscaler) {
		if h == nil {
			return
		}
		if deployment, ok := observe.Target(h); ok {
			c.queue.Add(deployment)
		}
	}
	return autoscalinginformers.HorizontalPodAutoscalerHandlerFuncs{
		AddFunc: wake,
		UpdateFunc: func(was, is *autoscalingv2.HorizontalPodAutoscaler) {
			if was.Spec.ScaleTargetRef != is.Spec.ScaleTargetRef || !ptr.Equal(was.Spec.MinReplicas, is.Spec.MinReplicas) {
				wake(was)
				wake(is)
			}
		},
		DeleteFunc: func(h autoscalinginformers.DeletedHorizontalPodAutoscaler) { wake(h.OptionalObj) },
	}
}

// concerns reports whether there may be anything to do for a Deployment: it or its Namespace says something.
func (c *Controller) concerns(d *appsv1.Deployment) bool {
	return len(d.Annotations) > 0 || len(c.reconciler.Defaults.Of(d.Namespace)) > 0
}

// matters reports whether an update of a trimmed Deployment changed anything that Curfew reads.
func matters(was, is *appsv1.Deployment) bool {
	return was.UID != is.UID ||
		!maps.Equal(was.Annotations, is.Annotations) ||
		!ptr.Equal(was.Spec.Replicas, is.Spec.Replicas) ||
		observe.WriterOf(was.ManagedFields) != observe.WriterOf(is.ManagedFields) ||
		(was.DeletionTimestamp == nil) != (is.DeletionTimestamp == nil)
}

// comesUp reports whether an update made a Deployment available that others may wait for.
func (c *Controller) comesUp(was, is *appsv1.Deployment) bool {
	return !observe.Up(was) && observe.Up(is) && c.reconciler.turns.waking(cache.MetaObjectToName(is))
}

// addAll queues the Deployments of a namespace, or of all if it is "", that pass.
func (c *Controller) addAll(ctx context.Context, namespace string, pass func(*appsv1.Deployment) bool) {
	all, err := c.reconciler.Deployments.Deployments(namespace).List(labels.Everything())
	if err != nil {
		klog.FromContext(ctx).Error(err, "Cannot list the cache")
		return
	}
	for _, d := range all {
		if pass(d) {
			c.queue.Add(cache.MetaObjectToName(d))
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
