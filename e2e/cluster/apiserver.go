package cluster

import (
	"context"
	"fmt"
	"time"
)

// StartAPIServer starts the API server again after StopAPIServer, on the same
// port with the same state, and returns when it is ready.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	if c.audit == nil {
		return errNotOurs
	}
	var err error
	if c.apiServer, err = c.start("kube-apiserver", c.audit, c.apiServerArgs()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, fmt.Errorf("kube-apiserver is not ready after a minute; its log is %s", c.apiServer.log))
	defer cancel()
	// Nothing can be awaited here: a process that does not serve yet says nothing.
	for {
		answer, err := c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil && string(answer) == "ok" {
			return nil
		}
		select {
		case <-time.After(25 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.apiServer.ended:
			return c.apiServer.failure()
		case <-c.etcd.ended:
			return c.etcd.failure()
		}
	}
}

// StopAPIServer kills the API server and leaves etcd and the controllers
// running: to its clients this is a crash.
func (c *Cluster) StopAPIServer() error {
	if c.audit == nil {
		return errNotOurs
	}
	c.apiServer.kill()
	return nil
}
