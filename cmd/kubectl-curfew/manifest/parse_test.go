package manifest

import (
	"fmt"
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	const object = "apiVersion: v1\nkind: A\nmetadata: {name: "
	for name, c := range map[string]struct {
		text    string
		objects []string
		errs    []string
	}{
		"empty":                                   {"", nil, nil},
		"comments alone":                          {"# a\n---\n# b\n--- # c\n...\n", nil, nil},
		"one without an end of line":              {object + "x}", []string{"f:1: A x"}, nil},
		"the line is that of the text":            {"\n# a\n---\n\n" + object + "x}\n---\n# b\n" + object + "z, namespace: ns}\n", []string{"f:5: A x", "f:10: A ns/z"}, nil},
		"windows' line ends":                      {"---\r\napiVersion: v1\r\nkind: A\r\n---\r\napiVersion: v1\r\nkind: B\r\n", []string{"f:2: A ", "f:5: B "}, nil},
		"a directive, and text behind the dashes": {"%YAML 1.1\n--- {apiVersion: v1, kind: A}\n", []string{"f:2: A "}, nil},
		"dashes inside a text are no end":         {"apiVersion: v1\nkind: A\ndata:\n  x: |\n    ---\n    a\n---x: b\n", []string{"f:1: A "}, nil},
		"json":                                    {`{"apiVersion": "v1", "kind": "A", "metadata": {"name": "x"}}`, []string{"f:1: A x"}, nil},
		"json with escapes of its own":            {`{"apiVersion": "v1", "kind": "A", "metadata": {"name": "x", "annotations": {"a": "\/", "b": "\ud83d\ude00"}}}`, []string{"f:1: A x"}, nil},
		"json with a key twice":                   {"---\n" + `{"a": "\/", "b": 1, "b": 2}`, nil, []string{`f:2: duplicate field "b"`}},
		"json with a key twice, on a line":        {"{\n\"b\": 1,\n\"b\": 2}", nil, []string{`f:3: key "b" already set in map`}},
		"items that are no objects": {"apiVersion: v1\nkind: List\nitems: [1, {apiVersion: v1, kind: A}, null, {kind: B}]\n", []string{"f:1: A "}, []string{
			"f:1: items[0]: this is not a Kubernetes object, which has an apiVersion and a kind", "f:1: items[2]: this is not a Kubernetes object, which has an apiVersion and a kind", "f:1: items[3]: the B has no apiVersion"}},
		"what comes after a bad document": {"a: [\n---\nb: 1\nb: 2\n---\n- c\n---\n" + object + "x}\n", []string{"f:8: A x"}, []string{
			"f:1: did not find expected node content", `f:4: key "b" already set in map`, "f:6: this is not a Kubernetes object, which has an apiVersion and a kind"}},
		"the patches of a kustomization":      {"- {op: add, path: /x, value: 1}\n- {op: remove, path: /y}\n", nil, nil},
		"a list of something else":            {"- {op: add}\n", nil, []string{"f:1: this is not a Kubernetes object, which has an apiVersion and a kind"}},
		"every key that is there twice":       {"a: 1\na: 2\nb: 1\nb: 2\n", nil, []string{`f:2: key "a" already set in map`, `f:4: key "b" already set in map`}},
		"a name that a terminal would act on": {object + "\"\\e[2J\"}\n", []string{`f:1: A "\x1b[2J"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			found, mistakes := Parse("f", []byte(c.text))
			var objects, errs []string
			for _, o := range found {
				objects = append(objects, fmt.Sprint(o))
			}
			for _, err := range mistakes {
				errs = append(errs, err.Error())
			}
			if !slices.Equal(objects, c.objects) {
				t.Errorf("objects are %q, want %q", objects, c.objects)
			}
			if !slices.Equal(errs, c.errs) {
				t.Errorf("errors are %q, want %q", errs, c.errs)
			}
		})
	}
}
