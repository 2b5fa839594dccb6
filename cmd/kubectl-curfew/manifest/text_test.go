package manifest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// fileLine is a line of a file as an editor counts, and its characters.
func fileLine(text string, number int) []rune {
	lines := strings.Split(text, "\n")
	if number < 1 || number > len(lines) {
		return nil
	}
	return []rune(strings.TrimPrefix(lines[number-1], "\ufeff"))
}

// TestAt looks for a word of an annotation's value in the file, in every way to write it.
func TestAt(t *testing.T) {
	const head = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  annotations:\n"
	for name, c := range map[string]struct {
		text  string
		where string // of "8-20", which is what is looked for: line:column, or "~" and the place of the value
	}{
		"literal":                           {head + "    curfew/windows: |\n      always = 0\n      Mon 8-20 = 1\n", "8:11"},
		"literal with an indent of its own": {head + "    curfew/windows: |2\n       Sat = 0\n      Mon 8-20 = 1\n", "8:11"},
		"literal, chomped, with a comment":  {head + "    curfew/windows: |- # rules\n\n\n        Mon 8-20 = 1\n\n\n    a: b\n", "9:13"},
		"literal, kept":                     {head + "    curfew/windows: |+\n     Mon 8-20 = 1\n\n", "7:10"},
		"literal, indented further":         {head + "    curfew/windows: |\n      Sat = 0\n          Mon 8-20 = 1\n", "8:15"},
		"literal behind wide letters":       {head + "    curfew/windows: |\n      ä # 世界\n      世 8-20 = 1\n", "8:9"},
		"literal, windows' line ends":       {strings.ReplaceAll(head+"    curfew/windows: |\n      Sat = 0\n      Mon 8-20 = 1\n", "\n", "\r\n"), "8:11"},
		"literal with an anchor and a tag":  {head + "    curfew/windows: &a !!str |\n      Mon 8-20 = 1\n    b: *a\n", "7:11"},
		"folded":                            {head + "    curfew/windows: >\n      Sat = 0\n\n      Mon 8-20 = 1\n", "9:11"},
		"folded into one line":              {head + "    curfew/windows: >-\n      Sat = 0;\n      Mon 8-20 = 1\n", "8:11"},
		"folded, with lines that are not":   {head + "    curfew/windows: >\n      Sat = 0;\n        Sun = 0\n      Mon 8-20 = 1\n", "9:11"},
		"plain":                             {head + "    curfew/windows: Mon 8-20 = 1 # rules\n", "6:25"},
		"plain on the next line":            {head + "    curfew/windows:\n        Mon 8-20 = 1\n", "7:13"},
		"plain with a tag above it":         {head + "    curfew/windows: !!str\n        # rules\n        Mon 8-20 = 1\n", "8:13"},
		"plain on several lines":            {head + "    curfew/windows: Sat = 0;\n      Sun = 0;\n\n      Mon 8-20 = 1\n", "9:11"},
		"single quotes":                     {head + "    curfew/windows: 'Mon 8-20 = 1'\n", "6:26"},
		"single quotes with a quote":        {head + "    curfew/windows: 'it''s; Mon 8-20 = 1'\n", "6:33"},
		"double quotes":                     {head + "    curfew/windows: \"Mon 8-20 = 1\"\n", "6:26"},
		"double quotes with escapes":        {head + `    curfew/windows: "Sat\u0020=\t0\n\x4don 8-20 = 1"` + "\n", "6:44"},
		"double quotes on several lines":    {head + "    curfew/windows: \"Sat = 0;\n      Sun = 0; \\\n      Mon 8-20 = 1\"\n", "8:11"},
		"flow style":                        {"apiVersion: v1\nkind: A\nmetadata: {name: x, annotations: {a: b, curfew/windows: Mon 8-20 = 1}}\n", "3:61"},
		"flow style on several lines":       {"apiVersion: v1\nkind: A\nmetadata: {\n  annotations: {\n    curfew/windows: Mon 8-20 = 1,\n  },\n}\n", "5:25"},
		"json":                              {`{"apiVersion": "v1", "kind": "A", "metadata": {"annotations": {"curfew/windows": "Sat = 0\nMon 8-20 = 1"}}}`, "1:96"},
		"json with tabs":                    {"{\n\t\"apiVersion\": \"v1\", \"kind\": \"A\",\n\t\"metadata\": {\"annotations\": {\n\t\t\"curfew/windows\": \"Mon 8-20 = 1\"}}}", "4:26"},
		"a later document":                  {"# a\n---\n\n---\n# b\n\n" + head + "    curfew/windows: |\n      Mon 8-20 = 1\n---\n", "13:11"},
		"a document behind its dashes":      {"--- {apiVersion: v1, kind: A, metadata: {annotations: {curfew/windows: Mon 8-20 = 1}}}\n", "1:76"},
		"a list":                            {"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n- apiVersion: v1\n  kind: A\n  metadata:\n    annotations:\n      curfew/windows: Mon 8-20 = 1\n", "10:27"},
		"a list in a list":                  {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n- apiVersion: v1\n  kind: AList\n  items:\n  - metadata: {}\n  - metadata: {annotations: {curfew/windows: Mon 8-20 = 1}}\n", "9:50"},
		"an alias":                          {"apiVersion: v1\nkind: A\nrules: &r Mon 8-20 = 1\nmetadata:\n  annotations:\n    curfew/windows: *r\n", "3:15"},
		"a merge":                           {"apiVersion: v1\nkind: A\nrules: &r\n  curfew/windows: Mon 8-20 = 1\nmetadata:\n  annotations:\n    <<: *r\n    a: b\n", "4:23"},
		"a merge of several":                {"apiVersion: v1\nkind: A\nrules: [&q {a: b}, &r {curfew/windows: Mon 8-20 = 1}]\nmetadata:\n  annotations:\n    <<: [*q, *r]\n", "3:44"},
		"a byte order mark":                 {"\ufeff{apiVersion: v1, kind: A, metadata: {annotations: {curfew/windows: Mon 8-20 = 1}}}\n", "1:72"},
		"a break that editors do not see":   {"apiVersion: v1\nkind: A\nmetadata:\n  a: b\u0085  annotations:\n    curfew/windows: Mon 8-20 = 1\n", "5:25"},
	} {
		t.Run(name, func(t *testing.T) {
			objects, errs := Parse("f", []byte(c.text))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			object := objects[len(objects)-1]
			value := object.Annotations()["curfew/windows"]
			offset := strings.Index(value, "8-20")
			if offset < 0 {
				t.Fatalf("the value is %q", value)
			}
			before := value[:offset]
			line := 1 + strings.Count(before, "\n")
			column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])

			text := object.Value("metadata", "annotations", "curfew/windows")
			place, exact := text.At(line, column)
			got := fmt.Sprintf("%d:%d", place.Line, place.Column)
			if !exact {
				got = "~" + got
			}
			if got != c.where || place.File != "f" {
				t.Errorf("line %d, column %d of the value is said to be at %s, want %s", line, column, got, c.where)
			}
			if there := string(fileLine(c.text, place.Line)[place.Column-1:]); exact && !strings.HasPrefix(there, "8-20") {
				t.Errorf("there stands %q", there)
			}
			if text.Source(place.Line) == "" || !strings.Contains(text.Source(place.Line), "8-20") {
				t.Errorf("the line is %q", text.Source(place.Line))
			}
		})
	}
}

