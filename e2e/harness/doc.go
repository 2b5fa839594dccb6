// Package harness puts Curfew into a cluster as a user would and watches what it
// does: it applies the manifests of deploy/, runs the curfew binary under the
// ServiceAccount they create, makes Deployments with windows near now, and reads
// from the audit log what Curfew wrote to them.
//
// It returns errors and knows no testing.T, for the demo uses it too.
package harness
