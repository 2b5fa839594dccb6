package rewrite

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"curfew/cmd/kubectl-curfew/manifest"
)

// web is an edit of the object of most tests.
func web(set map[string]string, remove ...string) Edit {
	return Edit{Line: 1, Kind: "Deployment", Name: "web", Set: set, Remove: remove}
}

const head = "kind: Deployment\napiVersion: apps/v1\n"

var (
	windows = map[string]string{"curfew/windows": "Mon-Fri 20:00-06:00 = 0\nSat,Sun = 0\n", "curfew/timezone": "Europe/Berlin"}
	size    = map[string]string{"curfew/replicas": "3"}
)

func TestAnnotations(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		edit Edit
		want string
	}{
		"no annotations": {
			head + "metadata:\n  name: web   # the shop\n  labels: {a: b}\nspec: {}\n", web(windows),
			head + "metadata:\n  name: web   # the shop\n  annotations:\n    curfew/timezone: Europe/Berlin\n    curfew/windows: |\n      Mon-Fri 20:00-06:00 = 0\n      Sat,Sun = 0\n  labels: {a: b}\nspec: {}\n",
		},
		"no annotations, at the end of a text without an end of line": {
			head + "metadata:\n    name: web", web(size),
			head + "metadata:\n    name: web\n    annotations:\n      curfew/replicas: \"3\"",
		},
		"no annotations and a name further down": {
			head + "metadata:\n  labels:\n    a: b\n  # its name\n  name: >-\n    web\n\n  uid: x\n", web(size),
			head + "metadata:\n  labels:\n    a: b\n  # its name\n  name: >-\n    web\n  annotations:\n    curfew/replicas: \"3\"\n\n  uid: x\n",
		},
		"empty braces": {
			head + "metadata:\n  name: web\n  annotations: {}\n  labels: {}\n", web(size),
			head + "metadata:\n  name: web\n  annotations:\n    curfew/replicas: \"3\"\n  labels: {}\n",
		},
		"empty braces and a comment": {
			head + "metadata:\n  name: web\n  annotations: { } # none yet\n", web(size),
			head + "metadata:\n  name: web\n  annotations:  # none yet\n    curfew/replicas: \"3\"\n",
		},
		"null": {
			head + "metadata:\n  name: web\n  annotations: null\n  labels: {}\n", web(size),
			head + "metadata:\n  name: web\n  annotations:\n    curfew/replicas: \"3\"\n  labels: {}\n",
		},
		"nothing behind the key": {
			head + "metadata:\n  annotations: # later\n  name: web\n", web(size),
			head + "metadata:\n  annotations: # later\n    curfew/replicas: \"3\"\n  name: web\n",
		},
		"new ones stand where the old ones stood": {
			head + "metadata:\n  name: web\n  annotations:\n      a: b # kept\n      # office hours\n      downscaler/uptime: 'Mon-Fri 06:00-20:00 Europe/Berlin' # old\n      downscaler/downtime-replicas: \"0\"\n\n      # the last\n      z: \"1\"\n",
			web(windows, "downscaler/uptime", "downscaler/downtime-replicas"),
			head + "metadata:\n  name: web\n  annotations:\n      a: b # kept\n      # office hours\n      curfew/timezone: Europe/Berlin\n      curfew/windows: |\n        Mon-Fri 20:00-06:00 = 0\n        Sat,Sun = 0\n\n      # the last\n      z: \"1\"\n",
		},
		"behind the others if none goes": {
			head + "metadata:\n  name: web\n  annotations:\n    a: |\n      x\n      # y\n\n    # foot\n  labels: {}\n", web(size),
			head + "metadata:\n  name: web\n  annotations:\n    a: |\n      x\n      # y\n    curfew/replicas: \"3\"\n\n    # foot\n  labels: {}\n",
		},
		"a value is changed": {
			head + "metadata:\n  name: web\n  annotations:\n    curfew/replicas: \"2\"\n    a: b\n", web(size),
			head + "metadata:\n  name: web\n  annotations:\n    curfew/replicas: \"3\"\n    a: b\n",
		},
		"all go": {
			head + "metadata:\n  name: web\n  annotations: # why\n    # what\n    a: b\n  labels: {}\n", web(nil, "a"),
			head + "metadata:\n  name: web\n  annotations: {} # why\n    # what\n  labels: {}\n",
		},
		"values of many lines go": {
			head + "metadata:\n  annotations:\n    a: |+\n      # no comment\n\n      ---\n    b: \"x\n      # y\\\"\n      z\" # comment\n    c: p\n     q\n\n     r\n    d:\n      late\n    e: 'it''s\n      # so'\n    f: x\n  name: web\n", web(nil, "a", "b", "c", "d", "e"),
			head + "metadata:\n  annotations:\n    f: x\n  name: web\n",
		},
		"windows' line ends": {
			"kind: Deployment\r\napiVersion: apps/v1\r\nmetadata:\r\n  name: web\r\n  annotations:\r\n    a: b\r\n", web(windows, "a"),
			"kind: Deployment\r\napiVersion: apps/v1\r\nmetadata:\r\n  name: web\r\n  annotations:\r\n    curfew/timezone: Europe/Berlin\r\n    curfew/windows: |\r\n      Mon-Fri 20:00-06:00 = 0\r\n      Sat,Sun = 0\r\n",
		},
		"braces": {
			head + "metadata: {name: web, annotations: {a: b, 'downscaler/uptime': \"x, }\", c: d}} # end\n", web(size, "downscaler/uptime"),
			head + "metadata: {name: web, annotations: {a: b, \"curfew/replicas\": \"3\", c: d}} # end\n",
		},
		"braces, and all go": {
			head + "metadata: {name: web, annotations: { a: b, }}\n", web(nil, "a"),
			head + "metadata: {name: web, annotations: {}}\n",
		},
		"braces, and the first goes for nothing": {
			head + "metadata: {name: web, annotations: {a: b, c: d}}\n", web(nil, "a"),
			head + "metadata: {name: web, annotations: {c: d}}\n",
		},
		"braces without annotations": {
			head + "metadata: {name: web}\n", web(windows),
			head + "metadata: {\"annotations\": {\"curfew/timezone\": \"Europe/Berlin\", \"curfew/windows\": \"Mon-Fri 20:00-06:00 = 0\\nSat,Sun = 0\\n\"}, name: web}\n",
		},
		"braces with empty ones": {
			head + "metadata: {name: web, annotations: {}}\n", web(size),
			head + "metadata: {name: web, annotations: {\"curfew/replicas\": \"3\"}}\n",
		},
		"braces in a block": {
			head + "metadata:\n  name: web\n  annotations: {a: b}\n", web(size),
			head + "metadata:\n  name: web\n  annotations: {a: b, \"curfew/replicas\": \"3\"}\n",
		},
		"json": {
			"{\n  \"kind\": \"Deployment\", \"apiVersion\": \"apps/v1\",\n  \"metadata\": {\n    \"annotations\": {\n      \"a\": \"b\",\n      \"downscaler/uptime\": \"x\"\n    },\n    \"name\": \"web\"\n  }\n}\n", web(size, "downscaler/uptime"),
			"{\n  \"kind\": \"Deployment\", \"apiVersion\": \"apps/v1\",\n  \"metadata\": {\n    \"annotations\": {\n      \"a\": \"b\",\n      \"curfew/replicas\": \"3\"\n    },\n    \"name\": \"web\"\n  }\n}\n",
		},
		"json without annotations": {
			"{\n  \"kind\": \"Deployment\", \"apiVersion\": \"apps/v1\",\n  \"metadata\": {\n    \"name\": \"web\"\n  }\n}\n", web(size),
			"{\n  \"kind\": \"Deployment\", \"apiVersion\": \"apps/v1\",\n  \"metadata\": {\n    \"annotations\": {\"curfew/replicas\": \"3\"},\n    \"name\": \"web\"\n  }\n}\n",
		},
		"many documents": {
			"# a\n---\n" + head + "metadata:\n  name: other\n--- # b\n" + head + "metadata:\n  name: web\n...\n---\nx: y\n", Edit{Line: 8, Kind: "Deployment", Name: "web", Set: size},
			"# a\n---\n" + head + "metadata:\n  name: other\n--- # b\n" + head + "metadata:\n  name: web\n  annotations:\n    curfew/replicas: \"3\"\n...\n---\nx: y\n",
		},
		"a document on the line of the dashes": {
			"--- {kind: Deployment, apiVersion: apps/v1, metadata: {name: web}}\n", web(size),
			"--- {kind: Deployment, apiVersion: apps/v1, metadata: {\"annotations\": {\"curfew/replicas\": \"3\"}, name: web}}\n",
		},
		"a list": {
			"apiVersion: v1\nkind: List\nitems:\n- kind: Deployment\n  apiVersion: apps/v1\n  metadata:\n    name: api\n- metadata:\n    name: web\n    namespace: shop\n  kind: Deployment\n  apiVersion: apps/v1\n- kind: Service\n  apiVersion: v1\n  metadata:\n    name: web\n    namespace: shop\n", Edit{Line: 1, Kind: "Deployment", Namespace: "shop", Name: "web", Set: size},
			"apiVersion: v1\nkind: List\nitems:\n- kind: Deployment\n  apiVersion: apps/v1\n  metadata:\n    name: api\n- metadata:\n    name: web\n    namespace: shop\n    annotations:\n      curfew/replicas: \"3\"\n  kind: Deployment\n  apiVersion: apps/v1\n- kind: Service\n  apiVersion: v1\n  metadata:\n    name: web\n    namespace: shop\n",
		},
		"a list of one kind": {
			"apiVersion: apps/v1\nkind: DeploymentList\nitems:\n  - metadata: {name: web}\n", web(size),
			"apiVersion: apps/v1\nkind: DeploymentList\nitems:\n  - metadata: {\"annotations\": {\"curfew/replicas\": \"3\"}, name: web}\n",
		},
		"letters of many bytes": {
			head + "metadata: {labels: {ü: €, 日: 本}, name: web, annotations: {ä: ß, a: é, x: y}}\n", web(size, "a"),
			head + "metadata: {labels: {ü: €, 日: 本}, name: web, annotations: {ä: ß, \"curfew/replicas\": \"3\", x: y}}\n",
		},
		"an anchor elsewhere": {
			head + "metadata:\n  name: web\n  labels: &l\n    a: b\n  annotations:\n    a: b\nspec:\n  selector: *l\n", web(size, "a"),
			head + "metadata:\n  name: web\n  labels: &l\n    a: b\n  annotations:\n    curfew/replicas: \"3\"\nspec:\n  selector: *l\n",
		},
		"what is not there need not be removed": {
			head + "metadata: {name: web}\n", web(nil, "a"),
			head + "metadata: {name: web}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Annotations([]byte(c.text), []Edit{c.edit})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			laws(t, c.text, c.edit, got)
		})
	}
}

