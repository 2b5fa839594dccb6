package lint

import (
	"fmt"
	"io"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/timewindow"
)

// Report is what came of a run.
type Report struct {
	Objects  int // that were read
	Findings []Finding
}

// Count is the number of findings of a level.
func (r Report) Count(level Level) int {
	n := 0
	for _, f := range r.Findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

// Summary is the report in one line.
func (r Report) Summary() string {
	return fmt.Sprintf("%s, %s in %s", counted(r.Count(Error), "fault"), counted(r.Count(Warning), "warning"), counted(r.Objects, "object"))
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// object is the kind and name of what a finding is about; safe to print.
func (f Finding) object() string {
	if f.Kind == "" {
		return ""
	}
	name := manifest.Printable(f.Name)
	if f.Namespace != "" {
		name = manifest.Printable(f.Namespace) + "/" + name
	}
	return manifest.Printable(f.Kind) + " " + name
}

// subject is what a finding is about, in front of the message; safe to print.
func (f Finding) subject() string {
	text := f.object()
	if text != "" {
		text += ": "
	}
	if f.Annotation != "" {
		text += "annotation " + manifest.Printable(f.Annotation) + ": "
	}
	return text
}

// printText writes findings as compilers do, for people, editors and the matchers of CI systems.
func (r Report) printText(w io.Writer) {
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s: %s: %s%s; %s [%s]\n", f.Place, f.Level, f.subject(), f.Message, f.Hint, f.Rule)
		if f.source != "" && f.Place.Column > 0 {
			fmt.Fprint(w, timewindow.Caret(f.source, f.Place.Column))
		}
	}
}

// item is a finding as JSON. Fields are added, never taken away.
type item struct {
	File       string `json:"file"`
	Line       int    `json:"line"`      // 0 if it is not known
	Column     int    `json:"column"`    // in characters; 0 if it is not known
	EndColumn  int    `json:"endColumn"` // behind the text in question; 0 if it is not known
	Level      Level  `json:"level"`
	Rule       string `json:"rule"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	Annotation string `json:"annotation"`
	Message    string `json:"message"`
	Hint       string `json:"hint"`
}

// itemList is all of them.
type itemList struct {
	Items []item `json:"items"`
}

func (r Report) list() itemList {
	list := itemList{Items: []item{}}
	for _, f := range r.Findings {
		list.Items = append(list.Items, item{
			f.Place.File, f.Place.Line, f.Place.Column, f.EndColumn, f.Level, f.Rule,
			f.Kind, f.Namespace, f.Name, f.Annotation, f.Message, f.Hint,
		})
	}
	return list
}
