package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/timewindow"
)

// Finding is one fault or warning. All its texts are safe to print but for the file and the names, which are as they
// were read.
type Finding struct {
	Rule  string
	Level Level

	Place     manifest.Place
	EndColumn int // behind the offending text, in the same line; 0 if it is not known

	Kind, Namespace, Name string // the object; empty if there is none
	Annotation            string // the annotation; empty if it is not about one

	Message string // the offending text and what is wrong with it
	Hint    string // what to do about it

	source string // the line in the file; empty if it is not known
}

// newFinding starts a finding about an object.
func newFinding(object manifest.Object, rule, key string) Finding {
	return Finding{
		Rule: rule, Level: levelOf(rule), Place: object.Place,
		Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(), Annotation: key,
	}
}

// on places a finding on a text, from its first to its last character that is no blank.
func (f Finding) on(text manifest.Text) Finding {
	value := text.String()
	start := len(value) - len(strings.TrimLeft(value, blanks))
	line := 1 + strings.Count(value[:start], "\n")
	column := 1 + utf8.RuneCountInString(value[strings.LastIndexByte(value[:start], '\n')+1:start])
	length := utf8.RuneCountInString(strings.TrimRight(value[start:], blanks))
	f.Place, f.EndColumn, _ = span(text, line, column, length)
	f.source = text.Source(f.Place.Line)
	return f
}

const blanks = " \t\r\n"

// at places a finding where a fault is in a text. If that place in the file cannot be told, the message says it.
func (f Finding) at(text manifest.Text, fault timewindow.Fault) Finding {
	if fault.Line == 0 {
		return f.on(text)
	}
	length := utf8.RuneCountInString(fault.Text)
	if !strings.HasPrefix(from(text.String(), fault.Line, fault.Column), fault.Text) {
		length = 0 // it is told in other words
	}
	var exact bool
	if f.Place, f.EndColumn, exact = span(text, fault.Line, fault.Column, length); !exact {
		f.Message = fmt.Sprintf("line %d, column %d of it: %s", fault.Line, fault.Column, f.Message)
	}
	f.source = text.Source(f.Place.Line)
	return f
}

// span is where so many characters of a text stand in its file, if they stand in one line there.
func span(text manifest.Text, line, column, length int) (place manifest.Place, end int, exact bool) {
	place, exact = text.At(line, column)
	if behind, ok := text.At(line, column+length); exact && ok && length > 0 && behind.Line == place.Line {
		end = behind.Column
	}
	return place, end, exact
}

// from is what follows a place in a text, up to the end of the line.
func from(text string, line, column int) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	chars := []rune(lines[line-1])
	return string(chars[min(max(column, 1)-1, len(chars)):])
}

// unread is the finding about what could not be read.
func unread(err error) Finding {
	f := Finding{Rule: unreadable, Level: Error, Message: err.Error(), Hint: "mend it, or leave the file out"}
	if u := (*manifest.Unreadable)(nil); errors.As(err, &u) {
		f.Place, f.Message = u.Place, u.Problem
	}
	if f.Place.Line == 0 {
		f.Hint = "see that it is there and that you may read it"
	}
	return f
}

// sorted are the findings in the order of files and places.
func sorted(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Place.File, b.Place.File),
			cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Column, b.Place.Column),
		)
	})
	return findings
}