func TestPlace(t *testing.T) {
	const text = `# a
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    "curfew/windows": |

        always = 0
    curfew/replicas: 3
    curfew/grace:
    curfew/paused: "  yes"
    curfew/timezone: ""
spec:
  replicas: 2
  template:
    metadata: {annotations: {curfew/windows: none}}
`
	objects, errs := Parse("f", []byte(text))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	object := objects[0]
	for name, c := range map[string]struct {
		got  Text
		want string
	}{
		"the first that is no blank": {object.Value("metadata", "annotations", "curfew/windows"), "f:8:9"},
		"a key in quotes":            {object.Key("metadata", "annotations", "curfew/windows"), "f:6:6"},
		"no text":                    {object.Value("metadata", "annotations", "curfew/replicas"), "f:9:22"},
		"a key":                      {object.Key("metadata", "annotations", "curfew/replicas"), "f:9:5"},
		"blanks in quotes":           {object.Value("metadata", "annotations", "curfew/paused"), "f:11:23"},
		"empty quotes":               {object.Value("metadata", "annotations", "curfew/timezone"), "f:12:22"},
		"a field elsewhere":          {object.Key("spec", "replicas"), "f:14:3"},
		"no such field":              {object.Key("spec", "template", "spec"), "f:15:3"},
		"no such field at all":       {object.Key("status"), "f:2"},
		"a mapping":                  {object.Value("spec", "template", "metadata"), "f:16:15"},
		"deep in flow style":         {object.Value("spec", "template", "metadata", "annotations", "curfew/windows"), "f:16:46"},
		"an object from nowhere":     {Object{Place: Place{File: "g"}}.Value("spec"), "g"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.got.Place().String(); got != c.want {
				t.Errorf("it is at %s, want %s", got, c.want)
			}
			if _, exact := c.got.At(2, 999); exact {
				t.Error("a place beyond the text is said to be known")
			}
			if c.got.Source(0) != "" || c.got.Source(999) != "" {
				t.Error("a line beyond the file is said to be known")
			}
		})
	}
}

