package cluster

import (
	"context"
	"os"
	"syscall"
)

// HangAPIServer freezes the API server: its kernel still takes connections and
// what is sent on them, and nobody answers. WakeAPIServer ends that.
func (c *Cluster) HangAPIServer() error {
	if c.audit == nil {
		return errNotOurs
	}
	return c.apiServer.command.Process.Signal(syscall.SIGSTOP)
}

// WakeAPIServer lets a frozen API server go on where it was.
func (c *Cluster) WakeAPIServer() error {
	if c.audit == nil {
		return errNotOurs
	}
	return c.apiServer.command.Process.Signal(syscall.SIGCONT)
}

// SaveData takes a copy of etcd's data, as a snapshot of its disk would.
func (c *Cluster) SaveData() error {
	if c.audit == nil {
		return errNotOurs
	}
	if err := c.etcd.command.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	defer func() { _ = c.etcd.command.Process.Signal(syscall.SIGCONT) }()
	if err := os.RemoveAll(c.file("etcd.saved")); err != nil {
		return err
	}
	return os.CopyFS(c.file("etcd.saved"), os.DirFS(c.file("etcd")))
}

// RestoreData stops the API server and etcd, puts back the data that SaveData
// copied and starts both again, and Kubernetes' controllers anew: the cluster is what it was then, and its
// revisions begin anew from there.
func (c *Cluster) RestoreData(ctx context.Context) (err error) {
	if err := c.StopAPIServer(); err != nil {
		return err
	}
	c.etcd.kill()
	if err := os.RemoveAll(c.file("etcd")); err != nil {
		return err
	}
	if err := os.CopyFS(c.file("etcd"), os.DirFS(c.file("etcd.saved"))); err != nil {
		return err
	}
	if c.etcd, err = c.start("etcd", nil, c.etcdArgs()); err != nil {
		return err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return err
	}
	// Kubernetes' own controllers do not get over it.
	c.controllers.kill()
	c.controllers, err = c.start("kube-controller-manager", nil, c.controllerArgs())
	return err
}
