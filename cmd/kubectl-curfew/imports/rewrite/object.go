package rewrite

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const key = "annotations"

// inObject is an edit as replacements in the text.
func (s *source) inObject(object *yaml.Node, e Edit) ([]splice, error) {
	_, metadata := entry(object, "metadata")
	if err := own(metadata, "metadata"); err != nil {
		return nil, err
	}
	name, annotations := entry(metadata, key)
	flow := metadata.Style&yaml.FlowStyle != 0
	switch {
	case annotations == nil && len(e.Set) == 0:
		return nil, nil
	case annotations == nil && flow:
		return s.intoFlow(metadata, e)
	case annotations == nil:
		return s.intoBlock(metadata, e)
	case annotations.Kind == yaml.ScalarNode && annotations.Tag == "!!null" && annotations.Anchor == "":
		if len(e.Set) == 0 {
			return nil, nil
		}
		return s.fill(metadata, name, annotations, e)
	}
	if err := own(annotations, key); err != nil {
		return nil, err
	}
	switch {
	case len(annotations.Content) == 0 && len(e.Set) == 0:
		return nil, nil
	case len(annotations.Content) == 0:
		return s.fill(metadata, name, annotations, e)
	case annotations.Style&yaml.FlowStyle != 0:
		return s.flow(annotations, e)
	}
	return s.block(name, annotations, e)
}

// own is an error if a mapping belongs to more than one place.
func own(node *yaml.Node, name string) error {
	switch {
	case node == nil:
		return errors.New("it has no metadata")
	case node.Kind == yaml.AliasNode:
		return at(node, "its %s are those of an anchor, *%s, which others share", name, node.Value)
	case node.Anchor != "":
		return at(node, "its %s are an anchor, &%s, which others may share", name, node.Anchor)
	case node.Kind != yaml.MappingNode:
		return at(node, "its %s are no mapping", name)
	case node.Style&yaml.TaggedStyle != 0:
		return at(node, "its %s have a tag, %s", name, node.Tag)
	}
	for i := 0; i < len(node.Content); i += 2 {
		if node.Content[i].Tag == "!!merge" {
			return at(node.Content[i], "its %s are merged from an anchor", name)
		}
	}
	return nil
}

// keys is what to set, in the order to write it in.
func (e Edit) keys() []string { return slices.Sorted(maps.Keys(e.Set)) }

// goes reports whether what a key has now is to go, be it for something new.
func (e Edit) goes(key string) bool {
	_, set := e.Set[key]
	return set || slices.Contains(e.Remove, key)
}

// blockEntries is what to set, as lines of a block.
func (s *source) blockEntries(e Edit, indent string) string {
	var b strings.Builder
	for _, key := range e.keys() {
		b.WriteString(blockEntry(key, e.Set[key], indent, s.eol))
	}
	return b.String()
}

// insert puts whole lines where a line starts, or behind a last line that has no end.
func (s *source) insert(i int, lines string) splice {
	if i == len(s.text) && i > 0 && s.text[i-1] != '\n' {
		lines = s.eol + strings.TrimSuffix(lines, s.eol)
	}
	return splice{i, i, lines}
}

// intoBlock adds annotations to metadata that have none: behind the name, where people look for them.
func (s *source) intoBlock(metadata *yaml.Node, e Edit) ([]splice, error) {
	if len(metadata.Content) == 0 {
		return nil, errOdd
	}
	first, indent, err := s.start(metadata.Content[0])
	if err != nil {
		return nil, err
	}
	i := first
	for _, name := range []string{"name", "namespace"} {
		if k, v := entry(metadata, name); k != nil {
			end, err := s.end(k, v)
			if err != nil {
				return nil, err
			}
			i = max(i, end)
		}
	}
	lines := indent + key + ":" + s.eol + s.blockEntries(e, indent+"  ")
	return []splice{s.insert(i, lines)}, nil
}

// intoFlow adds annotations to metadata in braces that have none: in front.
func (s *source) intoFlow(metadata *yaml.Node, e Edit) ([]splice, error) {
	open, err := s.offset(metadata)
	if err != nil {
		return nil, err
	}
	if open >= len(s.text) || s.text[open] != '{' || len(metadata.Content) == 0 {
		return nil, errOdd
	}
	first, err := s.offset(metadata.Content[0])
	if err != nil {
		return nil, err
	}
	lead := s.text[open+1 : first]
	if len(bytes.TrimSpace(lead)) > 0 {
		return nil, errOdd // a comment
	}
	gap := string(lead)
	if len(lead) == 0 {
		gap = " "
	}
	return []splice{{first, first, quote(key) + ": {" + strings.Join(flowEntries(e), ", ") + "}," + gap}}, nil
}

// fill writes annotations where there are none behind the key.
func (s *source) fill(metadata, name, annotations *yaml.Node, e Edit) ([]splice, error) {
	colon, err := s.colon(name)
	if err != nil {
		return nil, err
	}
	from := colon + 1
	to := from
	written := annotations.Kind == yaml.MappingNode || annotations.Value != ""
	if written {
		if from, err = s.offset(annotations); err != nil {
			return nil, err
		}
		to = from + len(annotations.Value)
		if annotations.Kind == yaml.MappingNode {
			rest := bytes.TrimLeft(s.text[min(from+1, len(s.text)):], " \t\r\n")
			if s.text[from] != '{' || len(rest) == 0 || rest[0] != '}' {
				return nil, errOdd
			}
			to = len(s.text) - len(rest) + 1
		}
	}
	if metadata.Style&yaml.FlowStyle != 0 {
		space := ""
		if !written {
			space = " "
		}
		return []splice{{from, to, space + "{" + strings.Join(flowEntries(e), ", ") + "}"}}, nil
	}
	_, indent, err := s.start(name)
	if err != nil {
		return nil, err
	}
	// The blanks before what was written there go with it.
	blanks := len(s.text[:from]) - len(bytes.TrimRight(s.text[colon+1:from], " \t")) - (colon + 1)
	if rest := s.text[to:s.next(s.lineOf(to))]; len(bytes.TrimSpace(rest)) > 0 {
		blanks = 0 // a comment stays where it is
	}
	end := s.next(s.lineOf(max(to-1, colon)))
	return []splice{{from - blanks, to, ""}, s.insert(end, s.blockEntries(e, indent+"  "))}, nil
}
