package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// otherKinds have the schedules of another tool.
const otherKinds = `apiVersion: v1
kind: Namespace
metadata: {name: shop, annotations: {downscaler/uptime: Mon-Fri 08:00-18:00 UTC}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop, annotations: {downscaler/uptime: Mon-Sat 08:00-18:00 UTC}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: backup, namespace: shop, annotations: {downscaler/exclude: "true"}}
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: front, namespace: shop}
`

// TestImportKinds: what is changed is called by its kind, and the controller has to look after that.
func TestImportKinds(t *testing.T) {
	for name, c := range map[string]struct {
		stdin string
		args  []string
		kinds string // "" is that nothing is said
		other []string
	}{
		"Deployments alone":       {downscaled, nil, "", nil},
		"as annotated":            {otherKinds, nil, "deployments.apps,statefulsets.apps", []string{"the old tool scales every Rollout in it as well if it was told so"}},
		"as the old tool is told": {otherKinds, []string{"--include-resources", "statefulsets,rollouts"}, "rollouts.argoproj.io,statefulsets.apps", nil},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"-f", "-", "-o", "patch"}, c.args...)
			code, stdout, stderr := importNow(c.stdin, args...)
			want := "start the controller with --kinds=" + c.kinds + ", and"
			if c.kinds == "" {
				want = ""
			}
			if code != 0 || !strings.Contains(stderr, want) || want == "" && strings.Contains(stderr, "--kinds") {
				t.Errorf("exit code %d, %s", code, stderr)
			}
			for _, text := range c.other {
				if !strings.Contains(stderr, text) {
					t.Errorf("there is no %q in %s", text, stderr)
				}
			}
			if c.kinds != "" && (!strings.Contains(stdout, "kubectl patch statefulset.apps/db --namespace=shop --type=merge") || !strings.Contains(stdout, "kubectl patch cronjob.batch/backup ") || !strings.Contains(stdout, "kubectl patch namespace/shop ")) {
				t.Errorf("the patches are\n%s", stdout)
			}
			_, stdout, _ = importNow(c.stdin, append([]string{"-f", "-", "-o", "json"}, c.args...)...)
			var list struct{ Kinds []string }
			if err := json.Unmarshal([]byte(stdout), &list); err != nil {
				t.Fatal(err)
			}
			if want := strings.Split(c.kinds, ","); c.kinds != "" && !slices.Equal(list.Kinds, want) {
				t.Errorf("as JSON they are %q, want %q", list.Kinds, want)
			}
		})
	}
}
