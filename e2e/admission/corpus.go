package admission

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"curfew/scaler/kind"
	"curfew/scaler/observe"
)

// Understood tells whether Curfew reads annotations on an object of that kind without complaint.
func Understood(of *kind.Kind, annotations map[string]string) bool {
	o := &kind.Object{Kind: of, ObjectMeta: metav1.ObjectMeta{Annotations: annotations}}
	return len(observe.Workload(o, nil, nil, observe.Settings{}).Problems) == 0
}

// Kinds are those that Curfew knows, and one that it does not.
func Kinds() []*kind.Kind { return append(kind.Known(), rollout) }

var rollout = kind.NewScaled(schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"}, "Rollout")

// Root is Curfew's source tree.
func Root() string { return filepath.Join(filepath.Dir(Path()), "..", "..") }

// Texts is every string that some test of Curfew's has in it, and the rules in its test
// data: whatever anybody has thought of writing into an annotation, and much else. They
// are sorted, and such as an API server would take.
func Texts() ([]string, error) {
	var texts []string
	err := filepath.WalkDir(Root(), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != Root():
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		texts = append(texts, literals(file)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(Root(), "timewindow", "testdata", "windows.json"))
	if err != nil {
		return nil, err
	}
	var cases []struct{ Windows, Timezone string }
	if err := json.Unmarshal(data, &cases); err != nil {
		return nil, err
	}
	for _, c := range cases {
		texts = append(texts, c.Windows, c.Timezone)
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return !utf8.ValidString(text) })
	slices.Sort(texts)
	return slices.Compact(texts), nil
}

// Refusals is what timewindow's own tests list as mistakes in rules, and in the name of a zone.
func Refusals() (rules, zones []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(Root(), "timewindow", "refusals_test.go"), nil, 0)
	if err != nil {
		return nil, nil, err
	}
	firsts := func(in ast.Node) []string { // of each element, the first string
		var found []string
		ast.Inspect(in, func(n ast.Node) bool {
			list, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			for _, element := range list.Elts {
				if all := literals(element); len(all) > 0 && utf8.ValidString(all[0]) {
					found = append(found, all[0])
				}
			}
			return false
		})
		return found
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if v, ok := d.Specs[0].(*ast.ValueSpec); ok && v.Names[0].Name == "refused" {
				rules = firsts(d)
			}
		case *ast.FuncDecl:
			if d.Name.Name == "TestLoadZoneRefuses" {
				zones = firsts(d)
			}
		}
	}
	if len(rules) < 100 || len(zones) < 15 {
		return nil, nil, fmt.Errorf("only %d refused rules and %d refused zones: have timewindow's tests moved?", len(rules), len(zones))
	}
	return rules, zones, nil
}

// literals are the strings in a piece of Go.
func literals(in ast.Node) []string {
	var found []string
	ast.Inspect(in, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}
