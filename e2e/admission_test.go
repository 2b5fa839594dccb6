package e2e_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"curfew/e2e/admission"
	"curfew/e2e/cluster"
	"curfew/e2e/harness"
	"curfew/scaler/kind"
)

// policyLabel says which namespaces a test's binding is for. Its value is the
// test's namespace.
const policyLabel = "e2e.curfew/admission"

// bindPolicy puts a copy of deploy/admission in force, for the test's namespace
// and for Namespaces that carry the label themselves, and waits until it is.
// Curfew's users have failurePolicy Ignore; here an expression that fails shows.
func (s *space) bindPolicy(actions ...string) {
	s.Helper()
	objects, err := harness.Render(s.cluster, "deploy/admission", "")
	s.must(err)
	if len(objects) != 2 {
		s.Fatalf("deploy/admission has %d objects, want a policy and a binding", len(objects))
	}
	for _, object := range objects {
		object.SetName(object.GetName() + "-" + s.namespace)
		spec := object.Object["spec"].(map[string]any)
		switch object.GetKind() {
		case "ValidatingAdmissionPolicy":
			spec["failurePolicy"] = "Fail"
		case "ValidatingAdmissionPolicyBinding":
			spec["policyName"] = spec["policyName"].(string) + "-" + s.namespace
			spec["matchResources"] = map[string]any{"namespaceSelector": map[string]any{"matchLabels": map[string]any{policyLabel: s.namespace}}}
			if len(actions) > 0 {
				spec["validationActions"] = actions
			}
		}
	}
	s.must(harness.Apply(s.ctx, s.cluster, objects))
	client := s.cluster.Client.AdmissionregistrationV1()
	s.Cleanup(func() {
		ctx := context.WithoutCancel(s.ctx)
		for _, object := range objects {
			if object.GetKind() == "ValidatingAdmissionPolicy" {
				_ = client.ValidatingAdmissionPolicies().Delete(ctx, object.GetName(), metav1.DeleteOptions{})
			} else {
				_ = client.ValidatingAdmissionPolicyBindings().Delete(ctx, object.GetName(), metav1.DeleteOptions{})
			}
		}
	})
	label := `{"metadata": {"labels": {"` + policyLabel + `": "` + s.namespace + `"}}}`
	_, err = s.cluster.Client.CoreV1().Namespaces().Patch(s.ctx, s.namespace, types.MergePatchType, []byte(label), metav1.PatchOptions{})
	s.must(err)

	// It takes the API server up to a second to notice, and nothing tells when.
	warned := &warnings{}
	probing := s.warning(warned)
	for {
		_, err := probing.Create(s.ctx, harness.NewDeployment("probe", 1, annotations{harness.Paused: "?"}), dryRun)
		if err != nil && !apierrors.IsInvalid(err) {
			s.Fatal(err)
		}
		// It is this one that has to be in force.
		mine := func(said string) bool { return strings.Contains(said, "'curfew-annotations-"+s.namespace+"'") }
		if err != nil && mine(err.Error()) || slices.ContainsFunc(warned.taken(), mine) {
			return
		}
		s.sleepUntil(time.Now().Add(50 * time.Millisecond))
	}
}

var dryRun = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}

