package rewrite

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

// quote writes a text as JSON does, which YAML understands as well.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a string always can be written
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// flowEntries is what to set, as entries between braces.
func flowEntries(e Edit) []string {
	var entries []string
	for _, key := range e.keys() {
		entries = append(entries, quote(key)+": "+quote(e.Set[key]))
	}
	return entries
}

// plainly matches what can stand without quotes. It leaves out much that could.
var plainly = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9 ./_,:=%()+*-]*[A-Za-z0-9.%)])?$`)

// plain is a text without quotes, if it is that text then.
func plain(text string) string {
	if plainly.MatchString(text) && !strings.Contains(text, ": ") {
		var back map[string]any
		if err := yaml.Unmarshal([]byte("x: "+text), &back); err == nil && back["x"] == text {
			return text
		}
	}
	return quote(text)
}

// line is what a line of a literal block may hold.
var line = regexp.MustCompile(`^[\x20-\x7e\x{a0}-\x{2027}\x{202a}-\x{d7ff}]*$`)

// blockEntry is one entry of a block: a text of several lines as a literal block, so that it reads as its author would
// have written it.
func blockEntry(key, value, indent, eol string) string {
	head := indent + plain(key) + ": "
	lines, ended := strings.CutSuffix(value, "\n")
	rows := strings.Split(lines, "\n")
	literal := len(rows) > 1 && rows[0] != "" && rows[len(rows)-1] != ""
	for _, row := range rows {
		blank := row != "" && strings.TrimSpace(row) == "" // nobody would see that it is there
		literal = literal && line.MatchString(row) && !blank
	}
	if !literal || strings.HasPrefix(value, " ") {
		return head + plain(value) + eol
	}
	if ended {
		head += "|"
	} else {
		head += "|-"
	}
	for i, row := range rows {
		if row != "" {
			rows[i] = indent + "  " + row
		}
	}
	return head + eol + strings.Join(rows, eol) + eol
}
