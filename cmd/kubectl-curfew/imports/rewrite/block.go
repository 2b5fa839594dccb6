package rewrite

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// block changes annotations that stand on lines of their own.
func (s *source) block(name, annotations *yaml.Node, e Edit) ([]splice, error) {
	var gone []splice
	indent, end, kept := "", 0, 0
	for i := 0; i+1 < len(annotations.Content); i += 2 {
		k, v := annotations.Content[i], annotations.Content[i+1]
		from, blanks, err := s.start(k)
		if err != nil {
			return nil, err
		}
		if !e.goes(k.Value) {
			kept++
		} else if v.Anchor != "" || k.Anchor != "" {
			return nil, at(v, "annotation %s has an anchor", k.Value)
		}
		if e.goes(k.Value) || i+2 == len(annotations.Content) {
			if end, err = s.end(k, v); err != nil {
				return nil, err
			}
		}
		if e.goes(k.Value) {
			gone = append(gone, splice{from, end, ""})
		}
		indent = blanks
	}
	lines := s.blockEntries(e, indent)
	switch {
	case len(gone) > 0 && len(e.Set) > 0:
		// New ones take the place of the first that goes: what is said above it is likely to be said of them.
		gone[0].text = lines
		if to := gone[0].to; to == len(s.text) && to > 0 && s.text[to-1] != '\n' {
			gone[0].text = lines[:len(lines)-len(s.eol)]
		}
	case len(e.Set) > 0:
		gone = append(gone, s.insert(end, lines))
	case kept == 0 && len(gone) > 0:
		colon, err := s.colon(name)
		if err != nil {
			return nil, err
		}
		gone = append(gone, splice{colon + 1, colon + 1, " {}"})
	}
	return gone, nil
}

// end is where the line starts that follows an entry of a block.
func (s *source) end(k, v *yaml.Node) (int, error) {
	if v.Kind != yaml.ScalarNode {
		return 0, at(v, "the value of %s is no text", k.Value)
	}
	if v.Value == "" && v.Tag == "!!null" {
		return s.next(k.Line), nil
	}
	i, err := s.offset(v)
	if err != nil {
		return 0, err
	}
	indent := k.Column - 1
	switch {
	case v.Style&yaml.TaggedStyle != 0 || v.Anchor != "":
		return 0, at(v, "the value of %s has a tag or an anchor", k.Value)
	case v.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		if i, err = s.quoted(i); err != nil {
			return 0, err
		}
		return s.next(s.lineOf(i - 1)), nil
	}
	last := v.Line
	literal := v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	for n := last + 1; n <= len(s.lines); n++ {
		row := s.row(n)
		content := bytes.TrimLeft(row, " ")
		if len(bytes.TrimSpace(content)) == 0 {
			continue // it belongs to the value if more of that comes
		}
		if len(row)-len(content) <= indent || !literal && content[0] == '#' {
			break
		}
		last = n
	}
	return s.next(last), nil
}
