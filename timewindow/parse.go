package timewindow

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Limits on a text of rules: an object's schedule is read by a controller that serves many others.
const (
	MaxText  = 64 << 10 // bytes
	MaxRules = 500
)

// Parse reads rules. Rules that name no zone are read in zone; nil means UTC. The error is a [Faults] with every
// mistake in the text; then there is no schedule at all, for half of somebody's rules is not what they meant.
func Parse(text string, zone *time.Location) (*Schedule, error) {
	if len(text) > MaxText {
		return nil, Faults{{1, 1, "", fmt.Sprintf("the rules take more than %d bytes", MaxText), "dates that follow each other can be one range"}}
	}
	home := zoneOf(zone)
	var rules []Rule
	var faults Faults
	for number, line := range strings.Split(text, "\n") {
		code, _, _ := strings.Cut(line, "#")
		for at, piece := range pieces(code) {
			from := at + len(piece) - len(strings.TrimLeft(piece, blanks))
			if len(rules)+len(faults) == MaxRules {
				f := fault{from, "", "there are too many rules", fmt.Sprintf("the most is %d; dates that follow each other can be one range", MaxRules)}
				return nil, append(faults, f.in(line, number+1))
			}
			rule, f := parseRule(piece, home)
			if f != nil {
				f.at += at
				faults = append(faults, f.in(line, number+1))
				continue
			}
			rule.line, rule.column = int32(number+1), int32(column(line, from)) // MaxText is far less than there is room for
			rule.sizeAt = int32(column(line, at+int(rule.sizeAt)))
			rules = append(rules, rule)
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	if len(rules) == 0 {
		return nil, Faults{{1, 1, "", "there is no rule", "write one a line, such as Mon-Fri 20:00-06:00 = 0"}}
	}
	return newSchedule(rules), nil
}

// pieces yields the rules of a line, with the offset at which each starts. Empty ones are left out.
func pieces(line string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		at := 0
		for piece := range strings.SplitSeq(line, ";") {
			if strings.Trim(piece, blanks) != "" && !yield(at, piece) {
				return
			}
			at += len(piece) + 1
		}
	}
}

func parseRule(text string, home *zone) (Rule, *fault) {
	s := &scanner{text: text}
	r := Rule{zone: home, text: strings.Join(strings.Fields(text), " ")}
	s.skip()
	from := s.at
	var f *fault
	if r.window, f = s.window(); f != nil {
		return r, f
	}
	what := s.text[from:s.at]
	if f = s.zone(&r); f != nil {
		return r, f
	}
	if !s.take("=") {
		if !s.done() {
			return r, s.bad(s.at, "this does not belong here", "behind the zone come = and a size")
		}
		return r, s.noSize(strings.TrimRight(s.text[from:s.at], blanks))
	}
	at := s.at
	if r.size, f = parseSize(s.rest()); f != nil {
		f.at += at
		return r, f
	}
	r.sizeAt = int32(len(text) - len(strings.TrimLeft(text[at:], blanks))) // of bytes, until the line is known
	if !r.exists() {
		return r, &fault{from, strings.Trim(what, blanks), "this can never hold: the clock of " + r.zone.loc.String() + " skips it that day", "choose a time that the clock shows"}
	}
	return r, nil
}

// exists reports whether the rule ever holds. Only dates that come once can fail to: the clock may skip the whole span.
func (r Rule) exists() bool {
	w, ok := r.window.(daily)
	if !ok {
		return true
	}
	once, ok := w.days.(dates)
	if !ok {
		return true
	}
	for d := once.first; d <= once.last && d <= once.first+1; d++ { // no zone ever skipped two days
		start := d.start() + civil(w.start)
		if r.zone.instant(start) < r.zone.instant(start+civil(w.length)) {
			return true
		}
	}
	return false
}

// zone reads the zone between the window and the "=", if there is one.
func (s *scanner) zone(r *Rule) *fault {
	c := s.peek()
	if s.done() || c == '=' {
		return nil
	}
	from := s.at
	end := strings.IndexAny(s.rest(), blanks+"=")
	if end < 0 {
		end = len(s.rest())
	}
	name := s.rest()[:end]
	if isTZ(name) {
		assignment, _, _ := strings.Cut(s.rest(), " ")
		return s.badZone(from, assignment, "a zone is written without TZ=", zoneExample)
	}
	if !isLetter(c) && !strings.Contains(s.rest(), "=") {
		return s.noSize(s.text[:from])
	}
	if !isLetter(c) {
		return s.bad(from, "this does not belong here", "a rule is a window, perhaps a zone, = and a size")
	}
	z, f := loadZone(name)
	if f != nil {
		return s.badZone(from, name, f.problem, f.hint)
	}
	s.at += end
	r.zone, r.named = z, true
	return nil
}

// isTZ reports whether a name is that of a variable which other tools read a zone from.
func isTZ(name string) bool {
	return strings.EqualFold(name, "TZ") || strings.EqualFold(name, "CRON_TZ")
}

// noSize is the fault of a rule that has a window but no "=".
func (s *scanner) noSize(window string) *fault {
	s.skip()
	window = shorten(printable(strings.Join(strings.Fields(window), " ")), 60)
	return s.bad(s.at, "a rule needs = and a size behind its window", fmt.Sprintf("write %s = 0, or another size", window))
}

func (s *scanner) badZone(from int, name, problem, hint string) *fault {
	f := s.bad(from, problem, hint)
	f.text = name
	return f
}

// window reads the "when" of a rule.
func (s *scanner) window() (window, *fault) {
	c := s.peek()
	from := s.at
	switch {
	case c == '=':
		return nil, s.bad(from, "the window is missing", "write when the size holds, such as Mon-Fri 20:00-06:00, or always")
	case isDigit(c):
		if s.looksLikeDate() {
			return s.dates()
		}
		return s.span(everyDay)
	case !isLetter(c):
		return nil, s.bad(from, "a window does not start like this", "it starts with a day, a date, a time, cron( or always")
	}
	switch word := s.word(); {
	case strings.EqualFold(word, "always"):
		return always{}, nil
	case strings.EqualFold(word, "cron"):
		return s.cron()
	}
	s.at = from
	if s.looksLikeZone() {
		return nil, s.bad(from, "the zone does not come first", "write it behind the window: 20:00-06:00 Europe/Berlin = 0")
	}
	return s.weekdays()
}

// looksLikeZone tells a name such as Europe/Berlin, or an assignment to TZ, from the name of a day.
func (s *scanner) looksLikeZone() bool {
	name := s.rest()
	if end := strings.IndexAny(name, blanks+"="); end >= 0 {
		name = name[:end]
	}
	_, known := slices.BinarySearch(zoneNames(), name)
	return known || strings.Contains(name, "/") || isTZ(name)
}

// looksLikeDate tells a date from a time by what stands behind its first digits.
func (s *scanner) looksLikeDate() bool {
	digits := len(leadingDigits(s.rest()))
	behind := s.rest()[digits:]
	switch {
	case behind == "" || strings.IndexByte("-/.", behind[0]) < 0:
		return false
	case digits == 4: // 2000-0600 is a time gone wrong, 2026/1/1 a date
		return len(leadingDigits(behind[1:])) != 4
	}
	return digits == 2 && behind[0] == '-' && len(leadingDigits(behind[1:])) == 2
}

// start reads time "-", the first half of a span.
func (s *scanner) start() (int64, *fault) {
	s.skip()
	from := s.at
	t, f := s.time(false)
	if f == nil && !s.take("-") {
		f = s.bad(from, "a span needs an end", "write it as "+clock(t)+"-18:00")
	}
	return t, f
}

// span reads time "-" time, on each of the days.
func (s *scanner) span(on days) (window, *fault) {
	s.skip()
	from := s.at
	start, f := s.start()
	if f != nil {
		return nil, f
	}
	end, f := s.time(true)
	if f != nil {
		return nil, f
	}
	return s.daily(on, start, end, from)
}

func (s *scanner) daily(on days, start, end int64, from int) (window, *fault) {
	if start == end {
		f := s.bad(from, "a span that ends when it starts is empty or endless", "for whole days write the days alone or 00:00-24:00, for ever write always")
		f.text = s.text[from:s.at]
		return nil, f
	}
	length := end - start
	if length < 0 {
		length += day
	}
	return daily{on, start, length}, nil
}

// weekdays reads a set of weekdays and what may follow it: nothing, a daily span, or the rest of a span of the week.
func (s *scanner) weekdays() (window, *fault) {
	from := s.at
	var set weekdays
	var first time.Weekday
	single := true
	for {
		d, f := s.day()
		if f != nil {
			return nil, f
		}
		last := d
		if s.take("-") {
			single = false
			if last, f = s.day(); f != nil {
				return nil, f
			}
		}
		first = d
		for ; d != last; d = (d + 1) % 7 {
			set |= 1 << d
		}
		set |= 1 << last
		if !s.take(",") {
			break
		}
		single = false
	}
	if !isDigit(s.peek()) {
		return daily{set, 0, day}, nil
	}
	at := s.at
	start, f := s.start()
	if f != nil {
		return nil, f
	}
	if !isLetter(s.peek()) {
		end, f := s.time(true)
		if f != nil {
			return nil, f
		}
		return s.daily(set, start, end, at)
	}
	if !single {
		f := s.bad(from, "a span of the week starts on one day", "write it as Fri 20:00 - Mon 07:00")
		f.text = strings.TrimRight(s.text[from:s.at], blanks)
		return nil, f
	}
	endDay, f := s.day()
	if f != nil {
		return nil, f
	}
	end, f := s.time(true)
	if f != nil {
		return nil, f
	}
	w := weekly{start: int64(first)*day + start}
	w.length = floorMod(int64(endDay)*day+end-w.start, week)
	if w.length == 0 {
		f := s.bad(from, "a span that ends when it starts is empty or endless", "for ever write always")
		f.text = s.text[from:s.at]
		return nil, f
	}
	return w, nil
}

// dates reads a date or a range of dates, and the span that may follow.
func (s *scanner) dates() (window, *fault) {
	from := s.at
	first, f := s.date()
	if f != nil {
		return nil, f
	}
	last := first
	if s.take("..") {
		if last, f = s.date(); f != nil {
			return nil, f
		}
	}
	var on days = yearly{first.monthDay, last.monthDay}
	if first.year != 0 || last.year != 0 {
		on = dates{dayOf(first.year, first.month, first.day), dayOf(last.year, last.month, last.day)}
	}
	wrong := func(problem, hint string) (window, *fault) {
		f := s.bad(from, problem, hint)
		f.text = s.text[from:s.at]
		return nil, f
	}
	if (first.year == 0) != (last.year == 0) {
		return wrong("one date has a year and the other has none", "write both with a year, or both without")
	}
	if r, ok := on.(dates); ok && r.last < r.first {
		return wrong("this range ends before it starts, so it can never hold", "write the earlier date first")
	}
	if isDigit(s.peek()) {
		return s.span(on)
	}
	return daily{on, 0, day}, nil
}

// cron reads what follows the word cron.
func (s *scanner) cron() (window, *fault) {
	from := s.at
	start, f := s.cronFields()
	if f != nil {
		return nil, f
	}
	s.skip()
	at := s.at
	switch word := s.word(); {
	case strings.EqualFold(word, "for"):
		lasts, f := s.duration()
		if f != nil {
			return nil, f
		}
		return cronFor{start, lasts}, nil
	case strings.EqualFold(word, "to"):
		s.skip()
		at = s.at
		if !strings.EqualFold(s.word(), "cron") {
			return nil, s.bad(at, "the end is a cron schedule too", "write cron(0 8 * * 1-5) to cron(0 20 * * 1-5)")
		}
		end, f := s.cronFields()
		if f != nil {
			return nil, f
		}
		if start.sameTimes(*end) {
			f := s.bad(from, "a span that ends when it starts is empty or endless", "for ever write always")
			f.text = strings.Trim(s.text[from:s.at], blanks)
			return nil, f
		}
		return cronTo{start, end}, nil
	}
	return nil, s.bad(at, "cron( ) needs an end", "write for and a duration, such as for 8h, or to and another cron( )")
}

// cronFields reads the parentheses and what stands in them.
func (s *scanner) cronFields() (*cronFields, *fault) {
	if !s.take("(") {
		return nil, s.bad(s.at, "cron needs its fields in parentheses", "write cron(0 22 * * 1-5)")
	}
	from := s.at
	end := strings.IndexByte(s.rest(), ')')
	if end < 0 {
		return nil, s.bad(from, "the parenthesis is not closed", "write cron(0 22 * * 1-5)")
	}
	fields, f := parseCron(s.rest()[:end])
	if f != nil {
		f.at += from
		return nil, f
	}
	s.at += end + 1
	return fields, nil
}

// longestDuration is the longest that one start of a cron window may last.
const longestDuration = 366 * day * time.Second

func (s *scanner) duration() (time.Duration, *fault) {
	s.skip()
	from := s.at
	for s.at < len(s.text) && (isLetter(s.text[s.at]) || isDigit(s.text[s.at]) || strings.IndexByte(".+-", s.text[s.at]) >= 0) {
		s.at++
	}
	d, err := time.ParseDuration(s.text[from:s.at])
	const example = "write hours, minutes and seconds, such as 8h, 1h30m or 48h"
	switch {
	case err != nil:
		return 0, s.bad(from, "this is not a duration", example)
	case d <= 0:
		return 0, s.bad(from, "a duration is longer than nothing", example)
	case d > longestDuration:
		return 0, s.bad(from, "this duration is too long", "the longest is a year, 8784h")
	case d%time.Second != 0:
		return 0, s.bad(from, "a duration has whole seconds", example)
	}
	return d, nil
}
