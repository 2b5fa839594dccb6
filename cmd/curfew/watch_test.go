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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	fakediscovery "k8s.io/client-go/discovery/fake"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	"k8s.io/utils/clock"

	"curfew/cmd/internal/kinds"
	"curfew/scaler"
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
			rollouts: "RolloutList", definitions: "CustomResourceDefinitionList",
		})
		o := newOptions()
		o.kinds = []string{"deployments.apps", "rollouts.argoproj.io"}
		if err := o.complete(); err != nil {
			t.Fatal(err)
		}
		w, err := newWatch(ctx, client, kinds.Finder{Discovery: discovery.ToDiscoveryInterfaceWithContext(client.Discovery()), Objects: objects}, o)
		if err != nil {
			t.Fatal(err)
		}
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
		if errs := w.unseen(); errs != nil {
			t.Errorf("what is not there cannot be released: %v", errs)
		}
		client.Discovery().(*fakediscovery.FakeDiscovery).Resources = []*metav1.APIResourceList{{
			GroupVersion: rollouts.GroupVersion().String(),
			APIResources: []metav1.APIResource{{Name: "rollouts", Kind: "Rollout", Namespaced: true}, {Name: "rollouts/scale", Kind: "Scale", Namespaced: true}},
		}}
		expect(absent, noRight)
		if errs := w.unseen(); len(errs) != 1 {
			t.Errorf("what there is no right to is not released, and the release says %v", errs)
		}
		may.Store(true)
		expect(absent, noRight, "There is a right to list and watch rollouts.argoproj.io now: they are looked after")
	})
}
