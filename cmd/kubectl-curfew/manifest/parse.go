package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Parse reads the documents of a text, as YAML or JSON. Lists are taken apart. Documents that say neither apiVersion nor
// kind are none of Kubernetes' and are passed over, such as the values of a chart.
func Parse(file string, text []byte) ([]Object, []error) {
	var objects []Object
	var errs []error
	for document := range Documents(text) {
		place := Place{file, document.Line}
		// The line breaks make the parser count the lines of the file. Strict: a key that is there twice is refused, as
		// kubectl apply would.
		var content any
		if err := yaml.UnmarshalStrict(append(bytes.Repeat([]byte("\n"), document.Line-1), document.Text...), &content); err != nil {
			errs = append(errs, placed(place, err))
			continue
		}
		if content == nil {
			continue
		}
		found, err := objectsOf(place, content, "", "")
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", place, err))
		}
		objects = append(objects, found...)
	}
	return objects, errs
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

// objectsOf is the object, or those in a list, whose items may leave apiVersion and kind to it.
func objectsOf(place Place, content any, apiVersion, kind string) ([]Object, error) {
	fields, ok := content.(map[string]any)
	if !ok {
		return nil, errors.New("this is not a Kubernetes object, which has an apiVersion and a kind")
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
		return nil, errors.New("the object has an apiVersion and no kind")
	case u.GetAPIVersion() == "":
		return nil, fmt.Errorf("the %s has no apiVersion", Printable(u.GetKind()))
	case !isList || !strings.HasSuffix(u.GetKind(), "List"):
		return []Object{{u, place}}, nil
	}
	var objects []Object
	var errs []error
	for i, item := range items {
		found, err := objectsOf(place, item, u.GetAPIVersion(), strings.TrimSuffix(u.GetKind(), "List"))
		if err != nil {
			errs = append(errs, fmt.Errorf("items[%d]: %w", i, err))
		}
		objects = append(objects, found...)
	}
	return objects, errors.Join(errs...)
}

// wrappings are the ways that an error of the parser came. Its line, where it says one, is closer than the document's.
var (
	wrappings = regexp.MustCompile(`^(error converting YAML to JSON: |error unmarshaling JSON: |yaml: |unmarshal errors:\s+)+`)
	lineFirst = regexp.MustCompile(`^line ([0-9]+): `)
)

func placed(place Place, err error) error {
	text := wrappings.ReplaceAllString(err.Error(), "")
	if m := lineFirst.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			place.Line, text = n, text[len(m[0]):]
		}
	}
	return fmt.Errorf("%s: %s", place, text)
}
