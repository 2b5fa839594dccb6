package e2e_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/harness"
)

// readmeBlocks are the code blocks in some language of the README and the pages
// in docs/.
func readmeBlocks(s *space, language string) []string {
	s.Helper()
	pages, err := filepath.Glob(filepath.Join(filepath.Dir(s.cluster.Module()), "docs", "*.md"))
	s.must(err)
	blocks := blocksIn(s, "README.md", language)
	for _, page := range pages {
		blocks = append(blocks, blocksIn(s, filepath.Join("docs", filepath.Base(page)), language)...)
	}
	return blocks
}

// blocksIn are those of one page.
func blocksIn(s *space, page, language string) []string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(s.cluster.Module()), page))
	s.must(err)
	var blocks []string
	for _, match := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, match[1])
	}
	return blocks
}

// TestReadmeManifests applies the README's manifests as a reader would: the API server
// accepts each, and Curfew understands each Deployment.
func TestReadmeManifests(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	deployments := 0
	for _, block := range readmeBlocks(s, "yaml") {
		for _, object := range documents(t, block) {
			// A kustomization is not for the API server, and a fragment is not
			// for anybody.
			if object.GetKind() == "" || object.GetKind() == "Kustomization" {
				continue
			}
			object.SetNamespace("")
			manifest, err := object.MarshalJSON()
			s.must(err)
			s.kubectlInput(string(manifest), "apply --server-side --validate=strict -f -")
			switch object.GetKind() {
			case "Namespace", "ClusterRole", "ClusterRoleBinding": // they would outlive the test
				s.kubectl("delete --wait=false " + object.GetKind() + " " + object.GetName())
			}
			if _, ours := object.GetAnnotations()["curfew/windows"]; object.GetKind() != "Deployment" || !ours {
				continue // among them what was written for another tool
			}
			deployments++
			deployment := s.await(object.GetName(), "a status", func(d *appsv1.Deployment) bool { return harness.StatusOf(d) != nil })
			if status := harness.StatusOf(deployment); status.State == "invalid" {
				t.Errorf("Curfew does not accept the Deployment %s: %s", object.GetName(), status.Message)
			}
			s.must(s.deployments().Delete(s.ctx, object.GetName(), metav1.DeleteOptions{})) // the next may have its name
		}
	}
	if deployments == 0 {
		t.Error("the README has no Deployment in a yaml block")
	}
}

// TestReadmeCommands runs the README's console blocks as they stand, and expects
// what they show. A manifest that begins with its file's name, as "# shop.yaml",
// is there under that name.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	consoles := readmeBlocks(s, "console")
	if len(consoles) == 0 {
		t.Skip("the README has no console block")
	}
	path, err := plugin()
	s.must(err)
	dir := t.TempDir()
	for _, block := range readmeBlocks(s, "yaml") {
		if name, found := strings.CutPrefix(strings.SplitN(block, "\n", 2)[0], "# "); found && filepath.Ext(name) == ".yaml" {
			s.must(os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(block), 0o600))
		}
	}
	for _, block := range consoles {
		for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
			words, want, _ := strings.Cut(part, "\n")
			command := exec.CommandContext(s.ctx, "sh", "-c", words)
			command.Dir = dir
			// kubectl, and beside it the plugin.
			command.Env = append(os.Environ(), "PATH="+filepath.Dir(s.cluster.Kubectl)+":"+filepath.Dir(path)+":"+os.Getenv("PATH"), "KUBECONFIG="+s.cluster.Kubeconfig)
			got, _ := command.CombinedOutput() // a command may be there to show how it fails
			if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(string(got))); diff != "" {
				t.Errorf("$ %s\n(- README, + now)\n%s", words, diff)
			}
		}
	}
}

// TestReadmeSession runs the README's commands for the plugin one after the other, on its own Deployment, under a
// Curfew. What they print depends on the hour, so only their exit codes count.
func TestReadmeSession(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	for _, block := range blocksIn(s, "README.md", "yaml") {
		if strings.HasPrefix(block, "# shop.yaml\n") {
			s.kubectlInput(block, "apply -f -")
		}
	}
	s.await("shop", "a status", func(d *appsv1.Deployment) bool { return harness.StatusOf(d) != nil })
	ran := 0
	for _, block := range blocksIn(s, "README.md", "sh") {
		for line := range strings.Lines(block) {
			words, found := strings.CutPrefix(line, "kubectl curfew ")
			if !found {
				continue
			}
			words, _, _ = strings.Cut(words, " #")
			command := s.pluginCommand(strings.Fields(words)...)
			command.Dir = t.TempDir()
			if output, err := command.CombinedOutput(); err != nil {
				t.Errorf("$ %s%v\n%s", line, err, output)
			}
			ran++
		}
	}
	if ran == 0 {
		t.Error("the README has no command for the plugin in a sh block")
	}
}

// documents are the YAML documents in a text.
func documents(t testing.TB, text string) []*unstructured.Unstructured {
	t.Helper()
	var found []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), len(text))
	for {
		content := map[string]any{}
		err := decoder.Decode(&content)
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Errorf("not YAML: %v\n%s", err, text)
			return found
		}
		found = append(found, &unstructured.Unstructured{Object: content})
	}
}
