package cluster

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// Filter picks requests from the audit log.
type Filter func(Request) bool

// Writes picks the requests that wanted to change something.
func Writes(r Request) bool { return r.IsWrite() }

// Succeeded picks the requests that were carried out.
func Succeeded(r Request) bool { return r.Succeeded() }

// By picks one user's requests.
func By(user string) Filter { return func(r Request) bool { return r.User == user } }

// To picks the requests about one kind of object, "deployments", its
// subresources among them.
func To(resource string) Filter { return func(r Request) bool { return r.Resource == resource } }

// In picks the requests in one namespace.
func In(namespace string) Filter { return func(r Request) bool { return r.Namespace == namespace } }

// Named picks the requests about the object of that name.
func Named(name string) Filter { return func(r Request) bool { return r.Name == name } }

// Since picks the requests that arrived at t or later.
func Since(t time.Time) Filter { return func(r Request) bool { return !r.Received.Before(t) } }

// Until picks the requests that arrived before t.
func Until(t time.Time) Filter { return func(r Request) bool { return r.Received.Before(t) } }

// Audit is every request that passes all filters, in the order in which they
// were answered. It misses nothing that was answered before the call.
func (c *Cluster) Audit(ctx context.Context, filters ...Filter) ([]Request, error) {
	if err := c.flushAudit(ctx); err != nil {
		return nil, err
	}
	found, _, _ := c.audit.selected(filters, 0)
	return found, nil
}

// AwaitAudit waits until at least n requests pass all filters.
func (c *Cluster) AwaitAudit(ctx context.Context, n int, filters ...Filter) ([]Request, error) {
	if c.audit == nil {
		return nil, errNotOurs
	}
	var found []Request
	for read := 0; ; {
		// Only what is new, for whoever reads holds up the API server.
		more, end, grown := c.audit.selected(filters, read)
		found, read = append(found, more...), end
		if len(found) >= n {
			return found, nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return found, fmt.Errorf("waiting for %d requests, saw %d, of which the last are %v: %w", n, len(found), found[max(0, len(found)-5):], context.Cause(ctx))
		}
	}
}

var flushes atomic.Int64

// flushAudit sends a request that cannot be mistaken and waits until it is in
// the log: then everything before it is, too.
func (c *Cluster) flushAudit(ctx context.Context) error {
	if c.audit == nil {
		return errNotOurs
	}
	marker := fmt.Sprintf("/version?marker=%d", flushes.Add(1))
	if _, err := c.Client.Discovery().RESTClient().Get().RequestURI(marker).DoRaw(ctx); err != nil {
		return fmt.Errorf("flushing the audit log: %w", err)
	}
	_, err := c.AwaitAudit(ctx, 1, func(r Request) bool { return strings.HasSuffix(r.URI, marker) })
	return err
}
