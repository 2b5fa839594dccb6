package translate

import (
	"strconv"
	"strings"
)

const longest = 120 // characters of somebody's text that are shown

// Quote shows somebody's text so that it is safe to print; a long one is cut.
func Quote(text string) string {
	if short := []rune(text); len(short) > longest {
		text = string(short[:longest]) + "…"
	}
	return strconv.Quote(text)
}

// shorten makes a library's error, which may echo anything, safe to print and short.
func shorten(text string) string { return strings.Trim(Quote(text), `"`) }

// Join lists names as a sentence does.
func Join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
