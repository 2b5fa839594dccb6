// Package status says of live objects what Curfew makes of them, and is the command that shows it.
package status

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

// The states of an object that Curfew itself has no word for.
const (
	StateOptedOut annotation.State = "optedOut" // its rules are "none"
	StateNone     annotation.State = "none"     // nothing asks for a size
	StateDeleting annotation.State = "deleting" // it is on its way out, and left alone
	StateGone     annotation.State = "gone"     // it was there before; only while watching
)

// Item is what there is to say about an object at an instant. As JSON it is what scripts read.
type Item struct {
	Kind      string           `json:"kind"` // such as Deployment
	Namespace string           `json:"namespace"`
	Name      string           `json:"name"`
	Timezone  string           `json:"timezone"` // the one to read its times in
	State     annotation.State `json:"state"`
	Rule      string           `json:"rule,omitempty"`      // the rule that holds, as its author wrote it
	Source    live.Source      `json:"source,omitempty"`    // whose rules, override, pause or mistake it is
	Size      int32            `json:"size"`                // the replicas it should ask for; of what is on or off 1 or 0
	Normal    *int32           `json:"normal,omitempty"`    // the replicas it has when no rule holds; absent if nobody knows any more
	Max       int32            `json:"max,omitempty"`       // the maximum that goes with the size, where there is one
	NormalMax int32            `json:"normalMax,omitempty"` // the maximum that goes with the normal size
	Replicas  int32            `json:"replicas"`            // the replicas it does ask for
	Ready     int32            `json:"ready"`               // the replicas that are ready
	Applied   bool             `json:"applied"`             // it is as it should be, and Curfew has said so
	Until     time.Time        `json:"until,omitzero"`      // when something else will be asked for, in UTC; absent if never
	Next      *Next            `json:"next,omitempty"`      // what that will be
	Message   string           `json:"message,omitempty"`

	key    kind.Key
	zone   *time.Location
	detail string // of the state, in the table
	aside  string // what the table adds to that
	inTurn bool   // it waits for its turn to wake
}

// ItemList is several of them.
type ItemList struct {
	Items []Item `json:"items"` // never nil
}

// Next is what follows.
type Next struct {
	Size  int32            `json:"size"` // in replicas
	Max   int32            `json:"max,omitempty"`
	State annotation.State `json:"state"`
	Rule  string           `json:"rule,omitempty"`

	kind *kind.Kind
}

// Of says what there is to say about an object at an instant: what should be, by the rules, and whether it is so, by
// what Curfew has written. It is pure.
func Of(s live.Subject, now time.Time) Item {
	w := s.Workload
	item := Item{
		Kind: s.Object.Kind.Name, Namespace: s.Object.Namespace, Name: s.Object.Name, Timezone: s.Zone.String(),
		Size: w.Size, Replicas: w.Size, Ready: s.Object.Ready, zone: s.Zone, key: s.Key(),
	}
	if normal, known := w.Normal(); known {
		item.Normal = &normal
	}
	item.Max = live.MaxOf(w)
	item.NormalMax, _ = w.NormalMax()
	if s.Object.DeletionTimestamp != nil {
		item.State, item.Applied, item.Message = StateDeleting, true, "Curfew leaves alone what is being deleted"
		return item
	}
	d := Decide(w, now)
	change := d.Change(w.Size, s.Object.Annotations)
	late := ""
	switch {
	case change.Empty():
	case Unseen(s):
		d, change = decide.Decision{Size: w.Status.Size, Status: w.Status}, decide.Change{}
		item.aside = "as Curfew last said: the Namespace may not be read"
		late = "as Curfew last said, for what the Namespace says may not be read"
	case d.Status.State == annotation.StateContested:
		item.aside = "not put back yet"
		late = fmt.Sprintf("it %s and is put back to %s after a while", asks(s), wanted(s, change))
	default:
		item.aside = "not applied yet: is Curfew running?"
		late = notApplied(s, d, change)
	}
	item.Applied = change.Empty()
	item.decided(s, d, now)
	item.Message = joined("; ", late, d.Status.Message, item.Message)
	return item
}

// decided fills in what was decided.
func (i *Item) decided(s live.Subject, d decide.Decision, now time.Time) {
	w := s.Workload
	if d.Size != nil {
		i.Size = *d.Size
	}
	if d.Max != nil {
		i.Max = *d.Max
	}
	i.State, i.Rule = d.Status.State, d.Status.Rule
	if i.State == "" {
		i.State = StateNone
		if w.Spec.OptedOut {
			i.State = StateOptedOut
		} else if s.Object.Unfit != "" {
			i.Message = s.Object.Unfit
		}
	}
	i.inTurn = decide.InTurn(d.Status)
	i.Source = source(s, i.State, now)
	switch {
	case i.State == annotation.StateContested:
		i.detail = rival(d.Status.Message)
	case i.State == annotation.StateInvalid && len(w.Problems) > 0:
		i.detail = strings.TrimPrefix(w.Problems[0].Error(), "annotation ")
	case i.aside != "":
	case len(w.Problems) > 0:
		i.aside = "there is a mistake in " + w.Problems[0].Key
	case i.State == annotation.StateWindow && d.Status.Size == nil && w.Autoscaler != nil:
		i.aside = "left to the HorizontalPodAutoscaler " + w.Autoscaler.Name
	}
	if until := d.Status.Until; until.After(now) {
		i.Until = until.UTC()
		i.Next = next(s, now, until)
	}
}

