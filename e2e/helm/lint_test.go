package helm

import (
	"testing"

	"helm.sh/helm/v4/pkg/action"
)

// TestLint is `helm lint --strict`, with every set of values that the golden files are made of.
func TestLint(t *testing.T) {
	for name, set := range sets {
		t.Run(name, func(t *testing.T) {
			lint := action.NewLint()
			lint.Strict, lint.Namespace = true, "curfew"
			if set.apis != nil {
				t.Skip("helm lint knows no --api-versions")
			}
			result := lint.Run([]string{chartDir}, parse(t, set.values))
			for _, err := range result.Errors {
				t.Error(err)
			}
			for _, message := range result.Messages {
				t.Log(message)
			}
		})
	}
}
