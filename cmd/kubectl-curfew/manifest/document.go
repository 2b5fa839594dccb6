package manifest

import (
	"bytes"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document is one document of a file. The parser that reads objects forgets where they stood, so a document is parsed a
// second time, by one that does not, when somebody asks for a place.
type document struct {
	place Place // of its first line
	text  []byte

	once  sync.Once
	root  *yaml.Node
	lines []int // offset of each line as YAML counts lines
	feeds []int // offset of each line as editors do
	marks []int // offset of each stride-th character, so that a long line is not counted through again and again
}

// stride is how many characters are counted at most. A file of JSON may be a single line with thousands of objects in it.
const stride = 1024

// position is where an object is: a document, and the items of lists that lead to it.
type position struct {
	document *document
	items    []int
}

// Key is the text of a field's name, such as spec, replicas.
func (o Object) Key(path ...string) Text { return o.find(path, false) }

// Value is the text of a field, such as metadata, annotations, curfew/windows. It is empty where the field is no scalar.
func (o Object) Value(path ...string) Text { return o.find(path, true) }

// find goes as far along the path as there is something to find.
func (o Object) find(path []string, value bool) Text {
	text := Text{place: o.Place}
	if o.position.document == nil {
		return text
	}
	document := o.position.document
	node := document.parsed()
	for _, i := range o.position.items {
		_, list := lookup(node, "items", 0)
		if list = resolved(list); list == nil || i >= len(list.Content) {
			return text
		}
		node = list.Content[i]
	}
	for i, name := range path {
		key, below := lookup(node, name, 0)
		if key == nil {
			break
		}
		node = below
		text = document.textOf(key)
		if value && i == len(path)-1 {
			text = document.textOf(resolved(below))
		}
	}
	return text
}

func (d *document) parsed() *yaml.Node {
	d.once.Do(func() {
		d.lines, d.feeds = []int{0}, []int{0}
		for i := 0; i < len(d.text); {
			n := lineBreak(d.text[i:])
			feed := d.text[i+max(n, 1)-1] == '\n'
			if i += max(n, 1); n > 0 {
				d.lines = append(d.lines, i)
			}
			if feed {
				d.feeds = append(d.feeds, i)
			}
		}
		for i, n := 0, 0; i < len(d.text) || i == 0; n++ {
			if n%stride == 0 {
				d.marks = append(d.marks, i)
			}
			_, size := utf8.DecodeRune(d.text[i:])
			i += max(size, 1)
		}
		root := &yaml.Node{}
		if err := yaml.Unmarshal(d.text, root); err == nil && len(root.Content) == 1 {
			d.root = root.Content[0]
		}
	})
	return d.root
}

// resolved is the node that an alias stands for.
func resolved(node *yaml.Node) *yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// deepest bounds how far merges are followed. The parser of objects has refused an anchor that contains itself, but it is
// another parser.
const deepest = 20

// lookup finds a field in a mapping, or in those that are merged into it. Both are nil if there is none.
func lookup(node *yaml.Node, name string, depth int) (key, value *yaml.Node) {
	node = resolved(node)
	if node == nil || node.Kind != yaml.MappingNode || depth > deepest {
		return nil, nil
	}
	var merged []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		switch key := resolved(node.Content[i]); {
		case key.Kind == yaml.ScalarNode && key.Tag == "!!merge":
			from := resolved(node.Content[i+1])
			if from.Kind == yaml.SequenceNode {
				merged = append(merged, from.Content...)
			} else {
				merged = append(merged, from)
			}
		case key.Kind == yaml.ScalarNode && key.Value == name:
			return key, node.Content[i+1]
		}
	}
	for _, from := range merged {
		if key, value := lookup(from, name, depth+1); key != nil {
			return key, value
		}
	}
	return nil, nil
}

// textOf is the text of a scalar, and where any other node starts.
func (d *document) textOf(node *yaml.Node) Text {
	start := d.offsetOf(node.Line, node.Column)
	text := Text{place: d.place, document: d, start: start}
	if node.Kind == yaml.ScalarNode {
		text.value = node.Value
		text.at = trace(d.text, start, node.Value)
	}
	return text
}

// offsetOf is the offset of a place as the parser counts: lines by YAML's line breaks, columns in characters, from 1.
func (d *document) offsetOf(line, column int) int {
	if line < 1 || line > len(d.lines) {
		return 0
	}
	offset := d.lines[line-1]
	if line == 1 && bytes.HasPrefix(d.text, byteOrderMark) {
		offset += len(byteOrderMark)
	}
	return d.offsetOfCharacter(d.charactersBefore(offset) + max(column, 1) - 1)
}

// charactersBefore is how many characters stand before an offset.
func (d *document) charactersBefore(offset int) int {
	i := sort.Search(len(d.marks), func(i int) bool { return d.marks[i] > offset }) - 1
	return i*stride + utf8.RuneCount(d.text[d.marks[i]:offset])
}

// offsetOfCharacter is the offset before which so many characters stand, or else the end.
func (d *document) offsetOfCharacter(number int) int {
	i := min(number/stride, len(d.marks)-1)
	offset := d.marks[i]
	for n := i * stride; n < number && offset < len(d.text); n++ {
		_, size := utf8.DecodeRune(d.text[offset:])
		offset += size
	}
	return offset
}

// placeOf is the place of an offset as editors count: lines by line feeds, columns in characters, from 1.
func (d *document) placeOf(offset int) Place {
	number := sort.Search(len(d.feeds), func(i int) bool { return d.feeds[i] > offset }) - 1
	start := d.feeds[number]
	if bytes.HasPrefix(d.text[start:offset], byteOrderMark) {
		start += len(byteOrderMark)
	}
	return Place{File: d.place.File, Line: d.place.Line + number, Column: 1 + d.charactersBefore(offset) - d.charactersBefore(start)}
}

// lineOf is a line of the file; "" if it is not in the document, or too long to be shown.
func (d *document) lineOf(number int) string {
	i := number - d.place.Line
	if i < 0 || i >= len(d.feeds) {
		return ""
	}
	line, _, ended := strings.Cut(string(d.text[d.feeds[i]:min(len(d.text), d.feeds[i]+longestLine)]), "\n")
	if !ended && len(line) == longestLine {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(line, string(byteOrderMark)), "\r")
}

// longestLine bounds what is shown, in bytes: a file of JSON is often a single line.
const longestLine = 64 << 10

var byteOrderMark = []byte("\ufeff")
