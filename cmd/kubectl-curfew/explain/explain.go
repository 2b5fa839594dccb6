// Package explain gives the whole reasoning behind the size of one object, and is the command that shows it.
package explain

import (
	"fmt"
	"strings"
	"time"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/status"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// Explanation is all there is to say about an object at an instant. As JSON it is what scripts read.
type Explanation struct {
	status.Item
	Decision  string            `json:"decision"`        // in a sentence
	Moved     string            `json:"moved,omitempty"` // why until is not what the rules say
	Inputs    []Input           `json:"inputs"`
	Overrides []Override        `json:"overrides"` // the nearest first
	Rules     []Rule            `json:"rules"`     // from top to bottom
	Problems  []string          `json:"problems"`  // with a caret under the place, where there is one
	Said      annotation.Status `json:"said"`      // what Curfew has written on it
	Changes   []Change          `json:"changes"`   // the next ones
	Events    []Event           `json:"events"`    // Curfew's, the newest last; null if they may not be read

	subject live.Subject
	zone    *time.Location
	now     time.Time
}

// Input is something that has a say.
type Input struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from,omitempty"`
}

// Override is a size that somebody wants for a while.
type Override struct {
	Text    string      `json:"text"`
	Source  live.Source `json:"source"`
	Holds   bool        `json:"holds"` // it is the one that gives the size
	Verdict string      `json:"verdict"`
}

// Rule is one of the rules, and what becomes of it now.
type Rule struct {
	Line    int       `json:"line"` // of the annotation
	Text    string    `json:"text"`
	Open    bool      `json:"open"`             // its time is now
	Holds   bool      `json:"holds"`            // it is the one that gives the size
	Changes time.Time `json:"changes,omitzero"` // when its time ends or comes, in UTC; absent if never
	Verdict string    `json:"verdict"`
}

// Change is an instant at which things become otherwise.
type Change struct {
	At time.Time `json:"at"` // in UTC
	status.Next
}

// Event is something that Curfew told about the object.
type Event struct {
	At     time.Time `json:"at"` // the last time, in UTC
	Type   string    `json:"type"`
	Reason string    `json:"reason"`
	Note   string    `json:"note"`
}

// How far to look for changes, and how many. What comes once a year, comes and goes that often in that time.
const (
	years       = 5
	mostChanges = 10
)

// Of explains an object at an instant. It is pure.
func Of(s live.Subject, events []Event, now time.Time) Explanation {
	w := s.Workload
	e := Explanation{
		Item: status.Of(s, now), Inputs: inputs(s, now), Overrides: overrides(s, now), Rules: rules(s, now),
		Problems: problems(s), Said: w.Status, Changes: changes(s, now), Events: events, subject: s, zone: s.Zone, now: now,
	}
	switch e.State {
	case annotation.StateWindow, annotation.StateNormal, annotation.StateContested:
		e.Moved = moved(s, e.Until, now)
	}
	e.Decision = decision(s, e, status.Decide(w, now))
	return e
}

func changes(s live.Subject, now time.Time) []Change {
	list := []Change{}
	if s.Object.DeletionTimestamp != nil {
		return list
	}
	spans, _ := decide.Forecast(s.Workload, now, now.AddDate(years, 0, 0), mostChanges+1)
	for _, span := range spans[1:] {
		list = append(list, Change{span.From.UTC(), status.NextOf(s.Object.Kind, span)})
	}
	return list
}

// problems are the mistakes in full. Those in rules are shown in their text.
func problems(s live.Subject) []string {
	list := []string{}
	text, from := s.Annotation(annotation.Windows)
	for _, m := range live.Mistakes(text, s.Workload.Spec.Zone, s.Workload.Problems) {
		if m.Faults == nil {
			list = append(list, m.Error())
		} else {
			list = append(list, fmt.Sprintf("annotation %s of the %s:\n%s", annotation.Windows, from, strings.TrimRight(m.Faults.Render(text), "\n")))
		}
	}
	return list
}
