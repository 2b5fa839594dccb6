package downscaler

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"curfew/timewindow"
)

// span is one of the spans of a time text.
type span struct {
	text string // as it was written
	form form

	// Weekly: the days, Monday first, and the minutes of each. A day is that of the moment asked about, also where the
	// span wraps: 20:00-06:00 is two pieces of one day.
	days     [7]bool
	from, to int // minutes; to is at most a day
	zone     *time.Location

	// Absolute. A zero time has no bound on its side.
	start, end time.Time
}

type form int

const (
	never form = iota
	always
	weekly
	absolute
)

const day = 24 * 60

// contains reports whether the span holds at an instant, as the old tools ask: by what a clock shows then.
func (s span) contains(t time.Time) bool {
	switch s.form {
	case always:
		return true
	case absolute:
		return !t.Before(s.start) && (s.end.IsZero() || t.Before(s.end))
	case weekly:
		t = t.In(s.zone)
		return s.days[(int(t.Weekday())+6)%7] && s.atMinute(t.Hour()*60+t.Minute())
	}
	return false
}

// atMinute reports whether a weekly span holds at a minute of one of its days.
func (s span) atMinute(minute int) bool {
	if s.from > s.to {
		return minute >= s.from || minute < s.to
	}
	return s.from <= minute && minute < s.to
}

type spans []span

func (ss spans) contain(t time.Time) bool {
	return slices.ContainsFunc(ss, func(s span) bool { return s.contains(t) })
}

func (ss spans) always() bool {
	return slices.ContainsFunc(ss, func(s span) bool { return s.form == always })
}

func (ss spans) never() bool {
	return !slices.ContainsFunc(ss, func(s span) bool { return s.form != never })
}

const (
	timeOfDay = `(\d\d):(\d\d)-(\d\d):(\d\d)`
	weekdays  = `([a-zA-Z]{3}-[a-zA-Z]{3})`
)

var (
	pythonWeekly   = regexp.MustCompile(`^` + weekdays + ` ` + timeOfDay + ` ([a-zA-Z/_]+)$`)
	pythonAbsolute = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[-+]\d\d:\d\d)-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[-+]\d\d:\d\d)$`)
	goWeekly       = regexp.MustCompile(`^(?:` + weekdays + ` )?` + timeOfDay + `(?: (\S+))?$`)
	goAbsolute     = regexp.MustCompile(`^(\S+(?:Z|[-+]\d\d:\d\d)) *- *(\S+(?:Z|[-+]\d\d:\d\d))$`)
	goOpen         = regexp.MustCompile(`(?i)^(from|until) (\S+)$`)
)

// parseSpans reads a time text as the tool does. What it cannot read, it leaves alone, and so the error.
func parseSpans(tool Tool, text string, o Options) (spans, error) {
	var all spans
	if tool == Python {
		switch strings.ToLower(text) {
		case "always":
			return spans{{text: text, form: always}}, nil
		case "never":
			return spans{{text: text, form: never}}, nil
		}
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		s, err := parseSpan(tool, part, o)
		if err != nil {
			return nil, err
		}
		s.text = part
		all = append(all, s)
	}
	return all, nil
}

func parseSpan(tool Tool, text string, o Options) (span, error) {
	week, dates := pythonWeekly, pythonAbsolute
	if tool == Go {
		week, dates = goWeekly, goAbsolute
		switch strings.ToLower(text) {
		case "always", "true":
			return span{form: always}, nil
		case "never", "false":
			return span{form: never}, nil
		}
		if m := goOpen.FindStringSubmatch(text); m != nil {
			t, err := parseInstant(m[2])
			if strings.EqualFold(m[1], "until") {
				return span{form: absolute, end: t}, err
			}
			return span{form: absolute, start: t}, err
		}
	}
	if m := week.FindStringSubmatch(text); m != nil {
		return parseWeekly(tool, m, o)
	}
	if m := dates.FindStringSubmatch(text); m != nil {
		start, err := parseInstant(m[1])
		if err != nil {
			return span{}, err
		}
		end, err := parseInstant(m[2])
		s := span{form: absolute, start: start, end: end}
		if !start.Before(end) {
			s.form = never
		}
		return s, err
	}
	return span{}, fmt.Errorf("%s cannot read %q as a span; one is %q or %q", tool, text, "Mon-Fri 07:30-20:30 Europe/Berlin", "2026-12-24T00:00:00+01:00-2027-01-02T00:00:00+01:00")
}

// parseInstant reads a time with its offset, to the second: Curfew knows nothing finer.
func parseInstant(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		return t, fmt.Errorf("%q is no time such as 2026-12-24T00:00:00+01:00", text)
	case t.Nanosecond() != 0:
		return t, fmt.Errorf("%q is finer than a second; leave out what comes after the point", text)
	case t.UTC().Year() < 1970 || t.UTC().Year() > 2198:
		return t, fmt.Errorf("%q is beyond the years 1970 to 2198, which rules reach", text)
	}
	return t, nil
}

// parseWeekly takes the days, the times and the zone as they were matched.
func parseWeekly(tool Tool, m []string, o Options) (span, error) {
	s := span{form: weekly}
	days, zone := m[1], m[6]
	if days == "" {
		days = o.Weekdays
	}
	if zone == "" {
		zone = o.Timezone
	}
	switch {
	case days == "":
		return s, fmt.Errorf("%q names no days; give those of DEFAULT_WEEKFRAME with --default-weekframe", m[0])
	case zone == "":
		return s, fmt.Errorf("%q names no zone; give that of DEFAULT_TIMEZONE with --default-timezone", m[0])
	}
	var ok bool
	if s.days, ok = parseDays(days); !ok {
		return s, fmt.Errorf("%q are no days; write such as Mon-Fri", days)
	}
	var err error
	if s.zone, err = timewindow.LoadZone(zone); err != nil {
		return s, fmt.Errorf("the zone of %q cannot be said: %w", m[0], err)
	}
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[2+i]) // two digits
	}
	if tool == Go && (n[0] > 24 || n[1] > 59 || n[2] > 24 || n[3] > 59) {
		return s, fmt.Errorf("%q has a time beyond 24:00", m[0])
	}
	s.from, s.to = n[0]*60+n[1], min(n[2]*60+n[3], day)
	switch {
	case tool == Go && s.from > n[2]*60+n[3]: // it wraps
		if s.from >= day {
			s.from = 0 // the evening's piece is empty
		} else if s.to == 0 {
			s.to = day
		}
		if s.from >= s.to && s.from == 0 {
			s.form = never
		}
	case s.from >= s.to:
		s.form = never
	}
	return s, nil
}

var dayNames = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// parseDays reads days such as Mon-Fri, which may pass over the week's end.
func parseDays(text string) (days [7]bool, ok bool) {
	first, last, _ := strings.Cut(text, "-")
	find := func(name string) int {
		return slices.IndexFunc(dayNames, func(n string) bool { return strings.EqualFold(n, name) })
	}
	from, to := find(first), find(last)
	if from < 0 || to < 0 {
		return days, false
	}
	for i := from; ; i = (i + 1) % 7 {
		days[i] = true
		if i == to {
			return days, true
		}
	}
}
