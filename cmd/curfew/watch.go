package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	autoscalinginformers "k8s.io/client-go/informers/autoscaling/v2"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"curfew/cmd/internal/kinds"
	"curfew/scaler"
	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// watch is what is watched, as far as the cluster has it and there is the right to.
type watch struct {
	finder  kinds.Finder
	client  kubernetes.Interface
	options *options

	objects     *scaler.Objects
	sources     scaler.Sources
	defaults    scaler.Defaults
	autoscalers scaler.Autoscalers

	begin   []func(context.Context)
	missing []wanted
	foreign []*foreign
}

// foreign is a kind of somebody else's API that is watched. Its definition may go, and come back in another version.
type foreign struct {
	wanted
	kind  *kind.Kind
	stop  context.CancelFunc
	doubt atomic.Bool // the API server has said that there is no such thing
}

// wanted is something to watch.
type wanted struct {
	what      string // as people call it
	namespace string
	resource  schema.GroupResource
	kind      bool // it is scaled
	open      func(wanted, *kind.Kind) opened

	withoutIt, withItOn string // what the log says
	lacks               lack   // what kept it from being watched when it was last asked for
}

// lack is why something cannot be watched for now.
type lack struct {
	why     string // as a sentence without its end
	mended  string // the sentence when it is so no longer
	noRight bool
}

// absent is what a kind lacks that the cluster does not have.
func (m wanted) absent() lack {
	return lack{why: "The cluster has no " + m.what + " yet", mended: "The cluster has " + m.what + " now"}
}

// opened is what can be watched now.
type opened struct {
	sources scaler.Sources
	begin   func(context.Context) // is to be called when somebody listens
}

func (w *watch) start(ctx context.Context) {
	for _, begin := range w.begin {
		begin(ctx)
	}
}

// newWatch prepares the informers. What Curfew may not read beyond Deployments it does without for as long, as what the
// cluster does not have, and says so once.
func newWatch(ctx context.Context, client kubernetes.Interface, finder kinds.Finder, o *options) (*watch, error) {
	w := &watch{finder: finder, client: client, options: o, objects: scaler.NewObjects()}
	ofNamespaces := factory(client, "", observe.Trim, func(list *metav1.ListOptions) {
		if o.namespace != "" {
			list.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, o.namespace).String()
		}
	})
	namespaces := ofNamespaces.Core().V1().Namespaces()
	w.defaults = scaler.Defaults{Namespaces: namespaces.Lister(), Protected: o.protected}
	ofAutoscalers := factory(client, o.namespace, observe.Trim, nil)
	autoscalers := ofAutoscalers.Autoscaling().V2().HorizontalPodAutoscalers()
	var err error
	if w.autoscalers, err = scaler.NewAutoscalers(autoscalers.Informer()); err != nil {
		return nil, err
	}
	all := []wanted{{
		what: "Namespaces", resource: schema.GroupResource{Resource: "namespaces"},
		open: func(wanted, *kind.Kind) opened {
			return opened{scaler.Sources{Namespaces: coreinformers.ToTypedNamespaceInformer(namespaces)}, ofNamespaces.StartWithContext}
		},
		withoutIt: "what they say is not inherited", withItOn: "what they say is inherited",
	}, {
		what: "HorizontalPodAutoscalers", resource: schema.GroupResource{Group: "autoscaling", Resource: "horizontalpodautoscalers"}, namespace: o.namespace,
		open: func(wanted, *kind.Kind) opened {
			return opened{scaler.Sources{Autoscalers: autoscalinginformers.ToTypedHorizontalPodAutoscalerInformer(autoscalers)}, ofAutoscalers.StartWithContext}
		},
		withoutIt: "workloads are looked after as if they had none", withItOn: "they own the sizes of their targets",
	}}
	for _, resource := range o.resources {
		all = append(all, wanted{
			what: resource.String(), resource: resource, namespace: o.namespace, kind: true, open: w.open,
			withoutIt: "they are left alone", withItOn: "they are looked after",
		})
	}
	for _, m := range all {
		var opened *opened
		if opened, m.lacks, err = w.try(ctx, m, patiently); err != nil {
			return nil, err
		}
		if opened == nil {
			klog.FromContext(ctx).Info(m.lacks.why + ": " + m.withoutIt)
			w.missing = append(w.missing, m)
			continue
		}
		w.begin = append(w.begin, opened.begin)
		w.sources = with(w.sources, opened.sources)
	}
	return w, nil
}

