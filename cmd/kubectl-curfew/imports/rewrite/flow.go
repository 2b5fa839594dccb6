package rewrite

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// flow changes annotations in braces.
func (s *source) flow(annotations *yaml.Node, e Edit) ([]splice, error) {
	type piece struct {
		from, to int
		gone     bool
	}
	var pieces []piece
	for i := 0; i+1 < len(annotations.Content); i += 2 {
		k, v := annotations.Content[i], annotations.Content[i+1]
		from, err := s.offset(k)
		if err != nil {
			return nil, err
		}
		if k.Anchor != "" || v.Anchor != "" {
			return nil, at(v, "annotation %s has an anchor", k.Value)
		}
		to, err := s.flowEnd(k, v)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece{from, to, e.goes(k.Value)})
	}
	open, err := s.offset(annotations)
	if err != nil {
		return nil, err
	}
	if s.text[open] != '{' {
		return nil, errOdd
	}
	// What stands between two new ones: as between the old ones, or behind the brace.
	gap := ", "
	if lead := s.text[open+1 : pieces[0].from]; len(pieces) > 1 {
		gap = string(s.text[pieces[0].to:pieces[1].from])
	} else if bytes.ContainsAny(lead, "\r\n") {
		gap = "," + string(lead)
	}
	if strings.TrimSpace(gap) != "," {
		gap = ", " // a comment
	}
	var out strings.Builder
	last := -1 // the piece that was kept last
	news := flowEntries(e)
	add := func(text string, i int) {
		switch {
		case out.Len() == 0:
		case i > 0 && i == last+1:
			out.Write(s.text[pieces[last].to:pieces[i].from])
		default:
			out.WriteString(gap)
		}
		out.WriteString(text)
	}
	for i, p := range pieces {
		if !p.gone {
			add(string(s.text[p.from:p.to]), i)
			last = i
			continue
		}
		if len(news) > 0 {
			add(strings.Join(news, gap), -1)
			news = nil
		}
		last = -2
	}
	if len(news) > 0 {
		add(strings.Join(news, gap), -1)
	}
	from, to := pieces[0].from, pieces[len(pieces)-1].to
	if out.Len() == 0 {
		// Nothing is left but the braces, and perhaps a comment.
		from = open + 1
		rest := bytes.TrimLeft(s.text[to:], " \t\r\n,")
		if len(rest) == 0 || rest[0] != '}' {
			return nil, errOdd
		}
		to = len(s.text) - len(rest)
	}
	return []splice{{from, to, out.String()}}, nil
}

// flowEnd is where a value in braces ends.
func (s *source) flowEnd(k, v *yaml.Node) (int, error) {
	if v.Kind != yaml.ScalarNode || v.Style&yaml.TaggedStyle != 0 || v.Value == "" && v.Tag == "!!null" {
		return 0, at(v, "the value of %s is no text", k.Value)
	}
	i, err := s.offset(v)
	if err != nil {
		return 0, err
	}
	if v.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		return s.quoted(i)
	}
	to := i
	for to < len(s.text) && !bytes.ContainsRune([]byte(",{}[]"), rune(s.text[to])) && !bytes.HasPrefix(s.text[to:], []byte(" #")) {
		to++
	}
	return i + len(bytes.TrimRight(s.text[i:to], " \t\r\n")), nil
}
