package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// Parse reads the documents of a text, as YAML or JSON. Lists are taken apart. Documents that say neither apiVersion nor
// kind are none of Kubernetes' and are passed over, such as the values of a chart.
func Parse(file string, text []byte) ([]Object, []error) {
	var objects []Object
	var errs []error
	for d := range Documents(text) {
		place := Place{File: file, Line: d.Line}
		content, err := decode(d.Text)
		if err != nil {
			errs = append(errs, placed(place, err)...)
			continue
		}
		if content == nil || isPatch(content) {
			continue
		}
		found, mistakes := objectsOf(position{document: &document{place: place, text: d.Text}}, content, "", "")
		objects, errs = append(objects, found...), append(errs, mistakes...)
	}
	return objects, errs
}

// decode reads a document. A key that is there twice is refused, as kubectl apply would. Whole numbers are integers, as
// whoever reads fields of an unstructured object expects.
func decode(text []byte) (any, error) {
	var content any
	inJSON, err := yaml.YAMLToJSONStrict(text)
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(inJSON, &content)
	}
	if err == nil {
		return content, twice(text, content)
	}
	if strings.Contains(err.Error(), "already set in map") || !json.Valid(text) {
		return content, err
	}
	// JSON has two escapes that YAML lacks: that of a slash, and pairs that make one character.
	doubled, err := kjson.UnmarshalStrict(text, &content, kjson.DisallowDuplicateFields)
	return content, errors.Join(append(doubled, err)...)
}

// Document is one document of a text.
type Document struct {
	Line int    // that of its first text, counted from 1
	From int    // where that line starts, in bytes
	Text []byte // from there to its end, with blanks for the dashes that may stand before it
}

// Documents yields the documents of a text that have anything but comments in them.
func Documents(text []byte) iter.Seq[Document] {
	return func(yield func(Document) bool) {
		from, number := 0, 0 // number is that of the last line with an end
		var d Document
		flush := func() bool {
			more := d.Line == 0 || yield(d)
			d = Document{}
			return more
		}
		for from < len(text) {
			line := text[from:]
			if i := bytes.IndexByte(line, '\n'); i >= 0 {
				line = line[:i+1]
			}
			start := from
			from += len(line)
			number++
			rest := line
			if end, ok := bytes.CutPrefix(line, []byte("...")); ok && len(bytes.TrimSpace(end)) == 0 {
				if !flush() {
					return
				}
				continue
			}
			if after, ok := bytes.CutPrefix(line, []byte("---")); ok && (len(after) == 0 || strings.ContainsRune(" \t\r\n", rune(after[0]))) {
				if !flush() {
					return
				}
				rest = append([]byte("   "), after...) // the document may start on this line
			}
			trimmed := bytes.TrimSpace(rest)
			if d.Line == 0 && (len(trimmed) == 0 || trimmed[0] == '#' || trimmed[0] == '%') {
				continue
			}
			if d.Line == 0 {
				d.Line, d.From = number, start
			}
			d.Text = append(d.Text, rest...)
		}
		flush()
	}
}

// isPatch recognises the patches of a kustomization, which are lists of operations.
func isPatch(content any) bool {
	operations, _ := content.([]any)
	for _, operation := range operations {
		fields, _ := operation.(map[string]any)
		op, _ := fields["op"].(string)
		if _, ok := fields["path"].(string); !ok || op == "" {
			return false
		}
	}
	return len(operations) > 0
}

// objectsOf is the object, or those in a list, whose items may leave apiVersion and kind to it.
func objectsOf(at position, content any, apiVersion, kind string) ([]Object, []error) {
	place := at.document.place
	unreadable := func(problem string) []error {
		for i := len(at.items) - 1; i >= 0; i-- {
			problem = fmt.Sprintf("items[%d]: %s", at.items[i], problem)
		}
		return []error{&Unreadable{place, problem}}
	}
	fields, ok := content.(map[string]any)
	if !ok {
		return nil, unreadable("this is not a Kubernetes object, which has an apiVersion and a kind")
	}
	u := &unstructured.Unstructured{Object: fields}
	if u.GetKind() == "" && u.GetAPIVersion() == "" && kind != "" {
		u.SetAPIVersion(apiVersion)
		u.SetKind(kind)
	}
	items, isList := fields["items"].([]any)
	switch {
	case u.GetKind() == "" && u.GetAPIVersion() == "":
		return nil, nil
	case u.GetKind() == "":
		return nil, unreadable("the object has an apiVersion and no kind")
	case u.GetAPIVersion() == "":
		return nil, unreadable(fmt.Sprintf("the %s has no apiVersion", Printable(u.GetKind())))
	case !isList || !strings.HasSuffix(u.GetKind(), "List"):
		return []Object{{u, place, at}}, nil
	}
	var objects []Object
	var errs []error
	for i, item := range items {
		below := position{at.document, append(slices.Clip(at.items), i)}
		found, mistakes := objectsOf(below, item, u.GetAPIVersion(), strings.TrimSuffix(u.GetKind(), "List"))
		objects, errs = append(objects, found...), append(errs, mistakes...)
	}
	return objects, errs
}

// Unreadable is the error about a file or document that cannot be read.
type Unreadable struct {
	Place   Place
	Problem string
}

// Error is the place and the problem.
func (u *Unreadable) Error() string { return u.Place.String() + ": " + u.Problem }

// wrappings are the ways that an error of the parser came. Its line, where it says one, is counted in the document.
var (
	wrappings = regexp.MustCompile(`^(error converting YAML to JSON: |error unmarshaling JSON: |yaml: |unmarshal errors:\s+)+`)
	lineFirst = regexp.MustCompile(`^line ([0-9]+): `)
)

// placed are the complaints of the parser, which may be several in one error.
func placed(place Place, err error) []error {
	var errs []error
	for text := range strings.Lines(wrappings.ReplaceAllString(err.Error(), "")) {
		at, text := place, strings.TrimSpace(text)
		if m := lineFirst.FindStringSubmatch(text); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				at.Line, text = place.Line+n-1, text[len(m[0]):]
			}
		}
		errs = append(errs, &Unreadable{at, text})
	}
	return errs
}
