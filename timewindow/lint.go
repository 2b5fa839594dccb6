package timewindow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Warning is something in a schedule that is legal and yet most likely not what was meant. The place is that of the rule,
// in which the text stands.
type Warning struct {
	Fault
	Kind WarningKind
}

// String says the place, the text, the problem and the cure in one line that is safe to print.
func (w Warning) String() string { return w.Error() }

// WarningKind says which of the suspicious things it is.
type WarningKind string

// The kinds of warnings.
const (
	GapBeforeMidnight WarningKind = "gap-before-midnight" // a window ends a minute or a second too early
	CronBothDays      WarningKind = "cron-both-days"      // cron takes the days that match either of two fields
	SuspiciousZone    WarningKind = "suspicious-zone"     // a zone says less than it seems to
	HiddenRule        WarningKind = "hidden-rule"         // a rule never decides anything
)

// Warnings looks for rules that are legal and suspicious, from top to bottom. It looks at rules alone, never at a clock,
// so it says the same every day.
func (s *Schedule) Warnings() []Warning {
	var all []Warning
	zones := map[string]bool{}
	covers := map[string]weekCover{} // by zone, what the rules so far cover
	for i, r := range s.rules {
		warn := func(kind WarningKind, text, problem, hint string) {
			all = append(all, Warning{Fault{r.Line(), r.Column(), text, problem, hint}, kind})
		}
		if end := minuteShort(r.window); end != "" {
			warn(GapBeforeMidnight, r.text, "this ends at "+end+", which leaves a gap before midnight", "write 24:00 for the end of the day")
		}
		for _, f := range cronsOf(r.window) {
			if f.bothDays {
				warn(CronBothDays, f.text, "day of month and day of week are both restricted"+becauseOfStep(f)+", and cron then takes the days that match either",
					"leave one of them as *, unless either is what you mean")
			}
		}
		name := r.zone.loc.String()
		if problem, hint := suspiciousZone(name); problem != "" && !zones[name] {
			warn(SuspiciousZone, name, problem, hint)
		}
		zones[name] = true
		if by := s.hiddenBy(i, covers); by != "" {
			warn(HiddenRule, r.text, "this never decides anything: "+by, "move it up, or take it out")
		}
		if spans, ok := spansOf(r.window); ok {
			covers[name] = covers[name].with(spans)
		}
	}
	return all
}

// minuteShort returns the end of a window that stops a minute or a second before midnight, else "".
func minuteShort(w window) string {
	end := int64(0)
	switch w := w.(type) {
	case daily:
		end = w.start + w.length
	case weekly:
		end = w.start + w.length
	}
	if end %= day; end == day-minute || end == day-1 {
		return clock(end)
	}
	return ""
}

func cronsOf(w window) []*cronFields {
	switch w := w.(type) {
	case cronFor:
		return []*cronFields{w.start}
	case cronTo:
		return []*cronFields{w.start, w.end}
	}
	return nil
}

// becauseOfStep explains a field that looks like a star and restricts nevertheless.
func becauseOfStep(f *cronFields) string {
	fields := strings.Fields(f.text)
	for _, field := range []string{fields[2], fields[4]} {
		if strings.HasPrefix(field, "*/") {
			return fmt.Sprintf(" (%s counts as a restriction)", field)
		}
	}
	return ""
}

