package main

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	appsinformers "k8s.io/client-go/informers/apps/v1"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"curfew/scaler"
	"curfew/scaler/observe"
)

// watch is what is watched, as far as there is the right to.
type watch struct {
	deployments appsinformers.DeploymentInformer
	sources     scaler.Sources
	defaults    scaler.Defaults
	autoscalers scaler.Autoscalers

	factories []informers.SharedInformerFactory
}

func (w *watch) start(ctx context.Context) {
	for _, f := range w.factories {
		f.StartWithContext(ctx)
	}
}

// newWatch prepares the informers. What Curfew may not read beyond Deployments it does without, and says so once.
func newWatch(ctx context.Context, client kubernetes.Interface, o *options) (*watch, error) {
	w := &watch{}
	deployments := w.factory(client, o.namespace, func(list *metav1.ListOptions) { list.LabelSelector = o.selector })
	w.deployments = deployments.Apps().V1().Deployments()
	w.sources.Deployments = appsinformers.ToTypedDeploymentInformer(w.deployments)
	w.deployments.Informer() // so that the factory starts it whoever asks first

	logger := klog.FromContext(ctx)
	if ok, err := mayWatch(ctx, client, "", "", "namespaces"); err != nil {
		return nil, err
	} else if ok {
		factory := w.factory(client, "", func(list *metav1.ListOptions) {
			if o.namespace != "" {
				list.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, o.namespace).String()
			}
		})
		namespaces := factory.Core().V1().Namespaces()
		w.sources.Namespaces = coreinformers.ToTypedNamespaceInformer(namespaces)
		w.defaults = scaler.Defaults{Namespaces: namespaces.Lister(), Protected: o.protected}
	} else {
		logger.Info("There is no right to list and watch Namespaces: what they say is not inherited")
	}
	if ok, err := mayWatch(ctx, client, o.namespace, "autoscaling", "horizontalpodautoscalers"); err != nil {
		return nil, err
	} else if ok {
		autoscalers := w.factory(client, o.namespace, nil).Autoscaling().V2().HorizontalPodAutoscalers()
		w.sources.Autoscalers = autoscalinginformers.ToTypedHorizontalPodAutoscalerInformer(autoscalers)
		if w.autoscalers, err = scaler.NewAutoscalers(autoscalers.Informer()); err != nil {
			return nil, err
		}
	} else {
		logger.Info("There is no right to list and watch HorizontalPodAutoscalers: Deployments are looked after as if they had none")
	}
	return w, nil
}

func (w *watch) factory(client kubernetes.Interface, namespace string, tweak func(*metav1.ListOptions)) informers.SharedInformerFactory {
	f := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithNamespace(namespace), informers.WithTransform(observe.Trim), informers.WithTweakListOptions(tweak))
	w.factories = append(w.factories, f)
	return f
}

// mayWatch asks the API server whether this account may list and watch a resource.
func mayWatch(ctx context.Context, client kubernetes.Interface, namespace, group, resource string) (bool, error) {
	for _, verb := range []string{"list", "watch"} {
		if ok, err := may(ctx, client, verb, namespace, group, resource); err != nil || !ok {
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
