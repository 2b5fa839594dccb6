package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"curfew/scaler"
	"curfew/scaler/observe"
)

// watch is what is watched, as far as there is the right to.
type watch struct {
	objects     scaler.Objects
	sources     scaler.Sources
	defaults    scaler.Defaults
	autoscalers scaler.Autoscalers

	factories []informers.SharedInformerFactory
	missing   []missing
}

// missing is what there is no right to read yet. Its cache is there, and empty.
type missing struct {
	what                string // as people call it
	namespace           string
	resource            schema.GroupResource
	sources             scaler.Sources
	factory             informers.SharedInformerFactory
	withoutIt, withItOn string // what the log says
}

func (w *watch) start(ctx context.Context) {
	for _, f := range w.factories {
		f.StartWithContext(ctx)
	}
}

// newWatch prepares the informers. What Curfew may not read beyond Deployments it does without for as long, and says so
// once.
func newWatch(ctx context.Context, client kubernetes.Interface, o *options) (*watch, error) {
	w := &watch{}
	deployments := factory(client, o.namespace, func(list *metav1.ListOptions) { list.LabelSelector = o.selector })
	w.factories = append(w.factories, deployments)
	w.sources.Deployments = deployments.Apps().V1().Deployments().Informer()
	w.objects = scaler.NewObjects(w.sources.Deployments)

	ofNamespaces := factory(client, "", func(list *metav1.ListOptions) {
		if o.namespace != "" {
			list.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, o.namespace).String()
		}
	})
	namespaces := ofNamespaces.Core().V1().Namespaces()
	w.defaults = scaler.Defaults{Namespaces: namespaces.Lister(), Protected: o.protected}
	ofAutoscalers := factory(client, o.namespace, nil)
	autoscalers := ofAutoscalers.Autoscaling().V2().HorizontalPodAutoscalers()
	var err error
	if w.autoscalers, err = scaler.NewAutoscalers(autoscalers.Informer()); err != nil {
		return nil, err
	}
	for _, m := range []missing{{
		what: "Namespaces", resource: schema.GroupResource{Resource: "namespaces"},
		factory: ofNamespaces, sources: scaler.Sources{Namespaces: coreinformers.ToTypedNamespaceInformer(namespaces)},
		withoutIt: "what they say is not inherited", withItOn: "what they say is inherited",
	}, {
		what: "HorizontalPodAutoscalers", resource: schema.GroupResource{Group: "autoscaling", Resource: "horizontalpodautoscalers"}, namespace: o.namespace,
		factory: ofAutoscalers, sources: scaler.Sources{Autoscalers: autoscalinginformers.ToTypedHorizontalPodAutoscalerInformer(autoscalers)},
		withoutIt: "Deployments are looked after as if they had none", withItOn: "they own the sizes of their Deployments",
	}} {
		if ok, err := m.mayWatch(ctx, client); err != nil {
			return nil, err
		} else if ok {
			w.factories = append(w.factories, m.factory)
			w.sources = with(w.sources, m.sources)
		} else {
			klog.FromContext(ctx).Info("There is no right to list and watch " + m.what + ": " + m.withoutIt)
			w.missing = append(w.missing, m)
		}
	}
	return w, nil
}

// with is sources and what more has besides.
func with(sources, more scaler.Sources) scaler.Sources {
	if more.Namespaces != nil {
		sources.Namespaces = more.Namespaces
	}
	if more.Autoscalers != nil {
		sources.Autoscalers = more.Autoscalers
	}
	return sources
}

// askAgain is how often a right that is missing is asked for.
const askAgain = 30 * time.Second

// await begins to watch what there was no right to read, as soon as there is. It returns when nothing is missing any more.
func (w *watch) await(ctx context.Context, client kubernetes.Interface, controller *scaler.Controller) {
	logger := klog.FromContext(ctx)
	for len(w.missing) > 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(askAgain):
		}
		w.missing = slices.DeleteFunc(w.missing, func(m missing) bool {
			if ok, err := m.mayWatch(ctx, client); err != nil || !ok {
				logger.V(4).Info("The right is still missing", "to", m.what, "err", err)
				return false
			}
			if err := controller.Watch(ctx, m.sources); err != nil {
				logger.Error(err, "Cannot watch", "what", m.what)
				return false
			}
			m.factory.StartWithContext(ctx)
			logger.Info("There is a right to list and watch " + m.what + " now: " + m.withItOn)
			return true
		})
	}
}

func factory(client kubernetes.Interface, namespace string, tweak func(*metav1.ListOptions)) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithNamespace(namespace), informers.WithTransform(observe.Trim), informers.WithTweakListOptions(tweak))
}

// mayWatch asks the API server whether this account may list and watch it.
func (m missing) mayWatch(ctx context.Context, client kubernetes.Interface) (bool, error) {
	for _, verb := range []string{"list", "watch"} {
		if ok, err := may(ctx, client, verb, m.namespace, m.resource.Group, m.resource.Resource); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// may asks the API server whether this account has a right.
func may(ctx context.Context, client kubernetes.Interface, verb, namespace, group, resource string) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Group: group, Resource: resource},
	}}
	var answer *authorizationv1.SelfSubjectAccessReview
	var doubt doubt
	err := patiently(ctx, func(ctx context.Context) (err error) {
		answer, err = client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		return doubt.about(answer, err)
	})
	if err != nil {
		return false, fmt.Errorf("asking for the right to %s %s: %w", verb, resource, err)
	}
	return answer.Status.Allowed, nil
}
