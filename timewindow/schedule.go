package timewindow

import (
	"slices"
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
	line   int32
	column int32
	sizeAt int32 // the column of the size
}

// Text is the rule as it was written, without its comment and with runs of blanks made one.
func (r Rule) Text() string { return r.text }

// Line is the line of the text that the rule stands on, counted from 1.
func (r Rule) Line() int { return int(r.line) }

// Column is where in its line the rule starts, in characters, counted from 1.
func (r Rule) Column() int { return int(r.column) }

// Size is what the rule asks for.
func (r Rule) Size() Size { return r.size }

// SizeFault is a mistake in the size of the rule that only those can find who know what the rule is for.
func (r Rule) SizeFault(problem, hint string) Fault {
	size := strings.TrimSpace(r.text[strings.LastIndexByte(r.text, '=')+1:])
	return Fault{Line: int(r.line), Column: int(r.sizeAt), Text: size, Problem: problem, Hint: hint}
}

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

// Resized is the schedule with what to makes of each size. Its rules keep their texts and places. Where that is the same
// size everywhere, it is the schedule itself.
func (s *Schedule) Resized(to func(Size) Size) *Schedule {
	if !slices.ContainsFunc(s.rules, func(r Rule) bool { return to(r.size) != r.size }) {
		return s
	}
	rules := slices.Clone(s.rules)
	for i := range rules {
		rules[i].size = to(rules[i].size)
	}
	return newSchedule(rules)
}

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

// Location is the zone that all the rules are read in; nil if they are not all read in the same. A rule that always holds
// has no time to read.
func (s *Schedule) Location() *time.Location {
	var zone *time.Location
	for _, r := range s.rules {
		switch {
		case r.window == (always{}) && len(s.rules) > 1:
		case zone == nil:
			zone = r.Location()
		case r.Location().String() != zone.String():
			return nil
		}
	}
	if zone == nil {
		return s.rules[0].Location()
	}
	return zone
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
// fall on some weekday, is 40 years away at the most. The number of looks bounds the cost where a size is kept up by
// one short window after another, such as cron(* * * * *) for 1m: with three rules it sees two weeks ahead, at a
// cost of some milliseconds.
const (
	horizon  = 50 * 366 * day
	maxLooks = 1 << 17
)

// Next returns the first instant after t, a whole second, at which the size is no longer what it is at t. It reports
// false if there is none within the next 50 years or so, or if it has given up looking because rules of equal size
// take turns too often; who goes to sleep on that answer does well to ask again the day after.
func (s *Schedule) Next(t time.Time) (time.Time, bool) {
	next, ok, _ := s.next(t.Unix())
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(next, 0).UTC(), true
}

// Steady returns an instant after t, up to which the size surely stays what it is at t: that of [Schedule.Next] where
// there is one, and else as far as it has looked.
func (s *Schedule) Steady(t time.Time) time.Time {
	until, _, _ := s.next(t.Unix())
	return time.Unix(until, 0).UTC()
}

// SteadyUpTo is [Schedule.Steady] within the caller's own bounds: it looks no farther than to most, which is after t, and
// gives up when the looks at windows are used up, from which it takes its own.
func (s *Schedule) SteadyUpTo(t, most time.Time, looks *int) time.Time {
	until, _, used := s.nextUpTo(t.Unix(), most.Unix(), *looks)
	*looks -= used + 2*s.deciding + 1 // to say what is so at t is not free, and whoever asks again and again comes to an end
	return time.Unix(until, 0).UTC()
}

// next is Next, and says how many windows it looked at. If there is none, it says how far it has looked.
func (s *Schedule) next(t int64) (next int64, ok bool, looks int) {
	return s.nextUpTo(t, t+horizon, maxLooks)
}

func (s *Schedule) nextUpTo(t, most int64, mostLooks int) (next int64, ok bool, looks int) {
	is := s.size(t)
	for now := t; ; {
		now = s.keeps(is, now)
		looks += 2 * s.deciding
		if now >= most {
			return most, false, looks
		}
		if s.size(now) != is {
			return now, true, looks
		}
		if looks > mostLooks {
			return now, false, looks
		}
	}
}

// size is the size at an instant.
func (s *Schedule) size(now int64) Size {
	for i := range s.rules[:s.deciding] {
		r := &s.rules[i]
		if _, ok := r.window.holding(r.zone, now); ok {
			return r.size
		}
	}
	return s.tail
}

// keeps returns an instant after now, up to which the size surely stays what it is now. It skips every window of that
// same size: such a window can only hide what stands below it, for as long as it holds.
func (s *Schedule) keeps(is Size, now int64) int64 {
	hidden := now  // up to here a rule above gives this size
	until := never // up to here no rule so far gives another
	for i := range s.rules[:s.deciding] {
		r := &s.rules[i]
		end, ok := r.window.holding(r.zone, now)
		switch {
		case r.size == is:
			if ok {
				hidden = max(hidden, end)
			}
		case ok:
			until = min(until, hidden)
		default:
			if start, ok := r.window.opening(r.zone, now); ok {
				until = min(until, max(start, hidden))
			}
		}
	}
	if s.tail != is {
		until = min(until, hidden)
	}
	return until
}