// laws: the objects are the same but for the annotations of one, the lines that do not speak of them are all still
// there in their order, and doing it again changes nothing.
func laws(t *testing.T, text string, e Edit, got []byte) {
	t.Helper()
	before, _ := manifest.Parse("f", []byte(text))
	after, errs := manifest.Parse("f", got)
	if len(errs) > 0 || len(before) != len(after) {
		t.Fatalf("%d objects became %d with %v:\n%s", len(before), len(after), errs, got)
	}
	for i, o := range before {
		if o.Place.Line == e.Line && o.GetKind() == e.Kind && o.GetName() == e.Name && o.GetNamespace() == e.Namespace {
			want := map[string]any{}
			metadata := o.Object["metadata"].(map[string]any)
			if old, ok := metadata["annotations"].(map[string]any); ok {
				maps.Copy(want, old)
			}
			maps.DeleteFunc(want, func(key string, _ any) bool { return slices.Contains(e.Remove, key) })
			for key, value := range e.Set {
				want[key] = value
			}
			if _, ok := metadata["annotations"]; ok || len(e.Set) > 0 {
				metadata["annotations"] = want
			}
			// Nothing is left as it was: no braces, or empty ones.
			if m := after[i].Object["metadata"].(map[string]any); len(want) == 0 && m["annotations"] == nil {
				delete(metadata, "annotations")
				delete(m, "annotations")
			}
		}
		if !reflect.DeepEqual(o.Object, after[i].Object) {
			t.Errorf("%v became %v, of\n%s\nnow\n%s", o.Object, after[i].Object, text, got)
		}
	}
	again, err := Annotations(got, []Edit{e})
	if err != nil || string(again) != string(got) {
		t.Errorf("again: %v\n%s\nwas\n%s", err, again, got)
	}
}

