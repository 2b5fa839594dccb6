// Package helm holds deploy/chart to what it promises, through Helm's own library.
//
// It says whether what was rendered from the chart is current (the plain manifests, the table of values), whether it
// renders what it should, and whether a release can be installed, upgraded, rolled back and uninstalled on a real API
// server without losing anything.
//
// It is a module of its own so that the control plane of curfew/e2e is built from the versions that Kubernetes pins,
// not from those that Helm wants.
package helm
