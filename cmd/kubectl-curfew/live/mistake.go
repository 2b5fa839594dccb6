package live

import (
	"errors"
	"time"

	"curfew/scaler/annotation"
	"curfew/timewindow"
)

// Mistake is a problem as it is to be told.
type Mistake struct {
	annotation.Problem
	Faults timewindow.Faults // what to show in the text of the rules; nil: the problem has no place there
}

// Mistakes are the problems with an object whose rules are such a text: all that keep it from being read at once, and
// what the kind cannot do one by one.
func Mistakes(rules string, zone *time.Location, problems annotation.Problems) []Mistake {
	_, err := timewindow.Parse(rules, zone)
	var all timewindow.Faults
	unread := errors.As(err, &all)
	var told []Mistake
	for _, p := range problems {
		switch {
		case p.Key != annotation.Windows || p.Fault.Line == 0:
			told = append(told, Mistake{p, nil})
		case !unread:
			told = append(told, Mistake{p, timewindow.Faults{p.Fault}})
		case all != nil:
			told = append(told, Mistake{p, all})
			all = nil // they are all told now
		}
	}
	return told
}
