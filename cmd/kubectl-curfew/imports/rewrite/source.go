package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// source is the text of a document, with the places that its nodes speak of.
type source struct {
	text  []byte
	lines []int // where each line starts
	eol   string
}

func newSource(text []byte) *source {
	s := &source{text: text, lines: []int{0}, eol: "\n"}
	for i := 0; i < len(text); {
		n := breakAt(text[i:])
		if n > 0 {
			s.lines = append(s.lines, i+n)
		}
		i += max(n, 1)
	}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		s.eol = "\r\n"
	}
	return s
}

// breakAt is the length of the line break that a text starts with, as the parser counts lines: 0 if there is none.
func breakAt(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\r\n")), bytes.HasPrefix(text, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(text, []byte("\u2028")), bytes.HasPrefix(text, []byte("\u2029")):
		return 3
	case text[0] == '\n', text[0] == '\r':
		return 1
	}
	return 0
}

// fault is an error at a line of the document.
type fault struct {
	line int // counted from 1 in the document
	error
}

func at(node *yaml.Node, format string, args ...any) error {
	return fault{node.Line, fmt.Errorf(format, args...)}
}

// line is the line of an error in the file.
func (s *source) line(e Edit, err error) int {
	if f := (fault{}); errors.As(err, &f) && f.line > 0 {
		return e.Line + f.line - 1
	}
	return e.Line
}

func without(err error) error {
	if f := (fault{}); errors.As(err, &f) {
		return f.error
	}
	return err
}

var errOdd = errors.New("its annotations are written in a way that cannot be changed safely")

// offset is where a node starts.
func (s *source) offset(node *yaml.Node) (int, error) {
	if node.Line < 1 || node.Line > len(s.lines) {
		return 0, errOdd
	}
	i := s.lines[node.Line-1]
	for range node.Column - 1 {
		if i >= len(s.text) {
			return 0, errOdd
		}
		_, n := utf8.DecodeRune(s.text[i:])
		i += n
	}
	return i, nil
}

// start is where the line of a node starts, and its indent; an error if anything but blanks stands before the node.
func (s *source) start(node *yaml.Node) (int, string, error) {
	i, err := s.offset(node)
	if err != nil {
		return 0, "", err
	}
	from := s.lines[node.Line-1]
	indent := s.text[from:i]
	if len(bytes.Trim(indent, " ")) > 0 {
		return 0, "", at(node, "something stands on the line before %q", node.Value)
	}
	return from, string(indent), nil
}

// next is where the line after the given one starts; lines are counted from 1.
func (s *source) next(line int) int {
	if line < len(s.lines) {
		return s.lines[line]
	}
	return len(s.text)
}

// row is a line without its end.
func (s *source) row(line int) []byte {
	return bytes.TrimRight(s.text[s.lines[line-1]:s.next(line)], "\r\n")
}

// lineOf is the line that an offset is in.
func (s *source) lineOf(offset int) int {
	return sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > offset })
}

// quoted is where the quoted text that starts at an offset ends.
func (s *source) quoted(i int) (int, error) {
	quote := s.text[i]
	for i++; i < len(s.text); i++ {
		switch {
		case s.text[i] == '\\' && quote == '"':
			i++
		case s.text[i] != quote:
		case quote == '\'' && i+1 < len(s.text) && s.text[i+1] == '\'':
			i++
		default:
			return i + 1, nil
		}
	}
	return 0, errOdd
}

// colon is where the colon behind a key is.
func (s *source) colon(key *yaml.Node) (int, error) {
	i, err := s.offset(key)
	if err != nil {
		return 0, err
	}
	switch {
	case key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && i < len(s.text) && (s.text[i] == '"' || s.text[i] == '\''):
		if i, err = s.quoted(i); err != nil {
			return 0, err
		}
	case key.Style == 0 && bytes.HasPrefix(s.text[i:], []byte(key.Value)):
		i += len(key.Value)
	default:
		return 0, errOdd
	}
	i += len(s.text[i:]) - len(bytes.TrimLeft(s.text[i:], " \t\r\n"))
	if i >= len(s.text) || s.text[i] != ':' {
		return 0, errOdd
	}
	return i, nil
}
