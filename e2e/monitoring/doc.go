// Package monitoring has no code, only tests of what is in deploy/monitoring: that the alerts fire when they should and
// not otherwise, and that alerts and dashboard ask for metrics that there are.
//
// It is a module of its own so that the Prometheus libraries, and what they need, choose no version for the end-to-end
// tests' Kubernetes.
package monitoring
