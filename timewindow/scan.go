package timewindow

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// blanks separate the words of a rule. Others, such as the no-break space, are reported as what they are.
const blanks = " \t\r"

// scanner reads one rule from left to right. It stops at the first fault.
type scanner struct {
	text string
	at   int // byte offset of what comes next
}

func (s *scanner) rest() string { return s.text[s.at:] }

func (s *scanner) skip() {
	s.at = len(s.text) - len(strings.TrimLeft(s.rest(), blanks))
}

// take consumes the literal if it comes next, behind blanks.
func (s *scanner) take(literal string) bool {
	s.skip()
	if !strings.HasPrefix(s.rest(), literal) {
		return false
	}
	s.at += len(literal)
	return true
}

// word consumes the ASCII letters that come next, behind blanks; there may be none.
func (s *scanner) word() string {
	s.skip()
	from := s.at
	for s.at < len(s.text) && isLetter(s.text[s.at]) {
		s.at++
	}
	return s.text[from:s.at]
}

// peek returns the next byte behind blanks, or 0 at the end; a 0 may also stand in the text.
func (s *scanner) peek() byte {
	if s.done() {
		return 0
	}
	return s.text[s.at]
}

// done reports whether nothing but blanks is left.
func (s *scanner) done() bool {
	s.skip()
	return s.at == len(s.text)
}

// bad is a fault at the offset from, about the text up to the next blank, "=" or "," behind it.
func (s *scanner) bad(from int, problem, hint string) *fault {
	word := s.text[from:]
	if i := strings.IndexAny(word, blanks+"=,"); i >= 0 {
		word = word[:i]
	}
	return &fault{from, word, problem + NotPlain(word), hint}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// digits consumes exactly n digits and returns their value.
func (s *scanner) digits(n int) (int, bool) {
	if len(s.rest()) < n {
		return 0, false
	}
	v := 0
	for _, c := range []byte(s.rest()[:n]) {
		if !isDigit(c) {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	s.at += n
	return v, true
}

// hoursAlone is a span as many would write it: 8-20.
var hoursAlone = regexp.MustCompile(`^([0-9]|1[0-9]|2[0-3])-([0-9]|1[0-9]|2[0-4])\b`)

// time reads HH:MM or HH:MM:SS as seconds into the day. 24:00 is allowed as an end only.
func (s *scanner) time(end bool) (int64, *fault) {
	s.skip()
	from := s.at
	hint := "write HH:MM or HH:MM:SS, such as 08:00"
	bad := func(problem, hint string) (int64, *fault) { return 0, s.bad(from, problem, hint) }
	if hours := hoursAlone.FindStringSubmatch(s.rest()); hours != nil {
		hint = fmt.Sprintf("write %02s:00-%02s:00", hours[1], hours[2])
	}

	h, ok := s.digits(2)
	if !ok || !s.sticks(":") {
		return bad("a time has two digits for the hour and two for the minute", hint)
	}
	m, ok := s.digits(2)
	if !ok {
		return bad("a time has two digits for the hour and two for the minute", hint)
	}
	sec := 0
	if s.sticks(":") {
		if sec, ok = s.digits(2); !ok {
			return bad("seconds have two digits", hint)
		}
	}
	if s.at < len(s.text) && (isDigit(s.text[s.at]) || s.text[s.at] == ':' || isLetter(s.text[s.at]) || s.text[s.at] == '.') {
		return bad("this is not a time", hint)
	}
	t := int64(h)*hour + int64(m)*minute + int64(sec)
	switch {
	case t == day && !end && m == 0 && sec == 0:
		return bad("24:00 is an end, not a start", "write 00:00 of the day after")
	case h > 23 && t != day || m > 59 || sec > 59:
		return bad("there is no such time of day", "times run from 00:00 to 23:59:59, and a span may end at 24:00")
	}
	return t, nil
}

// sticks consumes the literal if it follows without a blank.
func (s *scanner) sticks(literal string) bool {
	if !strings.HasPrefix(s.rest(), literal) {
		return false
	}
	s.at += len(literal)
	return true
}

// day reads the name of a weekday, short or in full.
func (s *scanner) day() (time.Weekday, *fault) {
	s.skip()
	from := s.at
	word := s.word()
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(word, d.String()) || strings.EqualFold(word, d.String()[:3]) {
			return d, nil
		}
	}
	hint := "the days are Mon Tue Wed Thu Fri Sat Sun"
	for d := time.Sunday; d <= time.Saturday; d++ {
		if len(word) >= 2 && len(word) <= 4 && strings.EqualFold(word[:2], d.String()[:2]) {
			hint = "did you mean " + d.String()[:3] + "?"
		}
	}
	return 0, s.bad(from, "this is not a day of the week", hint)
}

// date is a date as written, with or without a year.
type date struct {
	year int // 0: every year
	monthDay
}

// date reads YYYY-MM-DD or MM-DD.
func (s *scanner) date() (date, *fault) {
	s.skip()
	from := s.at
	const hint = "write YYYY-MM-DD for one year or MM-DD for every year"
	var d date
	if len(leadingDigits(s.rest())) == 4 {
		d.year, _ = s.digits(4)
		if d.year < minYear || d.year > maxYear {
			return d, s.bad(from, "the year is out of reach", fmt.Sprintf("years run from %d to %d", minYear, maxYear))
		}
		if !s.sticks("-") {
			return d, s.bad(from, "this is not a date", hint)
		}
	}
	month, ok := s.digits(2)
	if !ok || !s.sticks("-") {
		return d, s.bad(from, "this is not a date", hint)
	}
	dayOfMonth, ok := s.digits(2)
	if !ok || s.at < len(s.text) && (isDigit(s.text[s.at]) || isLetter(s.text[s.at]) || s.text[s.at] == ':' || s.text[s.at] == '-') {
		return d, s.bad(from, "this is not a date", hint)
	}
	d.month, d.day = time.Month(month), dayOfMonth
	year := d.year
	if year == 0 {
		year = 2000 // a leap year: 29 February does come
	}
	if y, m, dd := dayOf(year, d.month, d.day).date(); y != year || m != d.month || dd != d.day {
		return d, s.bad(from, "there is no such date", "check the month and the day of the month")
	}
	return d, nil
}
