package output

import (
	"strconv"
	"strings"
)

// Safe is a text that somebody else wrote, for a terminal: what does not print is escaped.
func Safe(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return text
	}
	var safe strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) {
			safe.WriteRune(r)
		} else {
			safe.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return safe.String()
}

// SafeLines is [Safe] for a text of several lines.
func SafeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Safe(line)
	}
	return strings.Join(lines, "\n")
}

// Short is a text of at most so many characters.
func Short(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
