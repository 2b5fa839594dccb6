package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"curfew/cmd/internal/kinds"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// part is a kind of which a namespace has some that are meant.
type part struct {
	kind *kind.Kind
	// own: only what carries an annotation of Curfew's itself. Nobody has asked for the kind, so it does no harm if the
	// cluster does not have it or the caller may not read it.
	own bool
}

// scope is what a namespace stands for: of the kinds of --kinds all there is. Else, as nobody here knows what the
// controller was told, Deployments, and of the other kinds that Curfew knows what somebody has annotated. What was found
// is returned beside the error for what was not.
func (a *Access) scope(ctx context.Context, s Selection) ([]part, error) {
	if len(s.Kinds) == 0 {
		scope := []part{{kind: kind.Deployment}}
		for _, k := range kind.Known() {
			if k != kind.Deployment {
				scope = append(scope, part{kind: k, own: true})
			}
		}
		return scope, nil
	}
	resources, err := kinds.Parse(s.Kinds)
	if err != nil {
		return nil, fmt.Errorf("--kinds: %w", err)
	}
	var scope []part
	var errs []error
	for _, resource := range resources {
		k, err := a.kind(ctx, resource)
		if err != nil {
			errs = append(errs, fmt.Errorf("--kinds: %s: %w", resource, err))
			continue
		}
		scope = append(scope, part{kind: k})
	}
	return scope, errors.Join(errs...)
}

// kind is the kind of a resource. Those that Curfew does not know are looked for in the cluster.
func (a *Access) kind(ctx context.Context, resource schema.GroupResource) (*kind.Kind, error) {
	if k := kind.Named(kind.Known(), resource); k != nil {
		return k, nil
	}
	if why := kinds.Hopeless(resource); why != "" {
		return nil, errors.New(why)
	}
	a.finding.Lock()
	defer a.finding.Unlock()
	if k := kind.Named(a.kinds, resource); k != nil {
		return k, nil
	}
	finder, err := a.finder()
	if err != nil {
		return nil, err
	}
	k, err := finder.Find(ctx, resource)
	if k == nil {
		if err == nil {
			err = errors.New("the cluster has no such resource")
		}
		return nil, err
	}
	a.kinds = append(a.kinds, k)
	return k, nil
}

func (a *Access) finder() (kinds.Finder, error) {
	config, err := a.flags.ToRESTConfig()
	if err != nil {
		return kinds.Finder{}, err
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return kinds.Finder{}, err
	}
	objects, err := a.Objects()
	return kinds.Finder{Discovery: discovery.ToDiscoveryInterfaceWithContext(client), Objects: objects}, err
}

// listAll reads all that a scope has in a namespace, or in every one, the kinds side by side.
func (a *Access) listAll(ctx context.Context, scope []part, namespace, selector string) ([]Object, error) {
	objects, errs := make([][]Object, len(scope)), make([]error, len(scope))
	var running sync.WaitGroup
	for i, p := range scope {
		running.Go(func() { objects[i], errs[i] = a.listPart(ctx, p, namespace, selector) })
	}
	running.Wait()
	return slices.Concat(objects...), join(nil, errs...)
}

func (a *Access) listPart(ctx context.Context, p part, namespace, selector string) ([]Object, error) {
	client, err := a.Objects()
	if err != nil {
		return nil, err
	}
	var objects []Object
	err = each(ctx, func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		o.LabelSelector = selector
		return client.Resource(p.kind.Resource).Namespace(namespace).List(ctx, o)
	}, func(u *unstructured.Unstructured) {
		if !p.own || annotation.Has(u.GetAnnotations()) {
			objects = append(objects, Read(p.kind, u))
		}
	})
	return objects, p.failed(err)
}

// failed is what it means that a kind cannot be listed.
func (p part) failed(err error) error {
	switch {
	case p.own && (apierrors.IsForbidden(err) || apierrors.IsNotFound(err)):
		return nil
	case apierrors.IsNotFound(err):
		return fmt.Errorf("the cluster has no %s", p.kind)
	}
	return err
}
