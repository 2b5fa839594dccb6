package kinds_test

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// chartWithKinds is what the chart makes of many kinds.
const chartWithKinds = "../helm/testdata/kinds.yaml"

// fromChart are the ClusterRole's rules there, and what --kinds is.
func fromChart(t *testing.T) (rules []rbacv1.PolicyRule, kinds string) {
	t.Helper()
	content, err := os.ReadFile(chartWithKinds)
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(content), "\n---\n") {
		var role rbacv1.ClusterRole
		if yaml.Unmarshal([]byte(document), &role) == nil && role.Kind == "ClusterRole" && role.Name == "curfew" {
			rules = role.Rules
		}
	}
	flag := regexp.MustCompile(`--kinds=(\S+)`).FindSubmatch(content)
	if len(rules) == 0 || flag == nil {
		t.Fatalf("%s has no ClusterRole or no --kinds", chartWithKinds)
	}
	return rules, string(flag[1])
}

// TestRights: what the chart gives for kinds is what Curfew makes use of, and all that it asks for. That each of the usual
// rights is of use, TestRights in e2e has seen.
func TestRights(t *testing.T) {
	t.Parallel()
	rules, kinds := fromChart(t)
	s := newStage(t, rows[0])
	meta := metav1.ObjectMeta{Name: s.namespace}
	rights := s.cluster.Client.RbacV1()
	s.must(rights.RoleBindings(s.namespace).DeleteCollection(s.ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name!=curfew-lease"}))
	_, err := rights.ClusterRoles().Create(s.ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
	s.must(err)
	_, err = rights.ClusterRoleBindings().Create(s.ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.namespace, Name: harness.AccountName}},
	}, metav1.CreateOptions{})
	s.must(err)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(s.ctx)
		_ = rights.ClusterRoleBindings().Delete(ctx, meta.Name, metav1.DeleteOptions{})
		_ = rights.ClusterRoles().Delete(ctx, meta.Name, metav1.DeleteOptions{})
	})

	s.must(define(s.ctx, s.cluster, scaledObjects))
	// It looks after what has its label, wherever that is, and lists as with API servers that cannot send a list in a watch.
	const label = "e2e.curfew/rights"
	binary, err := program()
	s.must(err)
	script, kubeconfig := s.TempDir()+"/curfew", s.TempDir()+"/kubeconfig"
	s.must(os.WriteFile(script, []byte("#!/bin/sh\nexec env KUBE_FEATURE_WatchListClient=false "+binary+" \"$@\"\n"), 0o700))
	s.must(harness.WriteKubeconfig(s.ctx, s.cluster, s.namespace, kubeconfig))
	curfew, err := harness.Run(script, kubeconfig, s.namespace, "--kinds="+kinds, "--selector="+label+"="+s.namespace, "--leader-elect-resource-namespace="+s.namespace)
	s.must(err)
	t.Cleanup(func() {
		curfew.Kill()
		if t.Failed() {
			t.Log(curfew.Log)
		}
	})
	s.must(curfew.AwaitReady(s.ctx))
	named := strings.Split(kinds, ",")
	for _, r := range append(slices.Clone(rows), floor) {
		if !slices.Contains(named, r.flag()) {
			continue
		}
		named = slices.DeleteFunc(named, func(name string) bool { return name == r.flag() })
		on := s.of(r)
		on.createAs("web-"+r.resource.Resource, on.open(), func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{label: s.namespace}) })
		on.awaitSize("web-"+r.resource.Resource, r.asleep)
		on.awaitEvent("web-"+r.resource.Resource, "WindowStarted")
	}
	if len(named) > 0 {
		t.Errorf("nothing is known to try %q with", named)
	}

	mine := cluster.By(harness.User(s.namespace))
	for _, rule := range rules {
		if rule.APIGroups[0] == "events.k8s.io" {
			continue // an event is patched only where it happens again
		}
		for _, verb := range rule.Verbs {
			used := func(r cluster.Request) bool {
				return r.Verb == verb && r.Group == rule.APIGroups[0] && (len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, r.Name))
			}
			if _, err := s.cluster.AwaitAudit(s.ctx, 1, mine, cluster.To(rule.Resources[0]), used, func(r cluster.Request) bool { return r.Succeeded() || r.Open }); err != nil {
				t.Errorf("the right to %s %s.%s is of no use: %v", verb, rule.Resources[0], rule.APIGroups[0], err)
			}
		}
	}
	refused, err := s.cluster.Audit(s.ctx, mine, func(r cluster.Request) bool { return r.Code == 403 })
	s.must(err)
	for _, request := range refused {
		t.Errorf("Curfew asks for more than it may: %s", request)
	}
}

// floor is a HorizontalPodAutoscaler.
var floor = row{
	resource: schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}, kind: "HorizontalPodAutoscaler",
	manifest: func(name string) any {
		return map[string]any{"metadata": map[string]any{"name": name}, "spec": map[string]any{
			"minReplicas": 2, "maxReplicas": 9, "scaleTargetRef": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": "elsewhere"},
		}}
	},
	rule: "3", asleep: "3",
	size: func(u *unstructured.Unstructured) string { return text(u, "spec", "minReplicas") },
}