// TestAdmissionLaw: nothing that Curfew understands is refused at the real API
// server, and of what its parser is known to refuse, only what is listed gets past.
func TestAdmissionLaw(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.bindPolicy("Deny")

	t.Run("accepts", func(t *testing.T) {
		t.Parallel()
		texts, err := admission.Texts()
		s.must(err)
		for _, shape := range admission.Shapes {
			texts = append(texts, admission.Fill(shape, 8<<10), admission.Fill(shape, 16<<10), admission.Fill(shape, 60<<10))
		}
		// Each request carries a text for each annotation, as far as there are any.
		var objects []annotations
		for _, key := range admission.Keys() {
			r := rand.New(rand.NewPCG(3, 4))
			understood := slices.Clone(texts)
			for range 200 {
				text := admission.Random(r, key)
				understood = append(understood, text, admission.Mutate(r, text))
			}
			understood = slices.DeleteFunc(understood, func(text string) bool { return !admission.Understood(kind.Deployment, annotations{key: text}) })
			for i, text := range understood {
				if i == len(objects) {
					objects = append(objects, annotations{})
				}
				objects[i][key] = text
			}
			t.Logf("%s: %d texts", key, len(understood))
		}
		s.each(len(objects), func(i int) error {
			if _, err := s.deployments().Create(s.ctx, harness.NewDeployment("web", 1, objects[i]), dryRun); err != nil {
				t.Errorf("%q: %v", objects[i], err)
			}
			return nil
		})
	})

	t.Run("refuses", func(t *testing.T) {
		t.Parallel()
		rules, zones, err := admission.Refusals()
		s.must(err)
		var beyond []string
		for _, texts := range admission.Beyond() {
			beyond = append(beyond, texts...)
		}
		var objects []annotations
		for _, text := range rules {
			objects = append(objects, annotations{harness.Windows: text})
		}
		for _, text := range zones {
			if admission.Understood(kind.Deployment, annotations{harness.Timezone: text}) {
				continue // it is trimmed first
			}
			objects = append(objects, annotations{harness.Timezone: text})
		}
		s.each(len(objects), func(i int) error {
			for _, text := range objects[i] {
				_, err := s.deployments().Create(s.ctx, harness.NewDeployment("web", 1, objects[i]), dryRun)
				if past := slices.Contains(beyond, text); past != (err == nil) {
					t.Errorf("%q: %v; is it listed as what gets past? %v", objects[i], err, past)
				}
			}
			return nil
		})
	})

	t.Run("says", func(t *testing.T) {
		t.Parallel()
		mistakes := admission.Mistakes()
		client, err := dynamic.NewForConfig(s.cluster.Config)
		s.must(err)
		pod := map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": "web"}}, "spec": map[string]any{
			"restartPolicy": "Always", "containers": []any{map[string]any{"name": "web", "image": "pause"}},
		}}
		job := runtime.DeepCopyJSON(pod)
		job["spec"].(map[string]any)["restartPolicy"] = "Never"
		specs := map[*kind.Kind]map[string]any{
			kind.StatefulSet: {"serviceName": "web", "selector": map[string]any{"matchLabels": map[string]any{"app": "web"}}, "template": pod},
			kind.CronJob:     {"schedule": "0 0 * * *", "jobTemplate": map[string]any{"spec": map[string]any{"template": job}}},
			kind.Autoscaler:  {"maxReplicas": int64(3), "scaleTargetRef": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
		}
		s.each(len(mistakes), func(i int) error {
			m := mistakes[i]
			var err error
			switch of := m.Kind; {
			case of == nil:
				namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace + "-new", Labels: map[string]string{policyLabel: s.namespace}, Annotations: m.Annotations}}
				_, err = s.cluster.Client.CoreV1().Namespaces().Create(s.ctx, namespace, dryRun)
			case of == kind.Deployment:
				_, err = s.deployments().Create(s.ctx, harness.NewDeployment("web", 1, m.Annotations), dryRun)
			case specs[of] == nil: // the cluster does not have it
				return nil
			default:
				object := &unstructured.Unstructured{Object: map[string]any{"spec": specs[of]}}
				object.SetGroupVersionKind(of.GroupVersionKind())
				object.SetName("web")
				object.SetAnnotations(m.Annotations)
				_, err = client.Resource(of.Resource).Namespace(s.namespace).Create(s.ctx, object, dryRun)
			}
			if err == nil || !strings.HasSuffix(err.Error(), " denied request: "+m.Message) {
				t.Errorf("%s: %v, want a refusal that ends in\n%s", m.Name, err, m.Message)
			}
			return nil
		})
	})
}

// TestAdmissionWarns: as it is shipped, the policy warns and notes, and refuses
// nothing.
func TestAdmissionWarns(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.needAudit()
	s.bindPolicy()
	output := s.kubectlInput(appliedWith(`Mon-Fri 8-20 CET = 0`), "apply -f -")
	const mistake = `curfew/windows: "Mon-Fri 8-20" has a time without minutes; write two digits for the hour and two for the minute, such as 08:00-20:00`
	if got, want := s.anonymous(output), "Warning: Validation failed for ValidatingAdmissionPolicy 'curfew-annotations' with binding 'curfew-annotations': "+mistake+"\ndeployment.apps/web created\n"; got != want {
		t.Errorf("kubectl says\n%s, want\n%s", got, want)
	}
	requests, err := s.cluster.Audit(s.ctx, cluster.In(s.namespace), cluster.To("deployments"), cluster.Named("web"), cluster.Succeeded, func(r cluster.Request) bool { return r.Verb == "create" })
	s.must(err)
	var noted []struct{ Message string }
	if len(requests) != 1 {
		t.Fatalf("%d requests", len(requests))
	}
	if err := json.Unmarshal([]byte(requests[0].Annotations["validation.policy.admission.k8s.io/validation_failure"]), &noted); err != nil || len(noted) != 1 || noted[0].Message != mistake {
		t.Errorf("the audit log says %v: %v", requests[0].Annotations, err)
	}
}

