package timeline

import (
	"strconv"
	"strings"
	"unicode"
)

// longest is how long a text may be, in characters: it is read in a small box.
const longest = 600

// readable is a text as a page may show it: whatever does not print is escaped, such as a character that turns the
// direction of those around it, and a long text is cut.
func readable(text string) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > longest {
			return b.String() + "…"
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}
