package main

import (
	"context"
	"errors"
	"sync"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

var errPast = errors.New("the API server has gone back to an older state, as when a backup is restored: everything has to be read anew")

// past notices that the API server has gone back to an older state. A watch does not: it waits in silence for revisions
// that the past has not reached yet, and the cache keeps what is no longer so. But the lease is read and written all the
// time, and its version is never an older one than before.
type past struct {
	noticed func() // is called when it has

	mu     sync.Mutex
	newest string
}

// saw takes in the version of a lease that was read or written just now.
func (p *past) saw(lease *coordinationv1.Lease, err error) (*coordinationv1.Lease, error) {
	if err != nil || lease == nil {
		return lease, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if order, err := resourceversion.CompareResourceVersion(lease.ResourceVersion, p.newest); err == nil && order < 0 {
		p.noticed()
	} else {
		p.newest = lease.ResourceVersion
	}
	return lease, err
}

// of is the lease of a namespace, looked at on its way.
func (p *past) of(client coordinationv1client.LeasesGetter) coordinationv1client.LeasesGetter {
	return pastLeases{client, p}
}

type pastLeases struct {
	coordinationv1client.LeasesGetter
	past *past
}

// Leases are those of a namespace.
func (l pastLeases) Leases(namespace string) coordinationv1client.LeaseInterface {
	return pastLease{l.LeasesGetter.Leases(namespace), l.past}
}

type pastLease struct {
	coordinationv1client.LeaseInterface
	past *past
}

// Get reads a lease.
func (l pastLease) Get(ctx context.Context, name string, opts metav1.GetOptions) (*coordinationv1.Lease, error) {
	return l.past.saw(l.LeaseInterface.Get(ctx, name, opts))
}

// Create makes a lease.
func (l pastLease) Create(ctx context.Context, lease *coordinationv1.Lease, opts metav1.CreateOptions) (*coordinationv1.Lease, error) {
	return l.past.saw(l.LeaseInterface.Create(ctx, lease, opts))
}

// Update writes a lease.
func (l pastLease) Update(ctx context.Context, lease *coordinationv1.Lease, opts metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	return l.past.saw(l.LeaseInterface.Update(ctx, lease, opts))
}
