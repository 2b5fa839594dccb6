// Package rewrite changes annotations in the text of manifests, and not a byte around them: comments, order, quotes,
// indents and line ends stay as somebody wrote them. It is pure.
package rewrite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"curfew/cmd/kubectl-curfew/manifest"
)

// Edit is what becomes of the annotations of one object.
type Edit struct {
	Line                  int // of the document that the object is in, as [manifest.Place] has it
	Kind, Namespace, Name string
	Set                   map[string]string
	Remove                []string // what Set has as well is set
}

// Fault says why an annotation cannot be changed.
type Fault struct {
	Line    int // in the text
	Object  string
	Problem string
}

// Error is the fault with its place.
func (f Fault) Error() string { return fmt.Sprintf("line %d: %s: %s", f.Line, f.Object, f.Problem) }

// object is the object of the edit, for messages.
func (e Edit) object() string {
	if e.Namespace != "" {
		return fmt.Sprintf("%s %s/%s", manifest.Printable(e.Kind), manifest.Printable(e.Namespace), manifest.Printable(e.Name))
	}
	return manifest.Printable(e.Kind) + " " + manifest.Printable(e.Name)
}

// Annotations returns the text with the annotations changed. What it cannot change without damage, such as an anchor
// that other objects share, it refuses; then there is no text at all.
func Annotations(text []byte, edits []Edit) ([]byte, error) {
	var splices []splice
	var errs []error
	lines := map[int]bool{}
	for document := range manifest.Documents(text) {
		lines[document.Line] = true
		var mine []Edit
		for _, e := range edits {
			if e.Line == document.Line {
				mine = append(mine, e)
			}
		}
		if len(mine) == 0 {
			continue
		}
		own, err := inDocument(document.Text, mine)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, s := range own {
			splices = append(splices, splice{s.from + document.From, s.to + document.From, s.text})
		}
	}
	for _, e := range edits {
		if !lines[e.Line] {
			errs = append(errs, Fault{e.Line, e.object(), "there is no such document"})
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return apply(text, splices), nil
}

// splice is one replacement in a text.
type splice struct {
	from, to int
	text     string
}

// apply carries out replacements that do not overlap.
func apply(text []byte, splices []splice) []byte {
	splices = slices.Clone(splices)
	slices.SortStableFunc(splices, func(a, b splice) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, s := range splices {
		out = append(append(out, text[at:s.from]...), s.text...)
		at = s.to
	}
	return append(out, text[at:]...)
}

// inDocument is the edits of one document as replacements in its text. They are tried out: whatever the ways of YAML,
// the document means afterwards what it meant before, but for the annotations.
func inDocument(text []byte, edits []Edit) ([]splice, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if len(root.Content) != 1 {
		return nil, errors.New("there is no object in this document")
	}
	s := newSource(text)
	var splices []splice
	for _, e := range edits {
		found := find(root.Content[0], e, "")
		if len(found) != 1 {
			return nil, Fault{e.Line, e.object(), fmt.Sprintf("it is there %d times in this document", len(found))}
		}
		own, err := s.inObject(found[0], e)
		if err != nil {
			return nil, Fault{s.line(e, err), e.object(), without(err).Error() + "; change it by hand"}
		}
		splices = append(splices, own...)
	}
	if err := check(text, apply(text, splices), edits); err != nil {
		return nil, Fault{edits[0].Line, edits[0].object(), err.Error()}
	}
	return splices, nil
}

// find returns the nodes of an object, in lists as well. kind is that of the items of a list, which they may leave out.
func find(node *yaml.Node, e Edit, kind string) []*yaml.Node {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	own := scalar(value(node, "kind"))
	if own == "" {
		own = kind
	}
	items := value(node, "items")
	if strings.HasSuffix(own, "List") && items != nil && items.Kind == yaml.SequenceNode {
		var found []*yaml.Node
		for _, item := range items.Content {
			found = append(found, find(item, e, strings.TrimSuffix(own, "List"))...)
		}
		return found
	}
	metadata := value(node, "metadata")
	if metadata != nil && metadata.Kind == yaml.AliasNode {
		metadata = metadata.Alias
	}
	if own == e.Kind && scalar(value(metadata, "name")) == e.Name && scalar(value(metadata, "namespace")) == e.Namespace {
		return []*yaml.Node{node}
	}
	return nil
}

// value returns the value of a key in a mapping; nil if there is none.
func value(mapping *yaml.Node, key string) *yaml.Node {
	_, v := entry(mapping, key)
	return v
}

func entry(mapping *yaml.Node, key string) (k, v *yaml.Node) {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i], mapping.Content[i+1]
		}
	}
	return nil, nil
}

func scalar(node *yaml.Node) string {
	if node == nil || node.Kind != yaml.ScalarNode {
		return ""
	}
	return node.Value
}