// TestAdmissionDenies: what kubectl shows, and who is not to be hindered.
func TestAdmissionDenies(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	const bad = "Mon-Fri 8-20 = 0"
	s.create("old", 3, annotations{harness.Windows: bad}) // before there was a policy
	s.awaitState("old", "invalid")
	s.bindPolicy("Deny")

	command, answer := s.fail(appliedWith(bad), "apply -f -")
	if got, want := s.anonymous(answer), `The deployments "web" is invalid: : ValidatingAdmissionPolicy 'curfew-annotations' with binding 'curfew-annotations' denied request: curfew/windows: "Mon-Fri 8-20" has a time without minutes; write two digits for the hour and two for the minute, such as 08:00-20:00`+"\n"; got != want {
		t.Errorf("kubectl %s says\n%s, want\n%s", command, got, want)
	}
	s.fail("", "annotate deployment/old --overwrite curfew/windows=8-20=0")
	s.fail("", "annotate namespace "+s.namespace+" curfew/replicas=3")

	// An old mistake is not the business of who changes something else.
	s.kubectl("annotate deployment/old other=x")
	s.kubectl("label deployment/old other=x")
	s.kubectl("scale deployment/old --replicas=4")
	s.kubectl("set image deployment/old pause=pause:2")
	s.kubectl("annotate deployment/old curfew/replicas=2")
	s.kubectl("annotate deployment/old curfew/windows-")

	// Curfew does all its work.
	s.create("web", 3, annotations{harness.Windows: "always = 0"})
	s.awaitSize("web", 0)
	s.update("web", func(d *appsv1.Deployment) { d.Annotations[harness.Windows] = "none" })
	s.awaitSize("web", 3)
	// What CEL cannot judge, Curfew still reports.
	s.create("far", 3, annotations{harness.Windows: "always Europe/Berln = 0"})
	if status := harness.StatusOf(s.awaitState("far", "invalid")); !strings.Contains(status.Message, "did you mean Europe/Berlin?") {
		t.Errorf("the status is %+v", status)
	}
}

// TestAdmissionTypes: the API server finds nothing to complain about in the
// expressions for the kinds they are for.
func TestAdmissionTypes(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	s.bindPolicy("Deny")
	client := s.cluster.Client.AdmissionregistrationV1().ValidatingAdmissionPolicies()
	for {
		policy, err := client.Get(s.ctx, "curfew-annotations-"+s.namespace, metav1.GetOptions{})
		s.must(err)
		if policy.Status.TypeChecking == nil || policy.Status.ObservedGeneration != policy.Generation {
			s.sleepUntil(time.Now().Add(100 * time.Millisecond))
			continue
		}
		for _, w := range policy.Status.TypeChecking.ExpressionWarnings {
			t.Errorf("%s: %s", w.FieldRef, w.Warning)
		}
		if *policy.Spec.MatchConstraints.MatchPolicy != admissionregistrationv1.Equivalent {
			t.Error("older versions of the API get round the policy")
		}
		return
	}
}

func appliedWith(rules string) string {
	object := harness.NewDeployment("web", 3, annotations{harness.Windows: rules})
	object.APIVersion, object.Kind = "apps/v1", "Deployment"
	text, _ := json.Marshal(object)
	return string(text)
}

// anonymous takes the test's name for the policy out of what kubectl says.
func (s *space) anonymous(output string) string {
	return strings.ReplaceAll(output, "-"+s.namespace, "")
}

// fail runs kubectl, which must fail, and returns the words and what it says.
func (s *space) fail(input, words string) (string, string) {
	s.Helper()
	arguments := append([]string{"--kubeconfig", s.cluster.Kubeconfig, "--namespace", s.namespace}, strings.Fields(words)...)
	command := exec.CommandContext(s.ctx, s.cluster.Kubectl, arguments...)
	command.Stdin = strings.NewReader(input)
	output, err := command.CombinedOutput()
	if err == nil {
		s.Errorf("kubectl %s is not refused:\n%s", words, output)
	}
	return words, string(output)
}

// warnings collects those of the API server.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

// HandleWarningHeader is called by the client.
func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, text)
}

func (w *warnings) taken() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	texts := w.texts
	w.texts = nil
	return texts
}

// warning is the client for Deployments in the test's namespace, with its warnings.
func (s *space) warning(handler rest.WarningHandler) deploymentClient {
	s.Helper()
	config := rest.CopyConfig(s.cluster.Config)
	config.WarningHandler = handler
	client, err := kubernetes.NewForConfig(config)
	s.must(err)
	return client.AppsV1().Deployments(s.namespace)
}
