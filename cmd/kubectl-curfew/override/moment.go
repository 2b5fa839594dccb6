package override

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"curfew/cmd/kubectl-curfew/output"
	"curfew/timewindow"
)

// ending is when an override ends, as a flag says it. Which instant that is depends on now and on a zone.
type ending struct {
	flag, text string        // as they were given
	lasts      time.Duration // from now on
	instant    time.Time
	date       string // 2026-06-05; empty: the next day on which clock is still to come
	clock      string // 22:00 or 22:00:30, on the clock of the zone
}

// farthest is how far ahead an override may end. What lasts longer is a rule.
const farthest = 366 * 24 * time.Hour

var (
	errTooFar = errors.New("an override lasts a year at most; for what lasts longer write a rule in curfew/windows")

	days   = regexp.MustCompile(`^(\d+)d(.*)$`)
	number = regexp.MustCompile(`^\d+$`)
)

// parseFor reads a duration as Go writes it, with days before the hours if need be.
func parseFor(text string) (ending, error) {
	lasts, err := parseDuration(text)
	if clockText.MatchString(text) || dateText.MatchString(text) {
		return ending{}, fmt.Errorf("%q is a time; it goes behind the other flag: --until %s", text, shellWord(text))
	} else if err != nil {
		return ending{}, err
	}
	return ending{flag: "for", text: text, lasts: lasts}, nil
}

func parseDuration(text string) (time.Duration, error) {
	var whole time.Duration
	rest := text
	if m := days.FindStringSubmatch(text); m != nil {
		n, err := strconv.ParseUint(m[1], 10, 63)
		if err != nil || n > uint64(farthest/(24*time.Hour)) {
			return 0, fmt.Errorf("%q is too long: %w", text, errTooFar)
		}
		whole, rest = time.Duration(n)*24*time.Hour, m[2]
		if rest == "" {
			rest = "0s"
		}
	}
	part, err := time.ParseDuration(rest)
	switch {
	case err != nil && number.MatchString(text):
		return 0, fmt.Errorf("%q has no unit; write %[2]sh for hours or %[2]sm for minutes", text, text)
	case err != nil || part < 0 && whole > 0:
		return 0, fmt.Errorf("%q is not a duration; write days, hours, minutes and seconds, such as 2h, 90m or 1d12h", text)
	case part > farthest-whole:
		return 0, fmt.Errorf("%q is too long: %w", text, errTooFar)
	case whole+part <= 0:
		return 0, fmt.Errorf("%q is over before it begins; write a duration above 0, such as 2h", text)
	}
	return whole + part, nil
}

// shellWord is a text of ours as a person would type it in a shell.
func shellWord(text string) string {
	if strings.Contains(text, " ") {
		return "'" + text + "'"
	}
	return text
}

