package annotation

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"curfew/timewindow"
)

// Override beats every rule until it ends.
type Override struct {
	Size  timewindow.Size
	Until time.Time

	inherited bool   // it is the Namespace's
	column    int    // of the size, in characters
	text      string // of the size
}

// String writes the override as the annotation does.
func (o Override) String() string { return o.Size.String() + " until " + o.Until.Format(time.RFC3339) }

var until = regexp.MustCompile(`(?i)\suntil(\s|$)`)

const overrideExample = `write a size and an end with its offset, such as "3 until 2026-06-05T20:00:00+02:00"`

// ParseOverride reads "<size> until <RFC 3339 time>". Whether it has run out is for the reader of a clock to say.
func ParseOverride(text string) (Override, error) {
	place := until.FindStringIndex(text)
	if place == nil {
		return Override{}, wrong(fmt.Sprintf("%s has no end", quoted(text)), overrideExample)
	}
	size, err := timewindow.ParseSize(text[:place[0]])
	if err != nil {
		faults := timewindow.Faults(nil)
		if errors.As(err, &faults) && len(faults) > 0 {
			f := faults[0]
			return Override{}, mistake{fmt.Sprintf("column %d: %q: %s; %s", f.Column, short(f.Text), f.Problem, f.Hint), f}
		}
		return Override{}, err
	}
	from := len(text) - len(strings.TrimLeftFunc(text[place[1]:], unicode.IsSpace))
	when := strings.TrimSpace(text[from:])
	end, err := time.Parse(time.RFC3339, when)
	if err != nil {
		f := timewindow.Fault{Line: 1, Column: utf8.RuneCountInString(text[:from]) + 1, Text: when, Problem: "this is not a time with a date and an offset", Hint: overrideExample}
		return Override{}, mistake{fmt.Sprintf("column %d: %s is not a time with a date and an offset; %s", f.Column, quoted(when), overrideExample), f}
	}
	written := text[:place[0]]
	word := strings.TrimLeftFunc(written, unicode.IsSpace)
	column := utf8.RuneCountInString(written) - utf8.RuneCountInString(word) + 1
	return Override{Size: size, Until: end, column: column, text: strings.TrimSpace(word)}, nil
}
