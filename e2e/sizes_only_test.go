package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"curfew/e2e/harness"
)

// TestHeldToSizes: under the policy of docs/threat-model.md Curfew works as ever, and whoever has its token cannot do
// more than Curfew does.
func TestHeldToSizes(t *testing.T) {
	t.Parallel()
	s := newOwnSpace(t)
	s.needAudit()
	page, err := os.ReadFile(filepath.Join(s.cluster.Module(), "..", "docs", "threat-model.md"))
	s.must(err)
	block := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindStringSubmatch(string(page))
	if block == nil {
		t.Fatal("the page has no policy")
	}
	name := "curfew-sizes-only-" + s.namespace
	text := strings.NewReplacer("curfew-sizes-only", name, "system:serviceaccount:curfew:curfew", harness.User(s.home)).Replace(block[1])
	s.must(harness.Apply(s.ctx, s.cluster, documents(t, text)))
	s.Cleanup(func() {
		ctx, client := context.WithoutCancel(s.ctx), s.cluster.Client.AdmissionregistrationV1()
		_ = client.ValidatingAdmissionPolicyBindings().Delete(ctx, name, metav1.DeleteOptions{})
		_ = client.ValidatingAdmissionPolicies().Delete(ctx, name, metav1.DeleteOptions{})
	})

	token, err := harness.Token(s.ctx, s.cluster, s.home)
	s.must(err)
	config := rest.AnonymousClientConfig(s.cluster.Config)
	config.BearerToken = token
	thief, err := kubernetes.NewForConfig(config)
	s.must(err)
	before := s.create("probe", 1, nil)
	patch := func(text string) error {
		_, err := thief.AppsV1().Deployments(s.namespace).Patch(s.ctx, "probe", types.MergePatchType, []byte(text), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	for patch(`{"metadata":{"labels":{"a":"b"}}}`) == nil { // it takes the API server up to a second to notice
		s.sleepUntil(time.Now().Add(50 * time.Millisecond))
	}
	for what, text := range map[string]string{
		"an image":             `{"spec":{"template":{"spec":{"containers":[{"name":"pause","image":"evil"}]}}}}`,
		"an account":           `{"spec":{"template":{"spec":{"serviceAccountName":"admin"}}}}`,
		"the pods' labels":     `{"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}}`,
		"the strategy":         `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":5}}}}`,
		"a pause":              `{"spec":{"paused":true}}`,
		"a limit":              `{"spec":{"revisionHistoryLimit":0}}`,
		"a deadline":           `{"spec":{"progressDeadlineSeconds":700}}`,
		"readiness":            `{"spec":{"minReadySeconds":7}}`,
		"a label":              `{"metadata":{"labels":{"a":"b"}}}`,
		"no label":             `{"metadata":{"labels":null}}`,
		"a finalizer":          `{"metadata":{"finalizers":["example.com/keep"]}}`,
		"somebody's":           `{"metadata":{"annotations":{"example.com/owner":"me"}}}`,
		"one more annotation":  `{"metadata":{"annotations":{"example.com/more":"me"}}}`,
		"one annotation less":  `{"metadata":{"annotations":{"example.com/owner":null}}}`,
		"all annotations gone": `{"metadata":{"annotations":null}}`,
		"a swap":               `{"metadata":{"annotations":{"example.com/owner":null,"example.com/more":"me"}}}`,
	} {
		if err := patch(text); err == nil || !strings.Contains(err.Error(), "Curfew changes") {
			t.Errorf("%s can be changed: %v", what, err)
		}
	}
	if err := patch(`{"metadata":{"annotations":{"curfew/status":"{}"}},"spec":{"replicas":2}}`); err != nil {
		t.Errorf("a size cannot: %v", err)
	}
	s.untouched(before)

	s.startLeader()
	night := harness.WindowIn(4*time.Second, 3*time.Second)
	s.create("web", 3, annotations{harness.Windows: night.Rule("0")})
	s.awaitWrites("web", 3)
	s.settle()
	s.curfewDid("web", adopted, at(night.Start, 0), at(night.End, 3))
}
