// Command controlplane is the parts of a Kubernetes control plane in one
// program, each started by its name and with its own usual flags:
//
//	controlplane etcd …
//	controlplane kube-apiserver …
//	controlplane kube-controller-manager …
//	controlplane kubelet …                    a stand-in, see kubelet.go
//
// It is one program because the parts share nearly all their code: linking it
// once is quicker than linking four. It runs them one to a process so that a
// test can stop one and keep the others.
//
// Every part ends when its standard input does. The package cluster holds the
// other end, so nothing is left running when a test is killed.
package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	_ "time/tzdata" // a CronJob may name a zone on a machine that has no zone files

	"github.com/spf13/cobra"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	parts := map[string]func() *cobra.Command{
		"etcd":                    newEtcdCommand,
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllers.NewControllerManagerCommand,
		"kubelet":                 newKubeletCommand,
	}
	if len(os.Args) < 2 || parts[os.Args[1]] == nil {
		names := slices.Sorted(maps.Keys(parts))
		fmt.Fprintf(os.Stderr, "usage: controlplane %s [flags]\n", strings.Join(names, " | "))
		os.Exit(2)
	}
	go exitWithParent()

	command := parts[os.Args[1]]()
	command.SetArgs(os.Args[2:])
	if command.Context() == nil { // the API server brings its own
		command.SetContext(context.Background())
	}
	if err := command.Execute(); err != nil {
		fmt.Fprintf(os.Stderr, "controlplane %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

// exitWithParent ends the process, without ceremony, when whoever started it
// closes its standard input or dies. All state is throwaway.
func exitWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}
