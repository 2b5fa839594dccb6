package timewindow

import (
	"strings"
	"time"
)

// Schedule is a list of rules. The first one that holds gives the size.
type Schedule struct {
	rules    []Rule
	deciding int  // rules from here on ask for tail, which is also what is left without them
	tail     Size // the size when none of the deciding rules holds
}

// Rule is one line of a schedule.
type Rule struct {
	window window
	zone   *zone
	named  bool // the rule names its zone itself
	size   Size
	text   string
	line   int
}

// Text is the rule as it was written, without its comment and with runs of blanks made one.
func (r Rule) Text() string { return r.text }

// Line is the line of the text that the rule stands on, counted from 1.
func (r Rule) Line() int { return r.line }

// Size is what the rule asks for.
func (r Rule) Size() Size { return r.size }

// Location is the zone that the rule's times are read in.
func (r Rule) Location() *time.Location { return r.zone.loc }

// String is the rule in canonical form; parsing it gives an equal rule.
func (r Rule) String() string {
	if r.named {
		return r.window.String() + " " + r.zone.loc.String() + " = " + r.size.String()
	}
	return r.window.String() + " = " + r.size.String()
}

// State is what a schedule says of one instant.
type State struct {
	Size Size
	Rule int // the rule that holds, as an index into [Schedule.Rules]; -1 when none does, and then Size is Normal
}

// newSchedule also finds the rules at the end that decide nothing: those behind one that always holds, and those that
// ask for what would be so without them. [Schedule.Next] need not look at these, which also lets it see at once that a
// schedule such as "always = 0" never changes.
func newSchedule(rules []Rule) *Schedule {
	s := &Schedule{rules: rules, deciding: len(rules)}
	for i, r := range rules {
		if alwaysHolds(r.window) {
			s.deciding, s.tail = i, r.size
			break
		}
	}
	for s.deciding > 0 && rules[s.deciding-1].size == s.tail {
		s.deciding--
	}
	return s
}

func alwaysHolds(w window) bool { return w == (always{}) || w == (daily{everyDay, 0, day}) }

// Rules returns the rules from top to bottom. The caller must not change them.
func (s *Schedule) Rules() []Rule { return s.rules }

// String writes the rules in canonical form, one a line; parsing it in the same default zone gives an equal schedule.
func (s *Schedule) String() string {
	lines := make([]string, len(s.rules))
	for i, r := range s.rules {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}

// At says which size the schedule asks for at the instant t, and which rule says so.
func (s *Schedule) At(t time.Time) State {
	now := t.Unix()
	for i := range s.rules {
		r := &s.rules[i]
		if _, ok := r.window.holding(r.zone, now); ok {
			return State{r.size, i}
		}
	}
	return State{Normal, -1}
}

// How far Next looks before it says never. The rarest change that rules can describe, one that waits for 29 February to
// fall on some weekday, is 40 years away at the most. The number of looks keeps a schedule that means nothing but goes
// on turning, such as two rules of equal size by the minute, from costing more than some milliseconds.
const (
	horizon  = 50 * 366 * day
	maxLooks = 1 << 17
)

// Next returns the first instant after t, a whole second, at which the size is no longer what it is at t. It reports
// false if there is none within the next 50 years or so.
func (s *Schedule) Next(t time.Time) (time.Time, bool) {
	now := t.Unix()
	end := now + horizon
	size, turn, looks := s.turn(now)
	for is := size; is == size; {
		if turn >= end || looks > maxLooks {
			return time.Time{}, false
		}
		var n int
		now = turn
		is, turn, n = s.turn(now)
		looks += n
	}
	return time.Unix(now, 0).UTC(), true
}

// turn returns the size at an instant, the first instant after it at which another rule may give the size, and how many
// windows it looked at to see that.
func (s *Schedule) turn(now int64) (size Size, turn int64, looks int) {
	turn = never
	for i := range s.rules[:s.deciding] {
		r := &s.rules[i]
		if until, ok := r.window.holding(r.zone, now); ok {
			return r.size, min(turn, until), i + 1
		}
		if from, ok := r.window.opening(r.zone, now); ok {
			turn = min(turn, from)
		}
	}
	return s.tail, turn, s.deciding
}
