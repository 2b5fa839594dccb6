// Package e2e_test runs the built curfew binary, under the ServiceAccount and
// the rights that deploy/ gives it, against a real API server, and reads from
// the audit log what it did.
//
// One cluster serves all tests, which run side by side: mostly they wait for a
// clock. Most of them share one Curfew as well, which watches the whole cluster.
// A test that starts and stops Curfews has a namespace of its own for that, see
// newOwnSpace.
package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"curfew/e2e/build"
	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// ownLabel marks Deployments that the shared Curfew must leave to another one.
const ownLabel = "e2e.curfew/own"

// TestMain runs all tests side by side, and clears up behind them.
func TestMain(m *testing.M) {
	harness.SideBySide(32)
	code := m.Run()
	shared.stop()
	if shared.curfew != nil && shared.curfew.Log.Contains(dataRace) {
		fmt.Fprintln(os.Stderr, shared.curfew.Log)
		code = 1
	}
	os.Exit(code)
}

// shared is what all tests share, made when the first one asks.
var shared suite

type suite struct {
	clusterOnce sync.Once
	cluster     *cluster.Cluster
	clusterErr  error

	curfewOnce sync.Once
	curfew     *harness.Curfew
	curfewErr  error
}

// program is the path of the curfew binary.
var program = sync.OnceValues(func() (string, error) { return build.Tested() })

// getCluster is the one that KUBECONFIG names, or else one of our own.
func (s *suite) getCluster() (*cluster.Cluster, error) {
	s.clusterOnce.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
		defer cancel()
		if kubeconfig := os.Getenv("KUBECONFIG"); kubeconfig != "" {
			fmt.Fprintf(os.Stderr, "KUBECONFIG is set: testing on the cluster of %s\n", kubeconfig)
			s.cluster, s.clusterErr = cluster.Existing(ctx, kubeconfig, os.Stderr)
			if s.clusterErr == nil {
				s.clusterErr = nobodyElse(ctx, s.cluster)
			}
		} else {
			s.cluster, s.clusterErr = cluster.Start(ctx, cluster.Options{Output: os.Stderr, ReadyAfter: true})
		}
	})
	return s.cluster, s.clusterErr
}

// nobodyElse fails if a Curfew leads on the cluster already: two of them would do
// each other's work, and no test could tell whose it was.
func nobodyElse(ctx context.Context, c *cluster.Cluster) error {
	lease, err := c.Client.CoordinationV1().Leases(harness.Namespace).Get(ctx, "curfew", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	spec := lease.Spec
	if spec.HolderIdentity == nil || *spec.HolderIdentity == "" || spec.RenewTime == nil || spec.LeaseDurationSeconds == nil {
		return nil
	}
	if time.Since(spec.RenewTime.Time) > time.Duration(*spec.LeaseDurationSeconds)*time.Second {
		return nil
	}
	return fmt.Errorf("a Curfew is at work on this cluster already: %s", *spec.HolderIdentity)
}

// getCurfew is the one that watches the whole cluster, installed from deploy/.
func (s *suite) getCurfew() (*harness.Curfew, error) {
	s.curfewOnce.Do(func() { s.curfew, s.curfewErr = s.startCurfew() })
	return s.curfew, s.curfewErr
}

func (s *suite) startCurfew() (*harness.Curfew, error) {
	c, err := s.getCluster()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	binary, err := program()
	if err != nil {
		return nil, err
	}
	if err := harness.Install(ctx, c, "deploy", ""); err != nil {
		return nil, err
	}
	// The tests of the admission policy bind one of their own.
	elsewhere := `{"spec": {"matchResources": {"namespaceSelector": {"matchExpressions": [{"key": "` + policyLabel + `", "operator": "DoesNotExist"}]}}}}`
	_, err = c.Client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Patch(ctx, "curfew-annotations", types.MergePatchType, []byte(elsewhere), metav1.PatchOptions{})
	if err != nil {
		return nil, err
	}
	kubeconfig, err := stateFile("curfew.kubeconfig")
	if err != nil {
		return nil, err
	}
	if err := harness.WriteKubeconfig(ctx, c, harness.Namespace, kubeconfig); err != nil {
		return nil, err
	}
	curfew, err := harness.Run(binary, kubeconfig, harness.Namespace, "--selector=!"+ownLabel)
	if err != nil {
		return nil, err
	}
	return curfew, errors.Join(curfew.AwaitReady(ctx), curfew.AwaitLeader(ctx))
}

func (s *suite) stop() {
	if s.curfew != nil {
		s.curfew.Kill()
	}
	if s.cluster != nil {
		s.cluster.Stop()
	}
	if dir, err := stateDir(); err == nil {
		_ = os.RemoveAll(dir)
	}
}

// stateDir is a folder for files that live as long as this process.
var stateDir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "curfew-e2e-") })

func stateFile(name string) (string, error) {
	dir, err := stateDir()
	return filepath.Join(dir, name), err
}
