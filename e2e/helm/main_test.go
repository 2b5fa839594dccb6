package helm

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"curfew/e2e/build"
	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestMain runs all tests side by side, and clears up behind them.
func TestMain(m *testing.M) {
	harness.SideBySide(8)
	code := m.Run()
	if c, err := started(); c != nil && err == nil {
		c.Stop()
	}
	os.Exit(code)
}

var asked bool

// started is the cluster if a test has asked for it.
func started() (*cluster.Cluster, error) {
	if !asked {
		return nil, nil
	}
	return shared()
}

// shared is one cluster for all tests. Its pods become ready, so `helm --wait` has something to wait for.
var shared = sync.OnceValues(func() (*cluster.Cluster, error) {
	asked = true
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	return cluster.Start(ctx, cluster.Options{Output: os.Stderr, Kubelet: true})
})

// program is the path of the curfew binary.
var program = sync.OnceValues(func() (string, error) {
	c, err := shared()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	return build.Program(ctx, c.Module(), "curfew", os.Stderr)
})
