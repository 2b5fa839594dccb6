// Package bench measures Curfew at scale: the built program, with the rights
// that deploy/ gives it, on a real API server with thousands of Deployments that
// all have their boundary at one moment. The audit log is the clock and the
// witness, and in the same run a client that does nothing but send the same
// PATCHes shows what the API server can do at all.
//
// No controller manager runs: a Deployment is an object and nothing follows from
// its size, or else ReplicaSets and pods would be most of what is measured.
package bench
