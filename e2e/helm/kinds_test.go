package helm

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// TestKindsByKustomize: the kustomization in docs/kinds.md gives what the chart does for the same kinds.
func TestKindsByKustomize(t *testing.T) {
	page, err := os.ReadFile(source + "/docs/kinds.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(# kinds/kustomization.yaml\n.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/kinds.md has no kustomization")
	}
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deploy, err := filepath.Abs(source + "/deploy")
	if err != nil {
		t.Fatal(err)
	}
	if deploy, err = filepath.Rel(folder, deploy); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(block[1]), "../deploy", deploy, 1)
	if err := os.WriteFile(folder+"/kustomization.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	kustomized, err := made.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	flag := regexp.MustCompile(`--kinds=(\S+)`).FindSubmatch(kustomized)
	if flag == nil {
		t.Fatal("it does not say --kinds")
	}
	r, err := template(load(t), parse(t, "kinds: ["+string(flag[1])+"]"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := clusterRights(t, string(kustomized)), clusterRights(t, r.Manifest); !slices.Equal(got, want) {
		t.Errorf("kustomized it may\n%s\nand by the chart\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// clusterRights are those of the ClusterRole among some manifests, a line each, sorted.
func clusterRights(t *testing.T, manifests string) []string {
	t.Helper()
	var rights []string
	for document := range strings.SplitSeq(manifests, "\n---\n") {
		var role rbacv1.ClusterRole
		if yaml.Unmarshal([]byte(document), &role) != nil || role.Kind != "ClusterRole" || role.Name != "curfew" {
			continue
		}
		for _, rule := range role.Rules {
			rights = append(rights, fmt.Sprint(rule))
		}
	}
	if len(rights) == 0 {
		t.Fatal("there is no ClusterRole")
	}
	slices.Sort(rights)
	return rights
}
