// Package kinds_test has one table of kinds and one of scenarios, and plays each
// scenario with each kind against a real API server: what is true of Deployments
// is true of whatever else has a size. The audit log says what was written.
package kinds_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"curfew/e2e/build"
	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestMain runs all tests side by side, and clears up behind them.
func TestMain(m *testing.M) {
	harness.SideBySide(64)
	code := m.Run()
	if asked {
		if c, err := startedCluster(); err == nil {
			c.Stop()
		}
	}
	os.Exit(code)
}

var asked bool // whether a test needs the cluster

var startedCluster = sync.OnceValues(func() (*cluster.Cluster, error) {
	asked = true
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	c, err := cluster.Start(ctx, cluster.Options{Output: os.Stderr})
	if err != nil {
		return nil, err
	}
	definitions, err := filepath.Glob("testdata/*-crd.yaml")
	if err != nil {
		return c, err
	}
	for _, file := range definitions {
		if file == scaledObjects { // a test shows what is so before it is there
			continue
		}
		if err := define(ctx, c, file); err != nil {
			return c, fmt.Errorf("%s: %w", file, err)
		}
	}
	return c, nil
})

// scaledObjects is the file that defines them.
const scaledObjects = "testdata/scaledobject-crd.yaml"

// define has the API server serve a custom resource.
func define(ctx context.Context, c *cluster.Cluster, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	definition := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &definition.Object); err != nil {
		return err
	}
	if err := harness.Apply(ctx, c, []*unstructured.Unstructured{definition}); err != nil {
		return err
	}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	_, err = c.AwaitObject(ctx, definitions, metav1.NamespaceAll, definition.GetName(), "established", func(u *unstructured.Unstructured) bool {
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, condition := range conditions {
			if fields, ok := condition.(map[string]any); ok && fields["type"] == "Established" && fields["status"] == "True" {
				return true
			}
		}
		return false
	})
	return err
}

// program is the path of the curfew binary.
var program = sync.OnceValues(func() (string, error) { return build.Tested() })
