package main

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	fakediscovery "k8s.io/client-go/discovery/fake"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	"k8s.io/utils/clock"

	"curfew/cmd/internal/kinds"
	"curfew/scaler"
	"curfew/scaler/kind"
)

// TestWhatIsMissing: the log says what a kind lacks whenever that is another thing, and that it lacks nothing any more.
func TestWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
		ctx = klog.NewContext(ctx, logger)
		client := fake.NewClientset()
		var may atomic.Bool
		client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
			review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview)
			review.Status.Allowed = may.Load() || review.Spec.ResourceAttributes.Resource != "rollouts"
			return true, review, nil
		})
		rollouts := schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"}
		definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
		objects := fakedynamic.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
			rollouts: "RolloutList", rollouts.GroupResource().WithVersion("v1"): "RolloutList", definitions: "CustomResourceDefinitionList",
		})
		o := newOptions()
		o.kinds = []string{"deployments.apps", "rollouts.argoproj.io"}
		if err := o.complete(); err != nil {
			t.Fatal(err)
		}
		var served serving
		serve := func(version string) {
			client := fake.NewClientset()
			if version != "" {
				client.Discovery().(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{{
					GroupVersion: rollouts.Group + "/" + version,
					APIResources: []metav1.APIResource{{Name: "rollouts", Kind: "Rollout", Namespaced: true}, {Name: "rollouts/scale", Kind: "Scale", Namespaced: true}},
				}}
			}
			now := discovery.ToDiscoveryInterfaceWithContext(client.Discovery())
			served.now.Store(&now)
		}
		serve("")
		w, err := newWatch(ctx, client, kinds.Finder{Discovery: &served, Objects: objects}, o)
		if err != nil {
			t.Fatal(err)
		}
		var gone atomic.Bool
		objects.PrependReactor("list", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
			return gone.Load(), nil, apierrors.NewNotFound(rollouts.GroupResource(), "")
		})
		var watcher atomic.Pointer[apiwatch.FakeWatcher]
		objects.PrependWatchReactor("*", func(clienttesting.Action) (bool, apiwatch.Interface, error) {
			if gone.Load() {
				return true, nil, apierrors.NewNotFound(rollouts.GroupResource(), "")
			}
			watcher.Store(apiwatch.NewFake())
			return true, watcher.Load(), nil
		})
		controller, err := scaler.NewController(ctx, w.sources, &scaler.Reconciler{Objects: w.objects, Defaults: w.defaults}, clock.RealClock{})
		if err != nil {
			t.Fatal(err)
		}
		go w.await(ctx, controller)
		defer func() {
			cancel()
			controller.Run(ctx, 0) // which ends its queue
		}()
		expect := func(want ...string) {
			t.Helper()
			time.Sleep(2 * askAgain)
			synctest.Wait()
			var lines []string
			for _, entry := range logger.GetSink().(ktesting.Underlier).GetBuffer().Data() {
				if entry.Verbosity == 0 {
					lines = append(lines, entry.Message)
				}
			}
			if !slices.Equal(lines, want) {
				t.Errorf("the log has\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
			}
		}
		const (
			absent  = "The cluster has no rollouts.argoproj.io yet: they are left alone"
			noRight = "There is no right to list and watch rollouts.argoproj.io: they are left alone"
		)
		expect(absent)
		serve("v1alpha1")
		expect(absent, noRight)
		may.Store(true)
		const right = "There is a right to list and watch rollouts.argoproj.io now: they are looked after"
		expect(absent, noRight, right)
		watched := func(version string) {
			t.Helper()
			var versions []string
			for _, k := range w.objects.Kinds() {
				if k.Name == "Rollout" {
					versions = append(versions, k.Resource.Version)
				}
			}
			if got := strings.Join(versions, " "); got != version {
				t.Errorf("there is a cache of version %q, want %q", got, version)
			}
		}
		watched("v1alpha1")

		watcher.Load().Stop()
		expect(absent, noRight, right) // the API server is started again, which is no reason
		gone.Store(true)
		watcher.Load().Stop()
		expect(absent, noRight, right) // nor is that it does not know it for a moment
		watched("v1alpha1")
		serve("")
		const lost = "The cluster has no rollouts.argoproj.io any more: they are left alone"
		expect(absent, noRight, right, lost)
		watched("")
		gone.Store(false)
		serve("v1alpha1")
		const back = "The cluster has rollouts.argoproj.io now: they are looked after"
		expect(absent, noRight, right, lost, back)
		watched("v1alpha1")
		gone.Store(true)
		serve("v1")
		watcher.Load().Stop()
		time.Sleep(askAgain)
		gone.Store(false)
		expect(absent, noRight, right, lost, back, "The cluster has rollouts.argoproj.io in another version now: they are left alone", back)
		watched("v1")
	})
}

// serving is an API server that serves something else after a while.
type serving struct {
	discovery.DiscoveryInterfaceWithContext
	now atomic.Pointer[discovery.DiscoveryInterfaceWithContext]
}

func (s *serving) ServerGroupsWithContext(ctx context.Context) (*metav1.APIGroupList, error) {
	return (*s.now.Load()).ServerGroupsWithContext(ctx)
}

func (s *serving) ServerResourcesForGroupVersionWithContext(ctx context.Context, version string) (*metav1.APIResourceList, error) {
	return (*s.now.Load()).ServerResourcesForGroupVersionWithContext(ctx, version)
}

// TestTypedInformer: what the API server has a type for is read by it.
func TestTypedInformer(t *testing.T) {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	for _, k := range kind.Known() {
		typed := scheme.Scheme.Recognizes(k.GroupVersionKind())
		if informer := typedInformer(factory, k); (informer != nil) != typed {
			t.Errorf("%s has an informer of its type: %v, want %v", k, informer != nil, typed)
		}
	}
}

// TestRightsThatNobodyMayAskFor: a refusal at the start is doubted for a while, and believed then.
func TestRightsThatNobodyMayAskFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), klog.Logger{}), 10*doubtFor)
		defer cancel()
		client := fake.NewClientset()
		client.PrependReactor("create", "selfsubjectaccessreviews", func(clienttesting.Action) (bool, runtime.Object, error) {
			time.Sleep(10 * time.Millisecond) // as an answer does
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "selfsubjectaccessreviews"}, "", nil)
		})
		o := newOptions()
		if err := o.complete(); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		_, err := newWatch(ctx, client, kinds.Finder{}, o)
		if took := time.Since(begun); !apierrors.IsForbidden(err) || took < doubtFor || took > 2*doubtFor {
			t.Errorf("after %v: %v", took, err)
		}
	})
}