// Decide is what should be true of a workload now. That somebody contests its size, and whose turn it is to wake, is known
// to the controller alone, so where all but that agrees with what it said, it is believed.
func Decide(w decide.Workload, now time.Time) decide.Decision {
	d := decide.Decide(w, now)
	if was := w.Status; decide.InTurn(was) && d.Paced(w) {
		if waiting := d.Waiting(w); waiting.Status.String() == was.String() {
			return waiting
		}
	}
	if was := w.Status; was.State == annotation.StateContested && d.Size != nil {
		contested := d
		contested.Status.State, contested.Status.Message = was.State, was.Message
		if contested.Status.String() == was.String() {
			return contested
		}
	}
	return d
}

// Unseen reports whether Curfew may know of rules that the caller may not read.
func Unseen(s live.Subject) bool {
	own := s.Object.Annotations
	_, rules := own[annotation.Windows]
	_, override := own[annotation.OverrideKey]
	return s.Namespace == nil && !rules && !override && slices.Contains(annotation.States(), s.Workload.Status.State)
}

// notApplied says what is not as decided.
func notApplied(s live.Subject, d decide.Decision, change decide.Change) string {
	text := "not applied yet: "
	_, said := s.Object.Annotations[annotation.StatusKey]
	switch {
	case change.Resizes():
		text += fmt.Sprintf("it %s instead of %s", asks(s), wanted(s, change))
	case !said:
		text += "Curfew has said nothing about it"
	case d.Status.State == "":
		text += "what Curfew wrote is still there"
	default:
		text += "what Curfew said is not what is so now"
	}
	text += "; is Curfew running, and does it look after this namespace?"
	if _, from := s.Annotation(annotation.Timezone); from == "" && s.Workload.Spec.Schedule != nil {
		text += " Is its --timezone " + s.Workload.Spec.Zone.String() + "?"
	}
	return text
}

// asks is what an object does to have the size that it has.
func asks(s live.Subject) string {
	k, w := s.Object.Kind, s.Workload
	text := live.SizeInWords(k, w.Size, live.MaxOf(w))
	if live.IsSwitch(k) {
		return "is " + text
	}
	return "asks for " + text
}

// wanted is the size that a change makes of that.
func wanted(s live.Subject, c decide.Change) string {
	return live.Size(s.Object.Kind, ptr.Deref(c.Size, s.Workload.Size), ptr.Deref(c.Max, live.MaxOf(s.Workload)))
}

// source is whose word a state is.
func source(s live.Subject, state annotation.State, now time.Time) live.Source {
	_, override := s.Override(now)
	switch state {
	case annotation.StatePaused:
		_, from := s.Annotation(annotation.Paused)
		return from
	case annotation.StateInvalid:
		if p := s.Workload.Problems; len(p) > 0 && p[0].Namespace {
			return live.FromNamespace
		}
		return s.Self()
	case annotation.StateWaiting, StateNone:
		return ""
	case annotation.StateOverride, annotation.StateContested:
		if override != "" {
			return override
		}
	}
	_, from := s.Annotation(annotation.Windows)
	return from
}

// next is what follows at the end of what holds now.
func next(s live.Subject, now, until time.Time) *Next {
	spans, _ := decide.Forecast(s.Workload, now, until.Add(1), 2)
	n := NextOf(s.Object.Kind, spans[len(spans)-1])
	return &n
}

// NextOf is a span of a forecast in a few words.
func NextOf(k *kind.Kind, span decide.Span) Next {
	n := Next{kind: k, Size: span.Size, Max: span.Max, State: span.State, Rule: span.Rule}
	if n.State == "" {
		n.State = StateNone
	}
	return n
}

// contest is how Curfew says who contests a size.
var contest = regexp.MustCompile(`(?:^|; )("(?:[^"\\]|\\.)*"(?: \(through scale\))?|somebody who left no name) keeps changing the size`)

// rival is who contests a size, by a message about it.
func rival(message string) string {
	if m := contest.FindStringSubmatch(message); m != nil {
		return output.Safe(m[1])
	}
	return "somebody"
}

// joined joins what is not empty.
func joined(separator string, texts ...string) string {
	var some []string
	for _, text := range texts {
		if text != "" {
			some = append(some, text)
		}
	}
	return strings.Join(some, separator)
}
