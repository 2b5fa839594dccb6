// Package soak keeps Curfew busy for a while, on a cluster of its own: hundreds or thousands of Deployments with a boundary
// every few seconds, people who scale, apply and override, and faults at random. Curfew is built with the race detector.
//
//	make soak                             # 30 minutes, 2,000 Deployments
//	CURFEW_SOAK=5m go test -v ./soak
//
// Without CURFEW_SOAK it lasts a minute, with 300 Deployments; so it runs with the other tests.
package soak
