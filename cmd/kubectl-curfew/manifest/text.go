package manifest

import (
	"strings"
	"unicode/utf8"
)

// Text is a text in a file, such as an annotation's value, and knows where in the file each of its characters stands.
type Text struct {
	place    Place     // where it is if nothing better is known
	document *document // nil if nothing is
	start    int       // offset in the document
	value    string
	at       []int // offset in the document of each byte of value, and of its end; nil if that cannot be told
}

// String is the text; empty where there is none.
func (t Text) String() string { return t.value }

// Place is where the text starts: its first character that is no blank.
func (t Text) Place() Place {
	switch {
	case t.document == nil:
		return t.place
	case t.at == nil:
		return t.document.placeOf(t.start)
	}
	blanks := len(t.value) - len(strings.TrimLeft(t.value, " \t\r\n"))
	if blanks == len(t.value) {
		return t.document.placeOf(t.start)
	}
	return t.document.placeOf(t.at[blanks])
}

// At is where a line and column of the text stand in the file; both are counted from 1, columns in characters. It reports
// false where that cannot be told, and then gives the place of the text.
func (t Text) At(line, column int) (Place, bool) {
	if t.at == nil || line < 1 || column < 1 {
		return t.Place(), false
	}
	offset := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(t.value[offset:], '\n')
		if i < 0 {
			return t.Place(), false
		}
		offset += i + 1
	}
	for ; column > 1; column-- {
		if offset == len(t.value) || t.value[offset] == '\n' {
			return t.Place(), false
		}
		_, size := utf8.DecodeRuneInString(t.value[offset:])
		offset += size
	}
	return t.document.placeOf(t.at[offset]), true
}

// Source is a line of the text's file as it is written there; "" if it is not known.
func (t Text) Source(line int) string {
	if t.document == nil {
		return ""
	}
	return t.document.lineOf(line)
}
