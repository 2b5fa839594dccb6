package build

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ControlPlane are the paths of the programs that make a cluster.
type ControlPlane struct {
	// Parts is the program of e2e/cmd/controlplane.
	Parts string
	// Kubectl is kubectl.
	Kubectl string
}

// Control builds the control plane, or makes sure that it is there and up to
// date. When nothing it is made from has changed it does not even ask the go
// command.
func Control(ctx context.Context, module string, output io.Writer) (ControlPlane, error) {
	kubernetes, err := wanted()
	if err != nil {
		return ControlPlane{}, err
	}
	built := ControlPlane{
		Parts:   filepath.Join(bin(module), "controlplane"+kubernetes.suffix),
		Kubectl: filepath.Join(bin(module), "kubectl"+kubernetes.suffix),
	}
	if err := os.MkdirAll(bin(module), 0o755); err != nil {
		return built, err
	}
	unlock, err := lock(filepath.Join(bin(module), "lock"), output)
	if err != nil {
		return built, err
	}
	defer unlock()

	current, err := key(module, kubernetes)
	if err != nil {
		return built, err
	}
	keyFile := filepath.Join(bin(module), "key"+kubernetes.suffix)
	if last, err := os.ReadFile(keyFile); err == nil && string(last) == current && exist(built.Parts, built.Kubectl) {
		return built, nil
	}
	if exist(keyFile) {
		fmt.Fprintln(output, "Building the control plane anew, for its sources have changed.")
	} else {
		fmt.Fprintf(output, "Building etcd, kube-apiserver, kube-controller-manager and kubectl %s from their sources.\n"+
			"The first time this downloads 90 MB and takes about five minutes on two cores. After that it takes none.\n", kubernetes.version)
	}
	for _, target := range []struct{ output, pkg string }{
		{built.Parts, "./cmd/controlplane"},
		{built.Kubectl, "k8s.io/kubernetes/cmd/kubectl"},
	} {
		err := run(ctx, module, output, "-modfile="+kubernetes.modfile, "-o", target.output, "-ldflags="+kubernetes.stamps(), target.pkg)
		if err != nil {
			return built, err
		}
	}
	return built, os.WriteFile(keyFile, []byte(current), 0o644)
}
