package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"curfew/e2e/harness"
)

// Whoever writes the object itself while a window holds it says anew what its
// normal size is, each in the way of his tool. Curfew learns it, puts its own
// size back, and gives the new one back when the window ends.

// TestWriters: every usual way to write a Deployment, for real.
func TestWriters(t *testing.T) {
	t.Parallel()
	const apply = "apply -f -"
	const applyServerSide = "apply --server-side -f -"
	for name, test := range map[string]struct {
		install func(s *space, rules annotations) // nil: as created by a client
		write   func(s *space, rules annotations)
		learnt  int32
	}{
		"kubectl apply": {
			install: func(s *space, rules annotations) { s.kubectlInput(manifest("web", 3, rules), apply) },
			write:   func(s *space, rules annotations) { s.kubectlInput(manifest("web", 4, rules), apply) },
			learnt:  4,
		},
		"kubectl apply of what was applied before": {
			install: func(s *space, rules annotations) { s.kubectlInput(manifest("web", 3, rules), apply) },
			write:   func(s *space, rules annotations) { s.kubectlInput(manifest("web", 3, rules), apply) },
			learnt:  3,
		},
		"kubectl apply to what somebody else made": {
			write:  func(s *space, rules annotations) { s.kubectlInput(manifest("web", 4, rules), apply) },
			learnt: 4,
		},
		"kubectl apply, server-side": {
			install: func(s *space, rules annotations) { s.kubectlInput(manifest("web", 3, rules), applyServerSide) },
			write: func(s *space, rules annotations) {
				refusal := s.kubectlRefused(manifest("web", 4, rules), applyServerSide)
				if !strings.Contains(refusal, `conflict with "curfew"`) || !strings.Contains(refusal, ".spec.replicas") {
					s.Errorf("the refusal does not name Curfew and the size: %s", refusal)
				}
				s.kubectlInput(manifest("web", 4, rules), applyServerSide+" --force-conflicts")
			},
			learnt: 4,
		},
		"kubectl edit": {
			write:  func(s *space, _ annotations) { s.kubectlEdit("web", "s/^  replicas: 0$/  replicas: 4/") },
			learnt: 4,
		},
		"kubectl patch, strategic": {
			write: func(s *space, _ annotations) {
				s.kubectl(`patch deployment/web --type=strategic --patch={"spec":{"replicas":4}}`)
			},
			learnt: 4,
		},
		"kubectl patch, merge": {
			write: func(s *space, _ annotations) {
				s.kubectl(`patch deployment/web --type=merge --patch={"spec":{"replicas":4}}`)
			},
			learnt: 4,
		},
		"kubectl patch, JSON": {
			write: func(s *space, _ annotations) {
				s.kubectl(`patch deployment/web --type=json --patch=[{"op":"replace","path":"/spec/replicas","value":4}]`)
			},
			learnt: 4,
		},
		"kubectl replace": {
			write:  func(s *space, _ annotations) { s.kubectlReplace("web", 4) },
			learnt: 4,
		},
		"kubectl replace by a manifest that does not know Curfew's notes": {
			write:  func(s *space, rules annotations) { s.kubectlInput(manifest("web", 4, rules), "replace -f -") },
			learnt: 4,
		},
		"Argo CD": {
			install: func(s *space, rules annotations) { s.applyAs("argocd-controller", "web", 3, rules) },
			write:   func(s *space, rules annotations) { s.applyAs("argocd-controller", "web", 4, rules) },
			learnt:  4,
		},
		"Flux": {
			install: func(s *space, rules annotations) { s.applyAs("kustomize-controller", "web", 3, rules) },
			write:   func(s *space, rules annotations) { s.applyAs("kustomize-controller", "web", 4, rules) },
			learnt:  4,
		},
		"helm upgrade": {
			install: func(s *space, rules annotations) { s.helmInstall("web", 3, rules) },
			write:   func(s *space, rules annotations) { s.helmUpgrade("web", 3, 4, rules) },
			learnt:  4,
		},
		"helm upgrade to the same size": {
			install: func(s *space, rules annotations) { s.helmInstall("web", 3, rules) },
			write:   func(s *space, rules annotations) { s.helmUpgrade("web", 3, 3, rules) },
			learnt:  3,
		},
		"helm upgrade --server-side --force-conflicts": {
			install: func(s *space, rules annotations) { s.applyAs("helm", "web", 3, rules) },
			write:   func(s *space, rules annotations) { s.applyAs("helm", "web", 4, rules) },
			learnt:  4,
		},
		"kubectl scale is drift": {
			write:  func(s *space, _ annotations) { s.kubectl("scale deployment/web --replicas=7") },
			learnt: 3,
		},
		"kubectl scale of what was applied": {
			install: func(s *space, rules annotations) { s.kubectlInput(manifest("web", 3, rules), apply) },
			write:   func(s *space, _ annotations) { s.kubectl("scale deployment/web --replicas=7") },
			learnt:  3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t)
			s.needAudit()
			night := harness.WindowIn(-time.Hour, time.Hour+30*time.Second)
			rules := annotations{harness.Windows: night.Rule("0")}
			if test.install != nil {
				test.install(s, rules)
			} else {
				s.create("web", 3, rules)
			}
			s.awaitWrites("web", 1)

			test.write(s, rules)
			said := s.scaledAt("web")
			if time.Now().After(night.End.Add(-3 * time.Second)) {
				t.Skip("this machine is too slow for the test: the window closed before the size was written")
			}
			s.awaitWrites("web", 2)
			s.settle()
			held := s.get("web")
			if got, want := held.Annotations[harness.Remembered], fmt.Sprint(test.learnt); harness.Size(held) != 0 || got != want {
				t.Errorf("size %d, remembered %q, want 0 and %q", harness.Size(held), got, want)
			}

			s.awaitWrites("web", 3)
			s.settle()
			s.curfewDid("web", step{size: 0}, at(said, 0), at(night.End, test.learnt))
			if got := harness.Size(s.get("web")); got != test.learnt {
				t.Errorf("size %d after the window, want %d", got, test.learnt)
			}
		})
	}
}

