package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"curfew/e2e/build"
)

// Options say what kind of cluster to start.
type Options struct {
	// Output receives a line or two on what is being built and started, which
	// matters when it takes minutes. Nil means silence.
	Output io.Writer
	// Kubelet asks for the stand-in kubelet: pods become ready, so Deployments
	// become available. Without it pods stay pending for ever.
	Kubelet bool
	// NoControllers leaves kube-controller-manager out: a Deployment is then
	// nothing but an object, which no ReplicaSet and no pod follows.
	NoControllers bool
	// AuditPolicy replaces what the API server writes into the audit log. It must
	// not leave out the admin's GET of /version, which Audit waits for.
	AuditPolicy []byte
	// ReadyAfter asks for the stand-in kubelet only for pods that say when they
	// become ready.
	ReadyAfter bool
}

// Cluster is a control plane that is up, and how to reach it as its admin.
type Cluster struct {
	// Kubeconfig is the path of the admin's kubeconfig file.
	Kubeconfig string
	// Config is the same as Kubeconfig. It has no rate limit. Copy before you
	// change it.
	Config *rest.Config
	// Client is a client for Config.
	Client kubernetes.Interface
	// Kubectl is the path of a kubectl of the same release.
	Kubectl string

	module string
	parts  string // path of the control plane program
	dir    string
	ports  ports
	audit  *auditLog // nil: somebody else's cluster

	etcd, apiServer, controllers, kubelet *process
}

// Start builds the control plane if it has not been built yet, starts it and
// returns when it is ready. The caller must Stop it.
func Start(ctx context.Context, options Options) (_ *Cluster, err error) {
	if options.Output == nil {
		options.Output = io.Discard
	}
	module, err := build.Module()
	if err != nil {
		return nil, err
	}
	built, err := build.Control(ctx, module, options.Output)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	dir, err := newStateDir(module)
	if err != nil {
		return nil, err
	}
	c := &Cluster{module: module, dir: dir, parts: built.Parts, Kubectl: built.Kubectl, audit: newAuditLog()}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	if c.ports, err = freePorts(); err != nil {
		return nil, err
	}
	if err := c.writeCredentials(); err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	if options.AuditPolicy == nil {
		options.AuditPolicy = auditPolicy
	}
	if err := os.WriteFile(c.file(auditPolicyFile), options.AuditPolicy, 0o600); err != nil {
		return nil, err
	}
	if c.Kubeconfig, err = filepath.Abs(c.file(adminKubeconfig)); err != nil {
		return nil, err
	}
	if err := c.connect(); err != nil {
		return nil, err
	}
	if c.etcd, err = c.start("etcd", nil, c.etcdArgs()); err != nil {
		return nil, err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return nil, err
	}
	// The controller manager gives up if it finds no API server.
	if !options.NoControllers {
		if c.controllers, err = c.start("kube-controller-manager", nil, c.controllerArgs()); err != nil {
			return nil, err
		}
	}
	if options.Kubelet || options.ReadyAfter {
		only := fmt.Sprint("--only-who-say-when=", !options.Kubelet)
		if c.kubelet, err = c.start("kubelet", nil, []string{"--kubeconfig=" + c.file(kubeletKubeconfig), only}); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(options.Output, "Control plane up after %.1f s.\n", time.Since(begun).Seconds())
	return c, nil
}

// Existing is the cluster that a kubeconfig file points at, for tests that do
// not care whose it is. It has no audit log, cannot be stopped, and its Kubectl
// is the one that Start would use.
func Existing(ctx context.Context, kubeconfig string, output io.Writer) (*Cluster, error) {
	module, err := build.Module()
	if err != nil {
		return nil, err
	}
	built, err := build.Control(ctx, module, output)
	if err != nil {
		return nil, err
	}
	c := &Cluster{module: module, Kubeconfig: kubeconfig, Kubectl: built.Kubectl}
	return c, c.connect()
}

// HasAudit tells whether Audit works: not on somebody else's cluster.
func (c *Cluster) HasAudit() bool { return c.audit != nil }

// Stop ends the control plane at once and removes its state. It may be called
// more than once, and does nothing to an Existing cluster.
func (c *Cluster) Stop() {
	for _, part := range []*process{c.kubelet, c.controllers, c.apiServer, c.etcd} {
		part.kill()
	}
	if c.dir != "" {
		_ = os.RemoveAll(c.dir)
	}
}

func (c *Cluster) connect() error {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	config.UserAgent = "curfew-e2e"
	config.WarningHandler = rest.NoWarnings{} // who runs nothing need not run it safely
	c.Config = config
	c.Client, err = kubernetes.NewForConfig(config)
	return err
}

// Module is the folder of the module curfew/e2e.
func (c *Cluster) Module() string { return c.module }

func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }

var errNotOurs = errors.New("this cluster was not started here")