// legacyZones are names of the zone database that say less than they seem to. They are there for old systems' sake.
var legacyZones = map[string]struct{ problem, hint string }{
	"EST":     {"EST has no daylight saving time, so it is an hour off New York all summer", "write America/New_York, or America/Panama if you mean it"},
	"MST":     {"MST has no daylight saving time, so it is an hour off Denver all summer", "write America/Denver, or America/Phoenix if you mean it"},
	"HST":     {"HST is an old abbreviation", "write Pacific/Honolulu"},
	"EST5EDT": {"EST5EDT is an old name", "write America/New_York"},
	"CST6CDT": {"CST6CDT is an old name", "write America/Chicago"},
	"MST7MDT": {"MST7MDT is an old name", "write America/Denver"},
	"PST8PDT": {"PST8PDT is an old name", "write America/Los_Angeles"},
	"CET":     {"CET is an abbreviation, and follows the clock of Brussels", "write the place that you mean, such as Europe/Berlin"},
	"MET":     {"MET is an abbreviation, and follows the clock of Brussels", "write the place that you mean, such as Europe/Berlin"},
	"EET":     {"EET is an abbreviation, and follows the clock of Athens", "write the place that you mean, such as Europe/Helsinki"},
	"WET":     {"WET is an abbreviation, and follows the clock of Lisbon", "write the place that you mean, such as Europe/Lisbon"},
}

func suspiciousZone(name string) (problem, hint string) {
	if z, ok := legacyZones[name]; ok {
		return z.problem, z.hint
	}
	offset, ok := strings.CutPrefix(name, "Etc/GMT")
	if !ok || len(offset) < 2 || offset == "+0" || offset == "-0" {
		return "", ""
	}
	side, place := "ahead of", "Asia/Tokyo"
	if offset[0] == '+' {
		side, place = "behind", "America/New_York"
	}
	return fmt.Sprintf("%s is %s hours %s UTC: in these names the sign is turned round", name, offset[1:], side), "write a place, such as " + place
}

// hiddenBy says what keeps the rule i from ever being the first that holds, as far as can be seen from windows that
// come every week and from windows that are the same. It returns "" if nothing does.
func (s *Schedule) hiddenBy(i int, covers map[string]weekCover) string {
	r := s.rules[i]
	spans, weekly := spansOf(r.window)
	for _, above := range s.rules[:i] {
		same := above.zone.loc.String() == r.zone.loc.String()
		cover, ok := spansOf(above.window)
		covered := ok && (cover.whole() || same && weekly && cover.holds(spans))
		if covered || same && above.window.String() == r.window.String() {
			return fmt.Sprintf("%q above it already holds whenever this does", above.text)
		}
	}
	for zone, cover := range covers {
		if cover.whole() || zone == r.zone.loc.String() && weekly && cover.holds(spans) {
			return "the rules above it together already hold whenever this does"
		}
	}
	return ""
}

// weekCover is a set of seconds of the week, as stretches that are sorted and do not touch. Seconds are counted on the
// wall clock from Sunday 00:00. Stretches that touch there touch in time, whatever the clocks do.
type weekCover []stretch

type stretch struct{ start, end int64 }

// spansOf is the cover of a window that comes every week; other windows have none.
func spansOf(w window) (weekCover, bool) {
	switch w := w.(type) {
	case always:
		return weekCover{{0, week}}, true
	case weekly:
		return weekCover{}.with(weekCover{{w.start, w.start + w.length}}), true
	case daily:
		set, ok := w.days.(weekdays)
		if !ok {
			return nil, false
		}
		var spans weekCover
		for d := range int64(7) {
			if set&(1<<d) != 0 {
				spans = append(spans, stretch{d*day + w.start, d*day + w.start + w.length})
			}
		}
		return weekCover{}.with(spans), true
	}
	return nil, false
}

// with adds stretches, which may reach over the end of the week.
func (c weekCover) with(more []stretch) weekCover {
	all := slices.Clone(c)
	for _, s := range more {
		all = append(all, stretch{s.start, min(s.end, week)})
		if s.end > week {
			all = append(all, stretch{0, s.end - week})
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.start, b.start) })
	merged := all[:0]
	for _, s := range all {
		if n := len(merged); n > 0 && s.start <= merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, s.end)
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

func (c weekCover) whole() bool { return c.holds(weekCover{{0, week}}) }

// holds reports whether c has every second that o has.
func (c weekCover) holds(o weekCover) bool {
	for _, s := range o {
		if !slices.ContainsFunc(c, func(in stretch) bool { return in.start <= s.start && s.end <= in.end }) {
			return false
		}
	}
	return true
}
