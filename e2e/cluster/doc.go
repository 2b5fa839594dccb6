// Package cluster runs a real Kubernetes control plane on loopback, from Go
// modules alone: etcd, kube-apiserver and kube-controller-manager, and on
// request a stand-in for the kubelet. There are no nodes and no containers.
//
//	c, err := cluster.Start(ctx, cluster.Options{Output: os.Stderr})
//	…
//	defer c.Stop()
//	c.Client.AppsV1().Deployments("default").List(…)
//	requests, err := c.Audit(ctx, cluster.Writes, cluster.By("somebody"))
//
// The first Start on a machine downloads and builds the control plane, which
// takes minutes; it says so on Options.Output. After that a Start takes two or
// three seconds.
//
// The API server has RBAC on and keeps an audit log, see [Request]: what was
// asked of it, by whom, when, and for a Deployment also with which body.
//
// Everything is throwaway. The parts are child processes that end when this
// process does, however it ends; their state lies under e2e/.state and is
// cleared away.
package cluster