// TestUntouched: whatever is set and removed, each line that is not the old or the new annotation is there as it was.
func TestUntouched(t *testing.T) {
	text := "\ufeff# first\n" + head + "metadata:\n  name:   web\n  annotations:\n    # one\n    a: \"1\"   # one\n\n    # two\n    b:  '2'\n    c: >\n      3\n      # 3\n    # end\n  labels: {  x: y }\nspec:\n    replicas:   3\n---\n# other\nx:    y"
	text = strings.TrimPrefix(text, "\ufeff")
	lines := map[string][]string{"a": {"    a: \"1\"   # one"}, "b": {"    b:  '2'"}, "c": {"    c: >", "      3", "      # 3"}}
	for n := range 8 {
		e := Edit{Line: 2, Kind: "Deployment", Name: "web", Set: windows}
		var want []string
		gone := map[string]bool{}
		for i, key := range []string{"a", "b", "c"} {
			if n&(1<<i) != 0 {
				e.Remove = append(e.Remove, key)
				for _, line := range lines[key] {
					gone[line] = true
				}
			}
		}
		for _, line := range strings.Split(text, "\n") {
			if !gone[line] {
				want = append(want, line)
			}
		}
		got, err := Annotations([]byte(text), []Edit{e})
		if err != nil {
			t.Fatal(err)
		}
		laws(t, text, e, got)
		var kept []string
		for _, line := range strings.Split(string(got), "\n") {
			if !strings.Contains(line, "curfew/") && !strings.HasSuffix(line, "= 0") {
				kept = append(kept, line)
			}
		}
		if !slices.Equal(kept, want) {
			t.Errorf("without %v the other lines are\n%s\nwant\n%s", e.Remove, strings.Join(kept, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an anchor":              {head + "metadata:\n  name: web\n  annotations: &a\n    a: b\nspec: *a\n", "line 5: Deployment web: its annotations are an anchor, &a, which others may share; change it by hand"},
		"an alias":               {head + "x: &a {a: b}\nmetadata:\n  name: web\n  annotations: *a\n", "line 6: Deployment web: its annotations are those of an anchor, *a, which others share; change it by hand"},
		"metadata of an alias":   {head + "x: &a {name: web}\nmetadata: *a\n", "line 4: Deployment web: its metadata are those of an anchor, *a, which others share; change it by hand"},
		"a merge":                {head + "x: &a {a: b}\nmetadata:\n  name: web\n  annotations:\n    <<: *a\n    b: c\n", "line 7: Deployment web: its annotations are merged from an anchor; change it by hand"},
		"an anchor on a value":   {head + "metadata:\n  name: web\n  annotations:\n    a: &a b\nx: *a\n", "line 6: Deployment web: annotation a has an anchor; change it by hand"},
		"annotations of no kind": {head + "metadata:\n  name: web\n  annotations: [a]\n", "line 5: Deployment web: its annotations are no mapping; change it by hand"},
		"a list shares an item":  {"kind: List\nx: &a {kind: Deployment, apiVersion: apps/v1, metadata: {name: web}}\nitems: [*a]\n", "line 1: Deployment web: it is there 0 times in this document"},
		"the object is there twice": {"kind: List\nitems:\n- {kind: Deployment, apiVersion: apps/v1, metadata: {name: web}}\n- {kind: Deployment, apiVersion: apps/v1, metadata: {name: web}}\n",
			"line 1: Deployment web: it is there 2 times in this document"},
		"no such document": {"\n" + head + "metadata: {name: web}\n", "line 1: Deployment web: there is no such document"},
		"a question mark":  {head + "metadata:\n  name: web\n  annotations:\n    ? a\n    : b\n", `line 6: Deployment web: something stands on the line before "a"; change it by hand`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Annotations([]byte(c.text), []Edit{web(size, "a")})
			if err == nil || err.Error() != c.want || got != nil {
				t.Errorf("error is %v, want %s\n%s", err, c.want, got)
			}
		})
	}
}

func FuzzAnnotations(f *testing.F) {
	for _, text := range []string{
		head + "metadata:\n  name: web\n  annotations:\n    a: b # c\n    d: |+\n      e\n\n    # f\n    g: 'h'\n",
		head + "metadata: {name: web, annotations: {a: b, 'c': \"d\"}}\n",
		"{\"kind\": \"Deployment\", \"apiVersion\": \"apps/v1\", \"metadata\": {\"name\": \"web\", \"annotations\": {\n\"a\": \"b\"\n}}}",
		head + "metadata:\r\n  annotations: {} # x\r\n  name: web\r\n",
		"kind: List\nitems:\n- kind: Deployment\n  apiVersion: apps/v1\n  metadata:\n    name: web\n",
		head + "metadata:\n  name: web\n  annotations:\n    a: \"b\n\n      c\"\n    d: e\n     f\n  labels: &x {a: b}\n",
		head + "metadata:\n  ? name\n  : web\n  annotations:\n    ? a\n    : b\n",
	} {
		f.Add(text, "curfew/windows", "Mon = 0\nTue = 1\n", "a")
		f.Add(text, "g", "x", "c")
	}
	f.Add(head+"metadata: {annotations: {0: A, '0': \"0\"}}", "00", "0", "2") // one key or two, by chance
	for _, value := range []string{"0\n ", "0\n \n1", " \n0", "0\n\u00a0\n", "0\n \n"} {
		f.Add("kind: A\napiVersion: A\nmetadata:\n 0:", "0", value, "0")
	}
	f.Fuzz(func(t *testing.T, text, key, value, remove string) {
		objects, errs := manifest.Parse("f", []byte(text))
		if len(errs) > 0 {
			t.Skip()
		}
		for _, o := range objects {
			e := Edit{Line: o.Place.Line, Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName(), Set: map[string]string{key: value}, Remove: []string{remove}}
			got, err := Annotations([]byte(text), []Edit{e})
			if err != nil {
				continue
			}
			laws(t, text, e, got)
		}
	})
}
