package timewindow

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/robfig/cron/v3"
)

// cronFields is the set of wall-clock minutes that five cron fields name. The fields are read by robfig/cron, but its
// own Next is not used: on a zone it loses or repeats runs at a clock change, and it cannot look back.
type cronFields struct {
	text                            string // as written, blanks folded
	minutes, hours, doms, mons, dow uint64 // a bit for each value
	bothDays                        bool   // day of month and day of week are both restricted: cron takes either
}

var cronParser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// cronNames are the fields in their order, and what each may say.
var cronNames = [5]struct{ field, hint string }{
	{"minute", "minutes run from 0 to 59"},
	{"hour", "hours run from 0 to 23"},
	{"day of month", "days run from 1 to 31"},
	{"month", "months run from 1 to 12, or Jan to Dec"},
	{"day of week", "days are 0 to 7, or Sun to Sat, and ranges run upwards: 5-7,1"},
}

// parseCron reads the text between the parentheses. The fault's offset is in that text.
func parseCron(written string) (*cronFields, *fault) {
	fields := strings.Fields(written)
	text := strings.Join(fields, " ")
	start := len(written) - len(strings.TrimLeftFunc(written, unicode.IsSpace))
	bad := func(problem, hint string) (*cronFields, *fault) { return nil, &fault{start, text, problem, hint} }

	const example = "write minute, hour, day of month, month, day of week, such as 0 22 * * 1-5"
	switch {
	case strings.Contains(strings.ToUpper(text), "TZ="):
		return bad("a zone does not stand inside cron( )", "write it behind the rule: cron(0 22 * * *) for 8h Europe/Berlin = 0")
	case strings.HasPrefix(text, "@every"):
		return bad("@every has no start to count from", example)
	case strings.HasPrefix(text, "@"):
		return bad("cron names such as @daily are not read", example)
	case len(fields) == 6:
		return bad("cron has five fields here, not six", "the first of six is a seconds field; leave it out")
	case len(fields) != 5:
		return bad(fmt.Sprintf("cron has five fields, not %d", len(fields)), example)
	}
	spec := &cron.SpecSchedule{}
	at := 0
	for i, field := range fields {
		at += strings.Index(written[at:], field)
		one, problem := parseField(i, field)
		if problem != "" {
			return nil, &fault{at, field, cronNames[i].field + ": " + problem, cronNames[i].hint}
		}
		at += len(field)
		switch i {
		case 0:
			spec.Minute = one.Minute
		case 1:
			spec.Hour = one.Hour
		case 2:
			spec.Dom = one.Dom
		case 3:
			spec.Month = one.Month
		case 4:
			spec.Dow = one.Dow
		}
	}
	const star = 1 << 63 // robfig sets the top bit of a field written as * or ?
	c := &cronFields{text, spec.Minute &^ star, spec.Hour &^ star, spec.Dom &^ star, spec.Month &^ star, spec.Dow &^ star,
		spec.Dom&star == 0 && spec.Dow&star == 0}
	if _, ok := c.next(0); !ok {
		return bad("this never occurs: no such month has such a day", "check the day of month and the month")
	}
	return c, nil
}

// usualFields are fields that most schedules are made of, read beforehand: reading is most of what rules by cron cost.
var usualFields = sync.OnceValue(func() (usual [5]map[string]*cron.SpecSchedule) {
	for i := range usual {
		usual[i] = map[string]*cron.SpecSchedule{}
		for n := -1; n < 60; n++ {
			text := strconv.Itoa(n)
			if n < 0 {
				text = "*"
			}
			if spec, problem := readField(i, text); problem == "" {
				usual[i][text] = spec
			}
		}
	}
	return usual
})

// parseField reads one of the five fields, with the others left open.
func parseField(i int, field string) (spec *cron.SpecSchedule, problem string) {
	if usual := usualFields()[i][field]; usual != nil {
		return usual, ""
	}
	return readField(i, field)
}

