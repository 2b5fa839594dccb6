package downscaler

import (
	"fmt"
	"strings"
	"time"

	"curfew/timewindow"
)

// rule is one line of Curfew's: when, in which zone ("" where it does not matter), and the size.
type rule struct{ when, zone, size string }

func (r rule) String() string {
	if r.zone == "" {
		return r.when + " = " + r.size
	}
	return r.when + " " + r.zone + " = " + r.size
}

// canonical is a rule as Curfew itself writes it.
func canonical(r rule) string {
	schedule, err := timewindow.Parse(r.String(), nil)
	if err != nil {
		return r.String()
	}
	return schedule.String()
}

// rulesOf is the rules that hold exactly when one of the spans does.
func rulesOf(ss spans, size string) []rule {
	if ss.always() {
		return []rule{{"always", "", size}}
	}
	var rules []rule
	for _, s := range ss {
		switch s.form {
		case weekly:
			for _, when := range s.weekly() {
				rules = append(rules, rule{when, s.zone.String(), size})
			}
		case absolute:
			for _, when := range s.dates() {
				rules = append(rules, rule{when, "UTC", size})
			}
		}
	}
	return rules
}

// weekly is a weekly span as Curfew says it. A span of Curfew's belongs to the day that it starts on; so one that wraps
// is two, unless it is there every day.
func (s span) weekly() []string {
	if s.from < s.to || s.days == everyDay {
		return []string{when(s.days, s.from, s.to)}
	}
	return []string{when(s.days, 0, s.to), when(s.days, s.from, day)}
}

// split reports whether the span had to become two.
func (s span) split() bool { return s.form == weekly && s.from > s.to && s.days != everyDay }

var everyDay = [7]bool{true, true, true, true, true, true, true}

func when(days [7]bool, from, to int) string {
	var names []string
	for i, on := range days {
		if on {
			names = append(names, dayNames[i])
		}
	}
	return strings.Join(names, ",") + " " + clock(from) + "-" + clock(to)
}

func clock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// dates is an absolute span as Curfew says it: the rest of the first day, the days between, what there is of the last.
func (s span) dates() []string {
	start, end := s.start.UTC(), s.end.UTC()
	if s.start.IsZero() {
		start = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if s.end.IsZero() {
		end = time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)
	}
	const date, clock = "2006-01-02", "15:04:05"
	first, last := start.Truncate(24*time.Hour), end.Truncate(24*time.Hour)
	if first.Equal(last) {
		return []string{start.Format(date+" "+clock) + "-" + end.Format(clock)}
	}
	var whens []string
	if start.After(first) {
		whens = append(whens, start.Format(date+" "+clock)+"-24:00")
		first = first.Add(24 * time.Hour)
	}
	if first.Before(last) {
		whens = append(whens, first.Format(date)+".."+last.Add(-24*time.Hour).Format(date))
	}
	if end.After(last) {
		whens = append(whens, last.Format(date)+" 00:00-"+end.Format(clock))
	}
	return whens
}
