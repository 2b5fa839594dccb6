package manifest

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// trace finds where each byte of a scalar's value, and its end, stand in the text in which it is written from an offset
// on. It goes through both side by side, and gives up with nil where they do not agree, rather than to point astray.
func trace(text []byte, start int, value string) []int {
	start = behindProperties(text, start)
	switch c := byteAt(text, start); c {
	case '|', '>':
		return traceBlock(text, start, value)
	case '"', '\'':
		return traceFlow(text, start+1, value, c)
	}
	return traceFlow(text, start, value, 0)
}

// behindProperties passes over a tag and an anchor.
func behindProperties(text []byte, i int) int {
	for c := byteAt(text, i); c == '!' || c == '&'; c = byteAt(text, i) {
		for i < len(text) && white(text[i:]) == 0 {
			i++
		}
		for i < len(text) {
			if n := white(text[i:]); n > 0 {
				i += n
			} else if text[i] == '#' {
				i = endOfLine(text, i)
			} else {
				break
			}
		}
	}
	return i
}

// traceBlock goes through a literal or folded scalar. What is not blank stands in the text in the same order, with
// nothing between; blanks come and go by the rules for indents and folding.
func traceBlock(text []byte, i int, value string) []int {
	i = endOfLine(text, i)
	i += lineBreak(text[i:])
	at := make([]int, 0, len(value)+1)
	for _, c := range value {
		s := string(c)
		if white([]byte(s)) == 0 {
			for i < len(text) && white(text[i:]) > 0 {
				i += white(text[i:])
			}
			if !bytes.HasPrefix(text[i:], []byte(s)) {
				return nil
			}
		}
		for range len(s) {
			at = append(at, i)
		}
		switch {
		case bytes.HasPrefix(text[i:], []byte(s)):
			i += len(s)
		case c == '\n':
			i += lineBreak(text[i:])
		}
	}
	return append(at, i)
}

// traceFlow goes through a scalar in quotes, which is 0 for a plain one.
func traceFlow(text []byte, i int, value string, quote byte) []int {
	at := make([]int, 0, len(value)+1)
	is := func(s string) bool { // s, which stands at i, is what comes next in the value
		if !strings.HasPrefix(value[len(at):], s) {
			return false
		}
		for range len(s) {
			at = append(at, i)
		}
		return true
	}
	for i < len(text) && (quote != 0 || len(at) < len(value)) {
		s, n := "", 0
		switch c := text[i]; {
		case c == '\'' && quote == '\'' && byteAt(text, i+1) == '\'':
			s, n = "'", 2
		case c == quote && quote != 0:
			if len(at) < len(value) {
				return nil
			}
			return append(at, i)
		case c == '\\' && quote == '"':
			if s, n = unescape(text[i:]); n == 0 {
				return nil
			}
		case white(text[i:]) > 0:
			s, n = folded(text[i:])
		default:
			_, n = utf8.DecodeRune(text[i:])
			s = string(text[i : i+n])
		}
		if !is(s) {
			return nil
		}
		i += n
	}
	if quote != 0 || len(at) < len(value) {
		return nil
	}
	return append(at, i)
}

// folded is what a run of blanks stands for, and how long it is: the first blank alone if the line goes on behind them;
// and else, with all that follow it, a blank for the end of a line, or a line feed for every line that is empty.
func folded(text []byte) (string, int) {
	breaks, n := 0, 0
	for n < len(text) && white(text[n:]) > 0 {
		if lineBreak(text[n:]) > 0 {
			breaks++
		}
		n += white(text[n:])
	}
	switch breaks {
	case 0:
		return string(text[:1]), 1
	case 1:
		return " ", n
	}
	return strings.Repeat("\n", breaks-1), n
}

// escapes are the characters that a letter behind a backslash stands for.
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '\\': `\`, '\'': "'", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// unescape is what an escape stands for, and how long it is; 0 if it makes no sense.
func unescape(text []byte) (string, int) {
	if len(text) < 2 {
		return "", 0
	}
	if n := lineBreak(text[1:]); n > 0 { // the line goes on in the next one, behind its indent
		n++
		for c := byteAt(text, n); c == ' ' || c == '\t'; c = byteAt(text, n) {
			n++
		}
		return "", n
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 {
		s, ok := escapes[text[1]]
		if !ok {
			return "", 0
		}
		return s, 2
	}
	if len(text) < 2+digits {
		return "", 0
	}
	code, err := strconv.ParseUint(string(text[2:2+digits]), 16, 32)
	if err != nil {
		return "", 0
	}
	return string(rune(code)), 2 + digits
}

// byteAt is a byte, or 0 behind the end.
func byteAt(text []byte, i int) byte {
	if i >= len(text) {
		return 0
	}
	return text[i]
}

func endOfLine(text []byte, i int) int {
	for i < len(text) && lineBreak(text[i:]) == 0 {
		i++
	}
	return i
}

// white is the length of a blank or a line break at the start of the text, or 0.
func white(text []byte) int {
	if c := byteAt(text, 0); c == ' ' || c == '\t' {
		return 1
	}
	return lineBreak(text)
}

// lineBreaks are what YAML takes for the end of a line; the first that fits is it.
var lineBreaks = [][]byte{[]byte("\r\n"), []byte("\n"), []byte("\r"), []byte("\u0085"), []byte("\u2028"), []byte("\u2029")}

// lineBreak is the length of a line break at the start of the text, or 0.
func lineBreak(text []byte) int {
	for _, b := range lineBreaks {
		if bytes.HasPrefix(text, b) {
			return len(b)
		}
	}
	return 0
}