// once asks what patiently would ask until there is an answer.
func once(ctx context.Context, ask func(context.Context) error) error { return ask(ctx) }

// try opens what is wanted, or says what that lacks, for now. How it asks whether the cluster has it is given; for rights it
// has a patience of its own, which doubts a refusal only for so long.
func (w *watch) try(ctx context.Context, m wanted, asking func(context.Context, func(context.Context) error) error) (*opened, lack, error) {
	var k *kind.Kind
	if m.kind {
		var found *kind.Kind
		err := asking(ctx, func(ctx context.Context) (err error) {
			found, err = w.finder.Find(ctx, m.resource)
			return err
		})
		var no kinds.Unusable
		switch {
		case errors.As(err, &no) && scheme.Scheme.IsGroupRegistered(m.resource.Group): // it will not change
			return nil, lack{}, fmt.Errorf("--kinds: %s: %w", m.what, err)
		case errors.As(err, &no):
			return nil, lack{why: fmt.Sprintf("%s cannot be looked after, for %v", m.what, err), mended: m.what + " can be looked after now"}, nil
		case err != nil:
			return nil, lack{}, fmt.Errorf("finding %s: %w", m.what, err)
		case found == nil:
			return nil, m.absent(), nil
		}
		k = found
	}
	if k != kind.Deployment { // without the right to those there is nothing that could be done meanwhile
		if ok, err := m.mayWatch(ctx, w.client); err != nil {
			return nil, lack{}, err
		} else if !ok {
			right := "right to list and watch " + m.what
			return nil, lack{why: "There is no " + right, mended: "There is a " + right + " now", noRight: true}, nil
		}
	}
	opened := m.open(m, k)
	return &opened, lack{}, nil
}

// open prepares the informer of a kind.
func (w *watch) open(m wanted, k *kind.Kind) opened {
	selected := func(list *metav1.ListOptions) { list.LabelSelector = w.options.selector }
	informer := typedInformer(factory(w.client, w.options.namespace, k.Trim, selected), k)
	if informer == nil {
		indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
		informer = dynamicinformer.NewFilteredDynamicInformer(w.finder.Objects, k.Resource, w.options.namespace, 0, indexers, selected).Informer()
		_ = informer.SetTransform(k.Trim) // the error is that it runs already
	}
	workloads := scaler.Workloads{Kind: k, Informer: informer, Foreign: !scheme.Scheme.IsGroupRegistered(k.Resource.Group)}
	w.objects.Add(workloads)
	begin := func(ctx context.Context) { go informer.RunWithContext(ctx) }
	if workloads.Foreign {
		begin = w.abroad(m, workloads)
	}
	return opened{scaler.Sources{Workloads: []scaler.Workloads{workloads}}, begin}
}

// abroad is what begins to watch a foreign kind.
func (w *watch) abroad(m wanted, workloads scaler.Workloads) func(context.Context) {
	f := &foreign{wanted: m, kind: workloads.Kind}
	// The error is that the informer runs already.
	_ = workloads.Informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
		if apierrors.IsNotFound(err) {
			klog.FromContext(ctx).V(2).Info("The API server knows no such thing", "what", m.what, "err", err)
			f.doubt.Store(true)
			return
		}
		cache.DefaultWatchErrorHandler(ctx, r, err)
	})
	return func(ctx context.Context) {
		ctx, f.stop = context.WithCancel(ctx)
		w.foreign = append(w.foreign, f)
		go workloads.Informer.RunWithContext(ctx)
	}
}

