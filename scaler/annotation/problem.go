package annotation

import (
	"fmt"
	"slices"
	"strings"

	"curfew/timewindow"
)

// Problem is a mistake in one annotation that only its author can mend.
type Problem struct {
	Key    string // the annotation
	Detail string // the text, the place in it, what is wrong and the cure; safe to print

	Namespace bool // the annotation is the Namespace's
	Harmless  bool // the workload can be looked after all the same

	// Fault is Detail in parts. Its line is 0 where the annotation as a whole is meant.
	Fault timewindow.Fault
}

// mistake is an error with a message of its own about a fault.
type mistake struct {
	message string
	fault   timewindow.Fault
}

func (m mistake) Error() string { return m.message }

func (m mistake) Unwrap() error { return m.fault }

// wrong is a mistake in an annotation as a whole.
func wrong(problem, cure string) error {
	return mistake{problem + "; " + cure, timewindow.Fault{Problem: problem, Hint: cure}}
}

// Error names the annotation and the mistake.
func (p Problem) Error() string {
	whose := ""
	if p.Namespace {
		whose = "the Namespace's "
	}
	return fmt.Sprintf("%sannotation %s: %s", whose, printableKey(p.Key), p.Detail)
}

// printableKey quotes a key that an API server would have refused, but a file may hold.
func printableKey(key string) string {
	if q := fmt.Sprintf("%q", key); q != `"`+key+`"` {
		return q
	}
	return key
}

// Problems is every mistake on one object.
type Problems []Problem

// Error lists the mistakes, separated by "; ".
func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "; ")
}

// Grave reports whether any mistake means that the workload must be left as it stands.
func (ps Problems) Grave() bool {
	return slices.ContainsFunc(ps, func(p Problem) bool { return !p.Harmless })
}

// About returns the first mistake in an annotation, or nil.
func (ps Problems) About(key string) error {
	for _, p := range ps {
		if p.Key == key {
			return p
		}
	}
	return nil
}

// longestSummary keeps an event's note, which may have 1024 bytes, and the status short.
const longestSummary = 500

// Summary is the first mistake and the number of others, in at most about 500 bytes.
func (ps Problems) Summary() string {
	if len(ps) == 0 {
		return ""
	}
	text := ps[0].Error()
	if len(text) > longestSummary {
		text = strings.ToValidUTF8(text[:longestSummary], "") + "…"
	}
	if more := len(ps) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}
