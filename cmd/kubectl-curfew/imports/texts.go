package imports

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"curfew/cmd/kubectl-curfew/imports/rewrite"
	"curfew/cmd/kubectl-curfew/manifest"
)

// rewritten is a text before and after.
type rewritten struct {
	file          string
	before, after []byte
}

// rewrite changes the texts. What cannot be changed joins what cannot be said, with all that rests on it.
func (o *options) rewrite(changes []*change) []rewritten {
	for _, c := range changes {
		switch {
		case c.refused() || c.empty():
		case len(c.objects) == 0:
			c.cannot("it is not among the manifests; give its file, too, or print patches with -o patch")
		case len(c.objects) > 1:
			c.cannot("%d manifests have this name, the second at %s; give the files of one of them", len(c.objects), c.objects[1].Place)
		}
	}
	for {
		settle(changes)
		before := refused(changes)
		var texts []rewritten
		for _, text := range o.texts {
			texts = append(texts, rewriteText(text, changes))
		}
		if refused(changes) == before {
			return texts
		}
	}
}

// rewriteText changes one text.
func rewriteText(text manifest.File, changes []*change) rewritten {
	out := rewritten{text.Name, text.Content, text.Content}
	var mine []*change
	var edits []rewrite.Edit
	for _, c := range changes {
		if !c.refused() && !c.empty() && c.objects[0].Place.File == text.Name {
			mine = append(mine, c)
			edits = append(edits, c.edit())
		}
	}
	if after, err := rewrite.Annotations(text.Content, edits); err == nil {
		out.after = after
		return out
	}
	// One by one, as the others can be changed where one cannot.
	for i, c := range mine {
		edits[i].Line = lineNow(text.Content, out.after, edits[i].Line)
		after, err := rewrite.Annotations(out.after, edits[i:i+1])
		switch f := (rewrite.Fault{}); {
		case err == nil:
			out.after = after
		case errors.As(err, &f):
			c.cannot("%s", f.Problem)
		default:
			c.cannot("%v", err)
		}
	}
	return out
}

// edit is the change of the one object.
func (c *change) edit() rewrite.Edit {
	object := c.objects[0]
	return rewrite.Edit{
		Line: object.Place.Line, Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(),
		Set: c.set, Remove: c.remove,
	}
}

// lineNow is the line of a document in a changed text.
func lineNow(before, after []byte, line int) int {
	n := 0
	for d := range manifest.Documents(before) {
		if d.Line == line {
			break
		}
		n++
	}
	for d := range manifest.Documents(after) {
		if n == 0 {
			return d.Line
		}
		n--
	}
	return 0
}

// printTexts prints the documents that have changed, or all, as one text of many documents.
func (o *options) printTexts(texts []rewritten) error {
	var out bytes.Buffer
	for _, text := range texts {
		before, after := chunks(text.before), chunks(text.after)
		for i, chunk := range after {
			if !o.all && bytes.Equal(before[i], chunk) {
				continue
			}
			switch {
			case out.Len() > 0 && !isMarker(chunk):
				out.WriteString("---\n")
			case out.Len() == 0 && !o.all: // nothing stands before them
				chunk = bytes.TrimPrefix(bytes.TrimPrefix(chunk, []byte("---\n")), []byte("---\r\n"))
			}
			out.Write(chunk)
			if !bytes.HasSuffix(chunk, []byte("\n")) && len(chunk) > 0 {
				out.WriteByte('\n')
			}
		}
	}
	_, err := o.streams.Out.Write(out.Bytes())
	return err
}

// chunks takes a text apart where documents start. The dashes are the first line of theirs. No annotation that is
// written into a text can have such a line, so there are as many afterwards.
func chunks(text []byte) [][]byte {
	var all [][]byte
	start := 0
	for i := 0; i < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n + 1
		}
		if i > start && isMarker(text[i:end]) {
			all = append(all, text[start:i])
			start = i
		}
		i = end
	}
	return append(all, text[start:])
}

// isMarker reports whether a text starts with the dashes of a document.
func isMarker(text []byte) bool {
	after, ok := bytes.CutPrefix(text, []byte("---"))
	return ok && (len(after) == 0 || strings.ContainsRune(" \t\r\n", rune(after[0])))
}

// write changes the files and prints their names.
func (o *options) write(texts []rewritten) []error {
	var errs []error
	for _, text := range texts {
		if bytes.Equal(text.before, text.after) {
			continue
		}
		mode := os.FileMode(0o644)
		if info, err := os.Stat(text.file); err == nil {
			mode = info.Mode().Perm()
		}
		if err := os.WriteFile(text.file, text.after, mode); err != nil {
			errs = append(errs, err)
			continue
		}
		fmt.Fprintln(o.streams.Out, manifest.Printable(text.file))
	}
	return errs
}