// TestWritersOfNothing: 0 is nobody's normal, however it is said. A window of 0
// has nothing to put back, one of 2 puts its 2 back, and both give 3 back.
func TestWritersOfNothing(t *testing.T) {
	t.Parallel()
	for _, window := range []int32{0, 2} {
		for name, write := range map[string]func(s *space, rules annotations){
			"a forced apply": func(s *space, rules annotations) { s.applyAs("argocd-controller", "web", 0, rules) },
			"kubectl apply":  func(s *space, rules annotations) { s.kubectlInput(manifest("web", 0, rules), "apply -f -") },
			"kubectl scale":  func(s *space, _ annotations) { s.kubectl("scale deployment/web --replicas=0") },
		} {
			t.Run(fmt.Sprint(name, " in a window of ", window), func(t *testing.T) {
				t.Parallel()
				s := newSpace(t)
				s.needAudit()
				night := harness.WindowIn(-time.Hour, time.Hour+20*time.Second)
				rules := annotations{harness.Windows: night.Rule(fmt.Sprint(window))}
				s.create("web", 3, rules)
				s.awaitWrites("web", 1)

				steps := []step{{size: window}}
				write(s, rules)
				if window > 0 {
					steps = append(steps, at(s.scaledAt("web"), window))
				}
				if time.Now().After(night.End.Add(-3 * time.Second)) {
					t.Skip("this machine is too slow for the test: the window closed before the size was written")
				}
				s.awaitWrites("web", len(steps))
				s.settle()
				if got := s.get("web").Annotations[harness.Remembered]; got != "3" {
					t.Errorf("remembered %q, want 3", got)
				}
				s.awaitSize("web", 3)
				s.settle()
				s.curfewDid("web", append(steps, at(night.End, 3))...)
			})
		}
	}
}

// manifest is a Deployment as its owner keeps it in a file.
func manifest(name string, size int32, rules annotations) string {
	deployment := harness.NewDeployment(name, size, rules)
	deployment.TypeMeta = metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}
	text, err := json.Marshal(deployment)
	if err != nil {
		panic(err) // there is nothing in it that cannot be written
	}
	return string(text)
}

// applyAs is a forced server-side apply, as GitOps tools do it.
func (s *space) applyAs(manager, name string, size int32, rules annotations) {
	s.Helper()
	force := true
	_, err := s.deployments().Patch(s.ctx, name, types.ApplyPatchType, []byte(manifest(name, size, rules)),
		metav1.PatchOptions{FieldManager: manager, Force: &force})
	s.must(err)
}

// helmInstall and helmUpgrade write as Helm's client does: it creates, and from
// then on sends the strategic patch that leads from the manifest of the last
// release and what is there to the new manifest.
func (s *space) helmInstall(name string, size int32, rules annotations) {
	s.Helper()
	_, err := s.deployments().Create(s.ctx, harness.NewDeployment(name, size, rules), metav1.CreateOptions{FieldManager: "helm"})
	s.must(err)
}

func (s *space) helmUpgrade(name string, from, to int32, rules annotations) {
	s.Helper()
	live, err := json.Marshal(s.get(name))
	s.must(err)
	schema, err := strategicpatch.NewPatchMetaFromStruct(&appsv1.Deployment{})
	s.must(err)
	patch, err := strategicpatch.CreateThreeWayMergePatch(
		[]byte(manifest(name, from, rules)), []byte(manifest(name, to, rules)), live, schema, true)
	s.must(err)
	_, err = s.deployments().Patch(s.ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{FieldManager: "helm"})
	s.must(err)
}

// kubectlEdit is kubectl edit by somebody whose editor is sed.
func (s *space) kubectlEdit(name, script string) {
	s.Helper()
	command := exec.CommandContext(s.ctx, s.cluster.Kubectl, "--kubeconfig", s.cluster.Kubeconfig, "--namespace", s.namespace, "edit", "deployment/"+name)
	command.Env = append(os.Environ(), fmt.Sprintf("KUBE_EDITOR=sed -i '%s'", script))
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "edited") {
		s.Fatalf("kubectl edit: %v\n%s", err, output)
	}
}

// kubectlReplace takes what is there, changes the size, and replaces the whole.
func (s *space) kubectlReplace(name string, size int32) {
	s.Helper()
	var object map[string]any
	s.must(json.Unmarshal([]byte(s.kubectl("get deployment/"+name+" --output=json")), &object))
	object["spec"].(map[string]any)["replicas"] = size
	delete(object["metadata"].(map[string]any), "resourceVersion") // whoever wrote in between loses
	text, err := json.Marshal(object)
	s.must(err)
	s.kubectlInput(string(text), "replace -f -")
}

// kubectlRefused is kubectl with an input that the server is to refuse, and what
// it says to that.
func (s *space) kubectlRefused(input, words string) string {
	s.Helper()
	arguments := append([]string{"--kubeconfig", s.cluster.Kubeconfig, "--namespace", s.namespace}, strings.Fields(words)...)
	command := exec.CommandContext(s.ctx, s.cluster.Kubectl, arguments...)
	command.Stdin = strings.NewReader(input)
	output, err := command.CombinedOutput()
	if err == nil {
		s.Fatalf("kubectl %s is not refused:\n%s", words, output)
	}
	return string(output)
}
