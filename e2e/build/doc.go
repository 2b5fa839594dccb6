// Package build builds what the end-to-end tests and the demo run: the control
// plane, kubectl, and Curfew's own programs. They go to e2e/.state/bin.
//
// It imports the standard library alone, so that the demo can speak before
// anything large has been compiled.
package build
