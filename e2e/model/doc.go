// Package model tells random stories about one Deployment, to Curfew and to a model of what Curfew promises, and compares
// how they end. Everything is in its tests.
//
// The model (model_test.go, rules_test.go, wall_test.go) is written from the documents and knows nothing of how Curfew works things out.
// It looks at the wall clock tick by tick, where Curfew reckons with boundaries, and it is told what people do, where Curfew has
// only managedFields and its own annotations to go by. A story is told to the decision alone (decide_test.go), by the thousand, and to the whole
// controller in virtual time (controller_test.go).
//
// A story that ends differently is shortened until nothing more can be left out, and printed as an entry for the
// table in kept_test.go.
package model
