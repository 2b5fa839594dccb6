package downscaler

import (
	"strings"
	"testing"

	"curfew/cmd/kubectl-curfew/manifest"
)

// TestForeignNamespaces: the old tool scales what is in these once it is told to. Curfew's rules on them would reach
// nothing, so they are refused rather than lost; a Deployment's own are said in full.
func TestForeignNamespaces(t *testing.T) {
	const text = `apiVersion: v1
kind: Namespace
metadata: {name: SYSTEM, annotations: {downscaler/uptime: "Mon-Fri 07:30-20:30 Europe/Berlin"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: SYSTEM, annotations: {downscaler/downtime-replicas: "1"}}
`
	for _, tool := range []Tool{Python, Go} {
		for _, system := range leftAlone {
			objects, _ := manifest.Parse("f", []byte(strings.ReplaceAll(text, "SYSTEM", system)))
			all := New(Options{Tool: tool, Now: now})(objects)
			if len(all) != 2 || len(all[0].Unsaid) != 1 || !strings.Contains(all[0].Unsaid[0], "workloads in "+system+" take no rules over from it") {
				t.Fatalf("%s, %s: %+v", tool, system, all)
			}
			if got := all[1].Set["curfew/windows"]; !strings.Contains(got, "Mon-Fri 07:30-20:30 = normal\nalways = ") || all[1].Set["curfew/timezone"] != "Europe/Berlin" {
				t.Errorf("%s, %s: the Deployment's rules are %q", tool, system, all[1].Set)
			}
		}
	}
}