func readField(i int, field string) (spec *cron.SpecSchedule, problem string) {
	if problem := looseField(field); problem != "" {
		return nil, problem
	}
	if i == 4 {
		var err error
		if field, err = sundayIsZero(field); err != nil {
			return nil, err.Error()
		}
	}
	open := [5]string{"*", "*", "*", "*", "*"}
	open[i] = field
	parsed, err := cronParser.Parse(strings.Join(open[:], " "))
	if err != nil {
		problem, _, _ := strings.Cut(err.Error(), ": strconv.") // how Go failed to read a number helps nobody
		return nil, shorten(printable(problem), 100)            // robfig echoes what it was given
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, "this is not a field of cron"
	}
	return spec, ""
}

// looseField says what is wrong with a field that robfig reads although it means nothing: it drops empty items of a
// list, which can leave a field without any value, and whatever stands behind a star.
func looseField(field string) string {
	for item := range strings.SplitSeq(field, ",") {
		span, _, _ := strings.Cut(item, "/")
		switch {
		case span == "":
			return fmt.Sprintf("a list in %q has an empty place", shorten(field, 20))
		case len(span) > 1 && strings.ContainsAny(span[:1], "*?"):
			return fmt.Sprintf("nothing but a step stands behind the star in %q", shorten(field, 20))
		}
	}
	return ""
}

// sundayIsZero rewrites the field of weekdays so that Sunday at the end of a range, be it 7 or a name, is read as the
// day after Saturday; robfig knows it as 0 only.
func sundayIsZero(field string) (string, error) {
	parts := strings.Split(field, ",")
	for i, part := range parts {
		span, step, stepped := strings.Cut(part, "/")
		first, last, ranged := strings.Cut(span, "-")
		sunday := last == "7" || strings.EqualFold(last, "sun")
		if !ranged {
			if first == "7" {
				parts[i] = "0"
				if stepped { // 7/2 is from 7 to the last day by two: Sunday; robfig has a look at the step
					parts[i] = "0-0/" + step
				}
			}
			continue
		}
		from, ok := weekdayNumber(first)
		if !sunday || !ok || from == 0 && last != "7" {
			continue // robfig knows these, or says what is wrong with them
		}
		by := 1
		if stepped {
			n, err := strconv.Atoi(step)
			if err != nil || n < 1 {
				return "", fmt.Errorf("the step %q is not a number above 0", shorten(step, 20))
			}
			by = min(n, 7)
		}
		var list []string
		for d := from; d <= 7; d += by {
			list = append(list, strconv.Itoa(d%7))
		}
		if len(list) == 0 {
			return "", errors.New("no day of the week is that high")
		}
		parts[i] = strings.Join(list, ",")
	}
	return strings.Join(parts, ","), nil
}

func weekdayNumber(text string) (int, bool) {
	if len(text) == 1 && text[0] >= '0' && text[0] <= '7' {
		return int(text[0] - '0'), true
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(text, d.String()[:3]) {
			return int(d), true
		}
	}
	return 0, false
}

const minutesADay = 24 * 60

// next returns the first occurrence after c. There is always one, unless there is none at all.
func (f *cronFields) next(c civil) (civil, bool) {
	m := floorDiv(int64(c), minute) + 1
	d, ok := f.dayFrom(dayNumber(floorDiv(m, minutesADay)), +1)
	if !ok {
		return 0, false
	}
	from := 0
	if m > int64(d)*minutesADay {
		from = int(m - int64(d)*minutesADay)
	}
	if at, ok := f.minuteFrom(from); ok {
		return d.start() + civil(at)*minute, true
	}
	d, ok = f.dayFrom(d+1, +1)
	at, _ := f.minuteFrom(0)
	return d.start() + civil(at)*minute, ok
}

// last returns the last occurrence that is not after c.
func (f *cronFields) last(c civil) (civil, bool) {
	m := floorDiv(int64(c), minute)
	d, ok := f.dayFrom(dayNumber(floorDiv(m, minutesADay)), -1)
	if !ok {
		return 0, false
	}
	to := minutesADay - 1
	if m < int64(d)*minutesADay+int64(to) {
		to = int(m - int64(d)*minutesADay)
	}
	if at, ok := f.minuteTo(to); ok {
		return d.start() + civil(at)*minute, true
	}
	d, ok = f.dayFrom(d-1, -1)
	at, _ := f.minuteTo(minutesADay - 1)
	return d.start() + civil(at)*minute, ok
}

