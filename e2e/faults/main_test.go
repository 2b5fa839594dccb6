// Package faults_test breaks everything around Curfew, one thing at a time, and
// has one judge say whether it kept its word: see harness.Judge. The cluster is
// its own, for the API server is killed and hung, and etcd's data are set back.
//
//	make faults
//
// runs all of it, some ten minutes. Without CURFEW_LONG=1, as in make e2e, it is
// the quickest scenario of each kind.
package faults_test

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

// TestMain runs all tests that can be side by side so, and clears up behind them.
func TestMain(m *testing.M) {
	harness.SideBySide(32)
	code := m.Run()
	if asked {
		if c, err := startedCluster(); err == nil {
			c.Stop()
		}
	}
	os.Exit(code)
}

// long tells whether there is time for all of it.
func long() bool { return os.Getenv("CURFEW_LONG") != "" }

// needTime skips what has a quicker one of its kind.
func needTime(t *testing.T) {
	t.Helper()
	if !long() {
		t.Skip("takes its time: CURFEW_LONG=1, as in make faults")
	}
}

var asked bool // whether a test needs the cluster

var startedCluster = sync.OnceValues(func() (*cluster.Cluster, error) {
	asked = true
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	return cluster.Start(ctx, cluster.Options{Output: os.Stderr})
})

// program is the path of the curfew binary.
var program = sync.OnceValues(func() (string, error) { return build.Tested() })
