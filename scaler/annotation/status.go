package annotation

import (
	"bytes"
	"encoding/json"
	"time"
)

// State says in one word what Curfew makes of an object.
type State string

// The states of an object.
const (
	StateWindow    State = "window"    // a rule gives the size
	StateNormal    State = "normal"    // no rule holds
	StateOverride  State = "override"  // an override beats the rules
	StatePaused    State = "paused"    // the object is left as it stands, because somebody wants it so
	StateContested State = "contested" // somebody else keeps changing the size, and Curfew puts it back more and more slowly
	StateWaiting   State = "waiting"   // the object is left as it is for a while: it is new, or its turn to wake has not come
	StateInvalid   State = "invalid"   // the annotations have a mistake; the object is left as it stands
)

// States lists every state.
func States() []State {
	return []State{StateWindow, StateNormal, StateOverride, StatePaused, StateContested, StateWaiting, StateInvalid}
}

// Status is what Curfew says about an object on the object itself. It changes only when its meaning does, and never
// holds a reading of the clock: Until comes from the rules.
type Status struct {
	State State `json:"state"`
	// Size is the size that Curfew holds the object at, in replicas; absent when it keeps its hands off.
	Size *int32 `json:"size,omitempty"`
	// Max is the maximum that Curfew holds the object at, where it has one.
	Max *int32 `json:"max,omitempty"`
	// Normal is the size the object has when no window holds, in replicas; there only while one does.
	Normal *int32 `json:"normal,omitempty"`
	// NormalMax is the maximum that goes with that; there only while Curfew holds another.
	NormalMax *int32 `json:"normalMax,omitempty"`
	// Rule is the rule that holds, as its author wrote it.
	Rule string `json:"rule,omitempty"`
	// Until is when that ends, in the zone of the schedule; absent if never.
	Until time.Time `json:"until,omitzero"`
	// Message says what is wrong or in the way, and how to mend it.
	Message string `json:"message,omitempty"`
}

// ParseStatus reads a status that Curfew wrote. Anything else gives the zero Status: whatever somebody has made of the
// annotation, the next status replaces it.
func ParseStatus(text string) Status {
	var s Status
	if json.Unmarshal([]byte(text), &s) != nil {
		return Status{}
	}
	if s.Until.IsZero() { // in whatever zone, so that a status which says nothing is the zero Status
		s.Until = time.Time{}
	}
	return s
}

// String is the status as one line of JSON; "" for the zero Status.
func (s Status) String() string {
	if s == (Status{}) {
		return ""
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // people read this
	if err := enc.Encode(s); err != nil {
		return "" // a year beyond 9999, which no rule can reach
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// Holding reports whether a window held the object when the status was written, and at which size; normal is the size
// it had, or would have had, without.
func (s Status) Holding() (size, normal int32, ok bool) {
	if s.Size == nil || s.Normal == nil || *s.Normal < 0 { // Curfew has not written that
		return 0, 0, false
	}
	return *s.Size, *s.Normal, true
}

// HoldingMax is Holding for the maximum.
func (s Status) HoldingMax() (most, normal int32, ok bool) {
	if s.Max == nil || s.NormalMax == nil || *s.NormalMax < 1 {
		return 0, 0, false
	}
	return *s.Max, *s.NormalMax, true
}