// TestEnds: what is missing at the end of a line or of a text has a place too.
func TestEnds(t *testing.T) {
	for text, want := range map[string]string{
		"a: |\n  Mon\n  Tue\n": "f:4:6 f:5:6",
		"a: \"Mon\\nTue\"":     "f:3:8 f:3:13",
		"a: Mon":               "f:3:7 f:3:4",
	} {
		objects, errs := Parse("f", []byte("apiVersion: v1\nkind: A\n"+text))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if place, exact := objects[0].Value("a").At(1, 5); exact {
			t.Errorf("%q: what is behind the end of the first line is said to be at %s", text, place)
		}
		first, _ := objects[0].Value("a").At(1, 4)
		second, _ := objects[0].Value("a").At(2, 4)
		if got := first.String() + " " + second.String(); got != want {
			t.Errorf("%q: the lines end at %s, want %s", text, got, want)
		}
	}
}

// TestTraceGivesUp: where the value is not what is written, there is no place rather than a wrong one.
func TestTraceGivesUp(t *testing.T) {
	for text, value := range map[string]string{
		"abd": "abc", "ab": "abc", "'abc": "abc", "'ab'": "abc", "'abcd'": "abc", `"ab\q"`: "abq", `"ab\x6"`: "abc", `"ab\xzz"`: "abc", `"\`: "a",
		"|\n abd\n": "abc\n", ">\n ab\n": "abc\n", "|": "a", "": "a", "!!str": "a", "a b": "a\nb",
	} {
		if at := trace([]byte(text), 0, value); at != nil {
			t.Errorf("%q is said to be in %q, at %v", value, text, at)
		}
	}
	for text, value := range map[string]string{"abc": "abc", "'abc'": "abc", `"\x61bc"`: "abc", "|\n abc\n": "abc\n", "&a !!str abc": "abc"} {
		if at := trace([]byte(text), 0, value); len(at) != len(value)+1 {
			t.Errorf("%q is said not to be in %q: %v", value, text, at)
		}
	}
}

// lawful checks that whatever is said to stand at a place does stand there, but for what is written otherwise in quotes. It
// returns how many of the characters that are no blanks have a place.
func lawful(t *testing.T, file string, text Text, value string, quoted bool) (exact int) {
	t.Helper()
	for i, line := range strings.Split(value, "\n") {
		for j, c := range []rune(line) {
			place, ok := text.At(i+1, j+1)
			if !ok || unicode.IsSpace(c) {
				continue
			}
			exact++
			source := fileLine(file, place.Line)
			if place.Column > len(source) {
				t.Fatalf("%q: %q is said to be at %s, behind the end of %q", file, c, place, string(source))
			}
			if there := source[place.Column-1]; there != c && (!quoted || there != '\\' && there != '\'') {
				t.Fatalf("%q: %q is said to be at %s, where %q stands", file, c, place, there)
			}
		}
	}
	return exact
}

// FuzzPlaces reads any file. No place in it is wrong.
func FuzzPlaces(f *testing.F) {
	f.Add("{apiVersion: v1, kind: A, metadata: {annotations: {a: b}}}")
	f.Add("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {annotations: &a {a: &b !!str 'x', <<: *a}}\n")
	f.Add("\ufeffapiVersion: v1\r\nkind: A\r\nmetadata:\r\n annotations:\r\n  a: >+2\r\n    x\r\n\r\n   y\r\n  b: \"\\u00e4\\\r\n   z\"\r\n")
	f.Fuzz(func(t *testing.T, file string) {
		objects, _ := Parse("f", []byte(file))
		for _, o := range objects {
			for key, value := range o.Annotations() {
				text := o.Value("metadata", "annotations", key)
				if text.at != nil && text.value == value {
					lawful(t, file, text, value, true)
				}
			}
		}
	})
}

// FuzzStyles writes a text in every style. Where it is read back as the same, each of its characters has a place, and
// in blocks and plain scalars it is that character which stands there.
func FuzzStyles(f *testing.F) {
	for _, text := range []string{"always = 0\nMon 8-20 = 1\n", "a", "  a\n b\n\n\n  c  ", "#", "'", "\"\\", "- a: b", "ä\n世界", "a\tb\u0085c", "x\n\n y\nz", "~", " \n"} {
		f.Add(text, uint8(4))
	}
	styles := []yaml.Style{0, yaml.LiteralStyle, yaml.FoldedStyle, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle}
	f.Fuzz(func(t *testing.T, value string, indent uint8) {
		if !utf8.ValidString(value) {
			t.Skip()
		}
		for _, style := range styles {
			var b strings.Builder
			e := yaml.NewEncoder(&b)
			e.SetIndent(2 + int(indent%7))
			scalar := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Style: style}
			root := map[string]any{"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"annotations": map[string]any{"b": scalar, "c": "d"}}}
			if err := e.Encode(root); err != nil {
				t.Skip()
			}
			objects, errs := Parse("f", []byte(b.String()))
			if len(errs) > 0 || len(objects) != 1 || objects[0].Annotations()["b"] != value {
				continue // the encoder cannot say everything in every style
			}
			text := objects[0].Value("metadata", "annotations", "b")
			first := byteAt([]byte(b.String()), strings.Index(b.String(), "b: ")+3)
			got := lawful(t, b.String(), text, value, first == '"' || first == '\'')
			want := 0
			for _, c := range value {
				if !unicode.IsSpace(c) {
					want++
				}
			}
			if got != want {
				t.Errorf("style %v of %q: %d of %d characters have a place in\n%s", style, value, got, want, b.String())
			}
		}
	})
}

func TestNotText(t *testing.T) {
	for name, c := range map[string]struct {
		annotations string
		want        []string
	}{
		"text":                    {"{curfew/a: b}", nil},
		"a number":                {"{curfew/a: 3, x: 1.5}", []string{`curfew/a 3 is no text; write it in quotes: "3"`, `x 1.5 is no text; write it in quotes: "1.5"`}},
		"a large number":          {"{curfew/a: 1000000}", []string{`curfew/a 1000000 is no text; write it in quotes: "1000000"`}},
		"true":                    {"{curfew/a: true}", []string{`curfew/a true is no text; write it in quotes: "true"`}},
		"true in other words":     {"{curfew/a: Yes, curfew/b: off}", []string{`curfew/a Yes is no text; write it in quotes: "true"`, `curfew/b off is no text; write it in quotes: "false"`}},
		"a number in other words": {"{curfew/a: 0x10}", []string{`curfew/a 0x10 is no text; write it in quotes: "0x10"`}},
		"nothing":                 {"{curfew/a: , curfew/b: ~}", []string{"curfew/a it has no value; write one, or remove it", "curfew/b it has no value; write one, or remove it"}},
		"a list":                  {"{curfew/a: [b]}", []string{"curfew/a this is no text; write text"}},
		"none of ours":            {"{a: 3}", nil},
		"no annotations":          {"", nil},
		"an odd annotation":       {"[curfew/a]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			objects, errs := Parse("f", []byte("apiVersion: v1\nkind: A\nmetadata:\n  annotations: "+c.annotations))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			var got []string
			for _, m := range objects[0].NotText("curfew/") {
				got = append(got, m.Key+" "+m.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("mistakes are %q, want %q", got, c.want)
			}
		})
	}
}
