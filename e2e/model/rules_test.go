package model_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rule is one rule, in parts.
type rule struct {
	days        string        // "Mon,Tue"; "" is every day
	from, to    string        // "20:00" or "20:00:05"; "" is the whole day
	fromDay     string        // a span of the week begins on this day,
	toDay       string        // and ends on this one
	first, last string        // dates, "2026-12-24" or "12-24"
	cron        string        // five fields
	until       string        // five more, for the end
	lasts       time.Duration // or how long it goes on after each time of cron
	zone        string        // "" is that of all rules
	size        string        // "0", "2", "50%", "normal"
}

// String is the rule as Curfew reads it.
func (r rule) String() string {
	var when string
	switch {
	case r.until != "":
		when = fmt.Sprintf("cron(%s) to cron(%s)", r.cron, r.until)
	case r.cron != "":
		when = fmt.Sprintf("cron(%s) for %s", r.cron, r.lasts)
	case r.fromDay != "":
		when = fmt.Sprintf("%s %s - %s %s", r.fromDay, r.from, r.toDay, r.to)
	default:
		when = r.days
		if r.first != "" {
			when = r.first
			if r.last != r.first {
				when += ".." + r.last
			}
		}
		if r.from != "" {
			when = strings.TrimSpace(when + " " + r.from + "-" + r.to)
		}
		if when == "" {
			when = "always"
		}
	}
	return strings.TrimSpace(when+" "+r.zone) + " = " + r.size
}

// holds tells whether the rule holds at a tick.
func (r rule) holds(w *wall, tick int) bool {
	if r.until != "" {
		return w.turnedOn(r.cron, r.until, tick)
	}
	if r.cron != "" {
		for t := tick; time.Duration(tick-t)*w.grain < r.lasts; t-- {
			if w.strikes(r.cron, t) {
				return true
			}
		}
		return false
	}
	now := w.reads(tick)
	if r.from == "" {
		return r.begins(now.Truncate(day))
	}
	// A span belongs to the day it starts on. The longest is one of the week.
	for back := range 8 {
		midnight := now.Truncate(day).AddDate(0, 0, -back)
		if !r.begins(midnight) {
			continue
		}
		start, end := midnight.Add(timeOfDay(r.from)), midnight.Add(timeOfDay(r.to))
		step := 1
		if r.fromDay != "" {
			end = end.AddDate(0, 0, (weekday(r.toDay)-weekday(r.fromDay)+7)%7)
			step = 7
		}
		if !end.After(start) {
			end = end.AddDate(0, 0, step)
		}
		if !now.Before(start) && now.Before(end) {
			return true
		}
	}
	return false
}

// begins tells whether the rule is about that day.
func (r rule) begins(midnight time.Time) bool {
	switch {
	case r.fromDay != "":
		return int(midnight.Weekday()) == weekday(r.fromDay)
	case len(r.first) == len("12-24"):
		date := midnight.Format("01-02")
		if r.first <= r.last {
			return r.first <= date && date <= r.last
		}
		return r.first <= date || date <= r.last
	case r.first != "":
		date := midnight.Format(time.DateOnly)
		return r.first <= date && date <= r.last
	case r.days != "":
		return strings.Contains(r.days, midnight.Weekday().String()[:3])
	}
	return true
}

// of is what a size comes to where so much is normal.
func of(size string, normal int32) int32 {
	switch percent, isShare := strings.CutSuffix(size, "%"); {
	case size == "normal":
		return normal
	case isShare:
		share := number(percent) * int(normal)
		if share%100 > 0 {
			share += 100
		}
		return int32(share / 100)
	}
	return int32(number(size))
}

const day = 24 * time.Hour

var weekdays = []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}

func weekday(name string) int { return slices.Index(weekdays, name) }

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// timeOfDay is how long after midnight it is "20:00:05".
func timeOfDay(text string) time.Duration {
	var d time.Duration
	for i, part := range strings.Split(text, ":") {
		d += time.Duration(number(part)) * []time.Duration{time.Hour, time.Minute, time.Second}[i]
	}
	return d
}

// occurs tells whether a minute on a calendar is one of a cron's.
func occurs(cron string, at time.Time) bool {
	fields := strings.Fields(cron)
	matches := func(field string, value int) bool {
		for part := range strings.SplitSeq(field, ",") {
			first, last, isRange := strings.Cut(part, "-")
			step, every := strings.CutPrefix(part, "*/")
			switch {
			case part == "*",
				every && value%number(step) == 0,
				!every && isRange && number(first) <= value && value <= number(last),
				!every && !isRange && part != "*" && number(part) == value:
				return true
			}
		}
		return false
	}
	return matches(fields[0], at.Minute()) && matches(fields[1], at.Hour()) && fields[2] == "*" && fields[3] == "*" &&
		matches(fields[4], int(at.Weekday()))
}
