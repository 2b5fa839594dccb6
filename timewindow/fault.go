package timewindow

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fault is one mistake in a text of rules, with its place and its cure.
type Fault struct {
	Line    int    // counted from 1
	Column  int    // counted from 1, in characters
	Text    string // the offending text as it was written; may be empty when something is missing
	Problem string // what is wrong with it
	Hint    string // what to write instead
}

// Error says the place, the text, the problem and the cure in one line that is safe to print: whatever does not print
// in Text is escaped, and a long Text is cut.
func (f Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d, column %d: %s", f.Line, f.Column, f.What())
	if f.Hint != "" {
		b.WriteString("; " + f.Hint)
	}
	return b.String()
}

// What is the text and the problem alone, for whoever says the place and the hint elsewhere. It is as safe to print.
func (f Fault) What() string {
	if f.Text == "" {
		return f.Problem
	}
	return fmt.Sprintf("%q: %s", shorten(f.Text, 60), f.Problem)
}

// Faults is every mistake found in a text, in the order of the text. It is the error that [Parse] returns.
type Faults []Fault

// Error says the first fault and how many more there are.
func (fs Faults) Error() string {
	switch len(fs) {
	case 0:
		return "no fault"
	case 1:
		return fs[0].Error()
	default:
		return fmt.Sprintf("%s (and %d more)", fs[0].Error(), len(fs)-1)
	}
}

// Render shows each fault under the line of text it was found in, with a caret below its column. The result is safe to
// print to a terminal: characters that do not print are shown as "?". It ends with a newline.
func (fs Faults) Render(text string) string {
	lines := strings.Split(text, "\n")
	var b strings.Builder
	for _, f := range fs {
		fmt.Fprintln(&b, f.Error())
		if f.Line < 1 || f.Line > len(lines) {
			continue
		}
		b.WriteString(Caret(lines[f.Line-1], f.Column))
	}
	return b.String()
}

// Caret shows a line with a caret below a column of it, as [Faults.Render] does.
func Caret(line string, column int) string {
	line, column = excerpt(printable(line), column)
	return fmt.Sprintf("    %s\n    %s^\n", line, strings.Repeat(" ", column-1))
}

// excerpt cuts a long line down to what stands around the column, and says where the column has gone to.
func excerpt(line string, column int) (string, int) {
	const most, before = 100, 60
	chars := []rune(line)
	column = min(max(column, 1), len(chars)+1)
	if from := column - 1 - before; len(chars) > most && from > 0 {
		chars = append([]rune{'…'}, chars[from:]...)
		column = before + 2
	}
	if len(chars) > most {
		chars = append(chars[:most], '…')
	}
	return string(chars), column
}

// fault is a Fault whose place is still a byte offset in the rule being read.
type fault struct {
	at            int
	text          string
	problem, hint string
}

// in places the fault in a line, given the text that its offset counts in.
func (f *fault) in(line string, number int) Fault {
	return Fault{
		Line: number, Column: column(line, f.at),
		Text: f.text, Problem: f.problem, Hint: f.hint,
	}
}

// column is the column of the character at a byte offset of a line.
func column(line string, offset int) int {
	return 1 + utf8.RuneCountInString(line[:min(offset, len(line))])
}

// NotPlain names the first character of a text that is not a plain one, for it may look just like one: it says
// " ('\uff10' is not a plain character)", or nothing.
func NotPlain(text string) string {
	for _, r := range text {
		if r >= utf8.RuneSelf && r != utf8.RuneError {
			return fmt.Sprintf(" (%+q is not a plain character)", r)
		}
	}
	return ""
}

func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// printable keeps one column a character, so that a caret below still points at the right one.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, s)
}