// typedInformer reads objects of a kind by their type, which takes less of the network and of time than without; nil where
// that is not known here. The factory finds an informer for every type there is, and with them come 5 MB of program.
func typedInformer(from informers.SharedInformerFactory, k *kind.Kind) cache.SharedIndexInformer {
	switch k {
	case kind.Deployment:
		return from.Apps().V1().Deployments().Informer()
	case kind.StatefulSet:
		return from.Apps().V1().StatefulSets().Informer()
	case kind.CronJob:
		return from.Batch().V1().CronJobs().Informer()
	case kind.Autoscaler:
		return from.Autoscaling().V2().HorizontalPodAutoscalers().Informer()
	}
	return nil
}

// with is sources and what more has besides.
func with(sources, more scaler.Sources) scaler.Sources {
	if more.Namespaces != nil {
		sources.Namespaces = more.Namespaces
	}
	if more.Autoscalers != nil {
		sources.Autoscalers = more.Autoscalers
	}
	sources.Workloads = append(sources.Workloads, more.Workloads...)
	return sources
}

// askAgain is how often what is missing is asked for.
const askAgain = 30 * time.Second

// await begins to watch what was missing as soon as it is there, and gives up what is there no longer. It returns when
// there can be neither.
func (w *watch) await(ctx context.Context, controller *scaler.Controller) {
	for len(w.missing) > 0 || len(w.foreign) > 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(askAgain):
		}
		w.find(ctx, controller)
		w.lose(ctx, controller)
	}
}

// find begins to watch what was missing and is there.
func (w *watch) find(ctx context.Context, controller *scaler.Controller) {
	logger := klog.FromContext(ctx)
	missing := w.missing
	w.missing = nil
	for _, m := range missing {
		opened, lacks, err := w.try(ctx, m, once)
		if err != nil {
			logger.V(4).Info("Still missing", "what", m.what, "err", err)
			w.missing = append(w.missing, m)
			continue
		}
		if opened == nil {
			if lacks != m.lacks { // mended in part: whoever is at it should know what is next
				logger.Info(lacks.why + ": " + m.withoutIt)
			}
			m.lacks = lacks
			w.missing = append(w.missing, m)
			continue
		}
		if err := controller.Watch(ctx, opened.sources); err != nil {
			logger.Error(err, "Cannot watch", "what", m.what)
			w.missing = append(w.missing, m)
			continue
		}
		opened.begin(ctx)
		logger.Info(m.lacks.mended + ": " + m.withItOn)
	}
}

// lose gives up the kinds whose definition is gone, or has another version now. Such a one is found next time.
func (w *watch) lose(ctx context.Context, controller *scaler.Controller) {
	w.foreign = slices.DeleteFunc(w.foreign, func(f *foreign) bool {
		if !f.doubt.Swap(false) {
			return false
		}
		found, err := w.finder.Find(ctx, f.resource)
		if err != nil || found != nil && found.Resource == f.kind.Resource {
			return false
		}
		f.stop()
		controller.Unwatch(f.kind)
		gone := "The cluster has no " + f.what + " any more"
		if found != nil {
			gone = fmt.Sprintf("The cluster has %s in another version now", f.what)
		}
		klog.FromContext(ctx).Info(gone + ": " + f.withoutIt)
		f.lacks = f.absent()
		w.missing = append(w.missing, f.wanted)
		return true
	})
}

func factory(client kubernetes.Interface, namespace string, trim cache.TransformFunc, tweak func(*metav1.ListOptions)) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithNamespace(namespace), informers.WithTransform(trim), informers.WithTweakListOptions(tweak))
}

// mayWatch asks the API server whether this account may list and watch it.
func (m wanted) mayWatch(ctx context.Context, client kubernetes.Interface) (bool, error) {
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
