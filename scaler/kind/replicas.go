package kind

import (
	"curfew/scaler/annotation"
)

// replicas is what kinds have in common whose size is spec.replicas.
type replicas struct{}

// Fields is spec.replicas.
func (replicas) Fields() [][]string { return sizeInReplicas }

var sizeInReplicas = [][]string{{"f:spec", "f:replicas"}}

// Write sets spec.replicas.
func (replicas) Write(_ *Object, size int32, patch Patch) { patch.Set(size, "spec", "replicas") }

// Fit takes every size as it is.
func (replicas) Fit(*annotation.Spec, func(string) bool) annotation.Problems { return nil }