// dayFrom returns the nearest day that matches, d itself or else in the direction of step. It looks a little further
// than eight years, the longest that 29 February is ever away. It counts months by itself: a controller looks at
// thousands of windows, and a tenant may have made them all such as come on leap days.
func (f *cronFields) dayFrom(d, step dayNumber) (dayNumber, bool) {
	year, month, dayOfMonth := d.date()
	first := d - dayNumber(dayOfMonth-1) // of the month
	for range 9*12 + 1 {
		if f.mons&(1<<month) != 0 {
			last := dayNumber(daysIn(year, month))
			for m := dayNumber(dayOfMonth); m >= 1 && m <= last; m += step {
				dom, dow := f.doms&(1<<m) != 0, f.dow&(1<<(first+m-1).weekday()) != 0
				if dom && dow || f.bothDays && (dom || dow) {
					return first + m - 1, true
				}
			}
		}
		if step > 0 {
			first += dayNumber(daysIn(year, month))
			if month++; month > time.December {
				year, month = year+1, time.January
			}
			dayOfMonth = 1
		} else {
			if month--; month < time.January {
				year, month = year-1, time.December
			}
			dayOfMonth = daysIn(year, month)
			first -= dayNumber(dayOfMonth)
		}
	}
	return 0, false
}

// minuteFrom returns the first matching minute of a day that is m or later.
func (f *cronFields) minuteFrom(m int) (int, bool) {
	h := m / 60
	if f.hours&(1<<h) != 0 {
		if rest := f.minutes >> (m % 60); rest != 0 {
			return m + bits.TrailingZeros64(rest), true
		}
	}
	rest := f.hours >> (h + 1)
	if rest == 0 {
		return 0, false
	}
	return (h+1+bits.TrailingZeros64(rest))*60 + bits.TrailingZeros64(f.minutes), true
}

// minuteTo returns the last matching minute of a day that is m or earlier.
func (f *cronFields) minuteTo(m int) (int, bool) {
	h := m / 60
	if f.hours&(1<<h) != 0 {
		if rest := f.minutes & (1<<(m%60+1) - 1); rest != 0 {
			return h*60 + bits.Len64(rest) - 1, true
		}
	}
	rest := f.hours & (1<<h - 1)
	if rest == 0 {
		return 0, false
	}
	return (bits.Len64(rest)-1)*60 + bits.Len64(f.minutes) - 1, true
}

// cronFor is a window from each start, for so long in elapsed time.
type cronFor struct {
	start *cronFields
	lasts time.Duration // whole seconds
}

func (w cronFor) holding(z *zone, t int64) (int64, bool) {
	start, ok := w.start.last(z.effective(t))
	if !ok {
		return 0, false
	}
	until := z.instant(start) + int64(w.lasts/time.Second)
	return until, t < until
}

func (w cronFor) opening(z *zone, t int64) (int64, bool) {
	start, ok := w.start.next(z.effective(t))
	return z.instant(start), ok
}

func (w cronFor) String() string {
	lasts := w.lasts.String()
	if strings.HasSuffix(lasts, "m0s") {
		lasts = strings.TrimSuffix(lasts, "0s")
	}
	if strings.HasSuffix(lasts, "h0m") {
		lasts = strings.TrimSuffix(lasts, "0m")
	}
	return fmt.Sprintf("cron(%s) for %s", w.start.text, lasts)
}

// cronTo is a window from each start to the next end after it.
type cronTo struct{ start, end *cronFields }

func (w cronTo) holding(z *zone, t int64) (int64, bool) {
	c := z.effective(t)
	start, ok := w.start.last(c)
	if !ok {
		return 0, false
	}
	end, ok := w.end.next(start)
	return z.instant(end), ok && c < end
}

func (w cronTo) opening(z *zone, t int64) (int64, bool) {
	start, ok := w.start.next(z.effective(t))
	return z.instant(start), ok
}

func (w cronTo) String() string { return fmt.Sprintf("cron(%s) to cron(%s)", w.start.text, w.end.text) }

// sameTimes reports whether two schedules occur at the same minutes because they say the same.
func (f cronFields) sameTimes(o cronFields) bool {
	f.text, o.text = "", ""
	return f == o
}
