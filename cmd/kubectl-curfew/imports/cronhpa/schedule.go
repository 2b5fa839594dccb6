package cronhpa

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/timewindow"
)

// read reads a schedule: six fields, of which the first is seconds, a name such as @daily, or a date.
func read(text string) (translate.Cron, time.Time, error) {
	fields := strings.Fields(text)
	fail := func(problem string) (translate.Cron, time.Time, error) {
		return translate.Cron{}, time.Time{}, errors.New(translate.Quote(text) + ": " + problem)
	}
	switch {
	case len(fields) > 0 && fields[0] == "@date":
		date, err := time.Parse(time.DateTime, strings.Join(fields[1:], " "))
		if err != nil || date.Year() < 1970 || date.Year() > 2199 {
			return fail("this is no date; it is written @date 2026-11-15 08:00:00")
		}
		return translate.Cron{}, date, nil
	case len(fields) > 0 && strings.HasPrefix(fields[0], "@"):
		at, err := translate.ParseCron(text)
		return at, time.Time{}, err
	case len(fields) == 5:
		return fail(tool + " takes the first of five fields for seconds, which is hardly what was meant; write six, with 0 in front")
	case len(fields) != 6:
		return fail("this is not six fields: second, minute, hour, day of month, month, day of week")
	case strings.Trim(fields[0], "0") != "":
		return fail("the first field is seconds, and windows that follow cron fields start on the minute; write 0 there and import again")
	}
	stepped := func(field string) bool {
		return slices.ContainsFunc(strings.Split(field, ","), func(item string) bool { return strings.HasPrefix(item, "*/") || strings.HasPrefix(item, "?/") })
	}
	if dom, dow := fields[3], fields[5]; stepped(dom) && !open(dow) || stepped(dow) && !open(dom) {
		return fail("for " + tool + " */ leaves a day field open, so that both have to match, and for Curfew it does not; list the days instead")
	}
	at, err := translate.ParseCron(strings.Join(fields[1:], " "))
	return at, time.Time{}, err
}

// open reports whether a day field names every day.
func open(field string) bool { return field == "*" || field == "?" }

// dated are the rules for jobs with a date: each lasts until the next time of any job.
func dated(dates, edges []job, size func(int32) timewindow.Size) ([]string, error) {
	var rules []string
	for _, d := range slices.SortedFunc(slices.Values(dates), func(a, b job) int { return a.date.Compare(b.date) }) {
		var end time.Time
		sooner := func(t time.Time) {
			if !t.IsZero() && (end.IsZero() || t.Before(end)) {
				end = t
			}
		}
		for _, e := range edges {
			next := e.at.Next(d.date.Add(-time.Second))
			if next.Equal(d.date) && e.size != d.size {
				return nil, fmt.Errorf("%s and %s fall on the same second, and which of them comes last is chance; move one of them", d.says, e.says)
			}
			sooner(e.at.Next(d.date))
		}
		for _, o := range dates {
			if o.date.Equal(d.date) && o.size != d.size {
				return nil, fmt.Errorf("%s and %s fall on the same second, and which of them comes last is chance; move one of them", d.says, o.says)
			}
			if o.date.After(d.date) {
				sooner(o.date)
			}
		}
		rules = append(rules, between(d.date, end, size(d.size))...)
	}
	return rules, nil
}

// between writes a stretch of the wall clock.
func between(from, to time.Time, size timewindow.Size) []string {
	clock := func(t time.Time) string { return strings.TrimSuffix(t.Format("15:04:05"), ":00") }
	rule := func(when string) string { return when + " = " + size.String() }
	day, last := from.Truncate(24*time.Hour), to.Truncate(24*time.Hour)
	midnight := from.Equal(day)
	if day.Equal(last) {
		return []string{rule(day.Format(time.DateOnly) + " " + clock(from) + "-" + clock(to))}
	}
	var rules []string
	if !midnight {
		rules = append(rules, rule(day.Format(time.DateOnly)+" "+clock(from)+"-24:00"))
		day = day.AddDate(0, 0, 1)
	}
	switch whole := last.AddDate(0, 0, -1); {
	case whole.Equal(day):
		rules = append(rules, rule(day.Format(time.DateOnly)))
	case whole.After(day):
		rules = append(rules, rule(day.Format(time.DateOnly)+".."+whole.Format(time.DateOnly)))
	}
	if to.After(last) {
		rules = append(rules, rule(last.Format(time.DateOnly)+" 00:00-"+clock(to)))
	}
	return rules
}
