package main

import (
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
)

// TestStandDown: the lease is taken whoever has it, and one that leads is given more time to notice than it can need.
func TestStandDown(t *testing.T) {
	held := func(by string) *coordinationv1.Lease {
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "curfew", Name: "curfew"}, Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(by)}}
	}
	for name, test := range map[string]struct {
		lease *coordinationv1.Lease
		led   bool
	}{
		"no lease yet":       {nil, false},
		"let go":             {held(""), false},
		"the release before": {held(releaseHolder), false},
		"somebody leads":     {held("curfew-0"), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var objects []runtime.Object
				if test.lease != nil {
					objects = append(objects, test.lease)
				}
				client := fake.NewClientset(objects...)
				o := newOptions()
				l := &o.leaderElection
				l.ResourceNamespace = "curfew"
				begun := time.Now()
				if err := standDown(t.Context(), client, o); err != nil {
					t.Fatal(err)
				}
				// Its last renewal, the wait for the next, and as long as it keeps trying.
				waited, need := time.Since(begun), l.RetryPeriod.Duration+l.RenewDeadline.Duration
				if test.led && waited < need+time.Second {
					t.Errorf("it waits %v, and the one that leads may need %v and a moment", waited, need)
				}
				if !test.led && waited != 0 {
					t.Errorf("it waits %v for nobody", waited)
				}
				lease, err := client.CoordinationV1().Leases("curfew").Get(t.Context(), "curfew", metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if got := ptr.Deref(lease.Spec.HolderIdentity, ""); got != releaseHolder {
					t.Errorf("the lease is held by %q", got)
				}
			})
		})
	}
}

// TestUnseen: a release says of which kinds it does not know what there is. What the cluster does not have is none.
func TestUnseen(t *testing.T) {
	w := &watch{missing: []wanted{
		{what: "Namespaces", lacks: lack{noRight: true}},
		{what: "rollouts.argoproj.io", kind: true},
		{what: "cronjobs.batch", kind: true, lacks: lack{noRight: true}},
	}}
	errs := w.unseen()
	if len(errs) != 1 || errs[0].Error() != "cronjobs.batch were not released: there is no right to list and watch them" {
		t.Errorf("%v", errs)
	}
}