var (
	clockText = regexp.MustCompile(`^(\d\d):(\d\d)(?::(\d\d))?$`)
	dateText  = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)(?:[T ](.+))?$`)
	shortHour = regexp.MustCompile(`^\d:\d\d(:\d\d)?$`)
)

const untilHint = "write 22:00 for the next such time, 2026-06-05 for the start of a day, 2026-06-05T22:00, or a time with its offset such as 2026-06-05T22:00:00+02:00"

// parseUntil reads a time of day, a date, both, or a time as RFC 3339 writes it.
func parseUntil(text string) (ending, error) {
	e := ending{flag: "until", text: text}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			e.instant = t
			return e, nil
		}
	}
	e.clock = text
	if m := dateText.FindStringSubmatch(text); m != nil {
		e.date, e.clock = m[1], m[2]
		if e.clock == "" {
			e.clock = "00:00"
		}
	}
	m := clockText.FindStringSubmatch(e.clock)
	switch {
	case m != nil && (m[1] > "24" || m[2] > "59" || m[3] > "59" || m[1] == "24" && m[2]+m[3] > "0000"):
		return ending{}, fmt.Errorf("%q: a day has no such time; its times go from 00:00 to 23:59:59, and 24:00 is its end", text)
	case m == nil && shortHour.MatchString(e.clock):
		return ending{}, fmt.Errorf("%q: a time has two digits for the hour; write 0%s", text, e.clock)
	case m == nil:
		if _, err := parseDuration(text); err == nil {
			return ending{}, fmt.Errorf("%q is a duration; it goes behind the other flag: --for %s", text, text)
		}
		return ending{}, fmt.Errorf("%q is not a time; %s", text, untilHint)
	}
	if e.date != "" { // is there such a date?
		if _, err := e.on(time.UTC, time.Time{}); err != nil {
			return ending{}, err
		}
	}
	return e, nil
}

// at is the instant in a zone, rounded up to a whole second. It is after now.
func (e ending) at(now time.Time, zone *time.Location) (time.Time, error) {
	end := e.instant
	var err error
	switch {
	case e.lasts > 0:
		end = now.Add(e.lasts)
	case e.clock != "":
		if end, err = e.on(zone, now); err != nil {
			return end, err
		}
	}
	if whole := end.Truncate(time.Second); whole.Before(end) {
		end = whole.Add(time.Second)
	}
	end = end.In(zone)
	switch {
	case !end.After(now):
		return end, fmt.Errorf("--%s: %q has passed: it was %s; choose a later time%s", e.flag, e.text, output.Local(end, zone), e.endHint())
	case end.Sub(now) > farthest+24*time.Hour: // a day of grace: nobody counts leap days
		return end, fmt.Errorf("--%s: %q is too far ahead, %s: %w", e.flag, e.text, output.Local(end, zone), errTooFar)
	}
	return end, nil
}

// endHint says that a date alone is its start.
func (e ending) endHint() string {
	if e.text == e.date {
		return ", or " + e.date + "T24:00 for the end of that day"
	}
	return ""
}

// on is the instant of a local time: on its date, or else the first after now. A rule that opens then is asked, so that
// local times happen when rules say they do, also where the clock skips them or shows them twice.
func (e ending) on(zone *time.Location, now time.Time) (time.Time, error) {
	start, date := e.clock, e.date
	after := now
	if date != "" {
		day, err := time.Parse(time.DateOnly, date)
		if err != nil {
			return time.Time{}, fmt.Errorf("%q: there is no such date", e.text)
		}
		if strings.HasPrefix(start, "24") {
			day = day.AddDate(0, 0, 1)
			date = day.Format(time.DateOnly)
		}
		after = day.Add(-48 * time.Hour) // no zone is so far from UTC
	}
	if strings.HasPrefix(start, "24") {
		start = "00:00"
	}
	at, err := opening(strings.TrimSpace(date+" "+start+"-"+halfADayAfter(start)), zone, after)
	if err != nil {
		return at, fmt.Errorf("%q: %w", e.text, err)
	}
	return at, nil
}

// halfADayAfter is the end of a window that no change of the clocks makes shrink to nothing.
func halfADayAfter(clock string) string {
	hour, _ := strconv.Atoi(clock[:2])
	return fmt.Sprintf("%02d%s", (hour+12)%24, clock[2:])
}

// opening is the first instant after another at which a window opens.
func opening(window string, zone *time.Location, after time.Time) (time.Time, error) {
	schedule, err := timewindow.Parse(window+" = 0", zone)
	if faults := (timewindow.Faults)(nil); errors.As(err, &faults) {
		return time.Time{}, fmt.Errorf("%s; %s", faults[0].Problem, faults[0].Hint)
	} else if err != nil {
		return time.Time{}, err
	}
	for {
		next, ok := schedule.Next(after)
		if !ok {
			return time.Time{}, errors.New("the clocks of this zone never show that time")
		}
		if schedule.At(next).Rule >= 0 {
			return next, nil
		}
		after = next
	}
}
