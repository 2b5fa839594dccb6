package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"curfew/e2e/build"
	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// stage is a cluster with Curfew in it.
type stage struct {
	*narrator
	cluster *cluster.Cluster
	curfew  *harness.Curfew
	files   string
}

func setStage(ctx context.Context, narrator *narrator) (_ *stage, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, errors.New("the stage is not set after two minutes"))
	defer cancel()
	s := &stage{narrator: narrator}
	defer func() {
		if err != nil {
			s.clear()
		}
	}()
	if s.cluster, err = cluster.Start(ctx, cluster.Options{Output: os.Stdout, Kubelet: true}); err != nil {
		return nil, err
	}
	program, err := build.Program(ctx, s.cluster.Module(), "curfew", os.Stdout)
	if err != nil {
		return nil, err
	}
	fmt.Println()
	if err := harness.Install(ctx, s.cluster, "deploy", ""); err != nil {
		return nil, err
	}
	if s.files, err = os.MkdirTemp("", "curfew-demo-"); err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(s.files, "kubeconfig")
	if err := harness.WriteKubeconfig(ctx, s.cluster, harness.Namespace, kubeconfig); err != nil {
		return nil, err
	}
	if s.curfew, err = harness.Run(program, kubeconfig, harness.Namespace); err != nil {
		return nil, err
	}
	return s, errors.Join(s.curfew.AwaitReady(ctx), s.curfew.AwaitLeader(ctx))
}

func (s *stage) clear() {
	if s.curfew != nil {
		s.curfew.Kill()
	}
	if s.cluster != nil {
		s.cluster.Stop()
	}
	if s.files != "" {
		_ = os.RemoveAll(s.files)
	}
}

// kubectl shows a kubectl command, runs it as the cluster's admin, and shows
// what it says.
func (s *stage) kubectl(ctx context.Context, arguments ...string) error {
	s.command("kubectl " + strings.Join(arguments, " "))
	output, err := s.quietly(ctx, arguments...)
	s.quote(output)
	return err
}

func (s *stage) quietly(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, s.cluster.Kubectl, arguments...)
	command.Env = append(os.Environ(), "KUBECONFIG="+s.cluster.Kubeconfig)
	output, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kubectl %s: %w\n%s", strings.Join(arguments, " "), err, output)
	}
	return string(output), nil
}
