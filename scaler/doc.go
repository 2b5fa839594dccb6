// Package scaler is the controller: it watches Deployments, decides by their annotations and the time what size each
// should have, and writes the difference.
//
//	watch → informer cache → key → queue → reconcile: read the cache, decide, write one patch if anything differs
//	                                 ↑                              │
//	                                 └───── again at the boundary ──┘
//
// The parts, a file each: [Controller] moves keys between informer and queue; [Reconciler] turns one key into one
// decision; [Patcher] is the only one that writes to workloads; [observe.Trim] keeps the cache small. The decision itself is
// package decide, and the annotations are package annotation.
package scaler
