package translate

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/robfig/cron/v3"
)

// Cron is five cron fields, as robfig/cron reads them, which is what kube-green, KEDA and Kubernetes itself read them
// with: weekday 7 and ranges that wrap are mistakes.
type Cron struct {
	Fields string // minute, hour, day of month, month, day of week, as written
	spec   *cron.SpecSchedule
}

const star = 1 << 63 // robfig sets the top bit of a field written as * or ?

var cronParser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// descriptors are the names that robfig/cron knows, as fields.
var descriptors = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// ParseCron reads five fields, or a name such as @daily. The error quotes the text and says why it is no such thing.
func ParseCron(text string) (Cron, error) {
	fields := strings.Join(strings.Fields(text), " ")
	bad := func(problem string) (Cron, error) { return Cron{}, fmt.Errorf("%s: %s", Quote(text), problem) }
	switch {
	case strings.Contains(strings.ToUpper(fields), "TZ="): // robfig panics on some of these
		return bad("a zone inside the cron fields is not read; give it a field of its own")
	case strings.HasPrefix(fields, "@every"):
		return bad("@every counts from the start of a process, which nobody knows; write a time")
	case strings.HasPrefix(fields, "@"):
		full, ok := descriptors[fields]
		if !ok {
			return bad("there is no such name in cron")
		}
		fields = full
	}
	parsed, err := cronParser.Parse(fields)
	if err != nil {
		return bad("this is not five cron fields; " + shorten(err.Error()))
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	switch {
	case !ok || spec.Minute&^star == 0 || spec.Hour&^star == 0 || spec.Dom&^star == 0 || spec.Month&^star == 0 || spec.Dow&^star == 0:
		return bad("a cron field names nothing")
	case spec.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() && !(Cron{spec: spec}).ever():
		return bad("this never occurs: no such month has such a day")
	}
	return Cron{fields, spec}, nil
}

// on reports whether the fields name a day. As in cron, if both day fields are restricted either will do.
func (c Cron) on(d day) bool {
	dom, dow := c.spec.Dom&(1<<d.dayOfMonth) != 0, c.spec.Dow&(1<<d.weekday) != 0
	if c.spec.Month&(1<<d.month) == 0 {
		return false
	}
	if c.spec.Dom&star != 0 || c.spec.Dow&star != 0 {
		return dom && dow
	}
	return dom || dow
}

// Weekly reports whether every week is like every other.
func (c Cron) Weekly() bool {
	const doms, months = 1<<32 - 2, 1<<13 - 2
	return c.spec.Dom&doms == doms && c.spec.Month&months == months
}

// minutes are those of a day, counted from midnight.
func (c Cron) minutes() []int {
	var all []int
	for m := range minutesADay {
		if c.spec.Hour&(1<<(m/60)) != 0 && c.spec.Minute&(1<<(m%60)) != 0 {
			all = append(all, m)
		}
	}
	return all
}

// day is what of a day matters to cron.
type day struct {
	month      time.Month
	dayOfMonth int
	weekday    time.Weekday
}

// calendar is every day of the 400 years after which it repeats, to the week.
var calendar = sync.OnceValue(func() []day {
	var all []day
	for d := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() < 2400; d = d.AddDate(0, 0, 1) {
		all = append(all, day{d.Month(), d.Day(), d.Weekday()})
	}
	return all
})

// days are enough days to know all that ever happens with some crons: two weeks where every week is the same.
func days(crons ...Cron) []day {
	for _, c := range crons {
		if !c.Weekly() {
			return calendar()
		}
	}
	return calendar()[:14]
}

// ever reports whether there is any day that the fields name.
func (c Cron) ever() bool {
	return slices.ContainsFunc(days(c), c.on)
}

// meets reports whether two crons ever name the same minute.
func (c Cron) meets(o Cron) bool {
	if c.spec.Minute&o.spec.Minute&^star == 0 || c.spec.Hour&o.spec.Hour&^star == 0 {
		return false
	}
	return slices.ContainsFunc(days(c, o), func(d day) bool { return c.on(d) && o.on(d) })
}

// Alternates reports whether the two take strict turns, for ever.
func (c Cron) Alternates(o Cron) bool {
	if c.meets(o) {
		return false
	}
	mine, others := c.minutes(), o.minutes()
	// What a day does depends on which of the two it has and on who came last before: 1, 2, or 0 for nobody yet.
	type kind struct {
		mine, others bool
		last         int
	}
	type outcome struct {
		last int
		kept bool
	}
	known := map[kind]outcome{}
	last := 0
	for _, d := range days(c, o) {
		today := kind{c.on(d), o.on(d), last}
		came, ok := known[today]
		if !ok {
			var a, b []int
			if today.mine {
				a = mine
			}
			if today.others {
				b = others
			}
			came.last, came.kept = turns(a, b, last)
			known[today] = came
		}
		if !came.kept {
			return false
		}
		last = came.last
	}
	return true
}

// turns follows the minutes of two crons through a day: whose is the last, and whether they take turns.
func turns(a, b []int, last int) (int, bool) {
	for len(a)+len(b) > 0 {
		next := 2
		if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
			next, a = 1, a[1:]
		} else {
			b = b[1:]
		}
		if next == last {
			return next, false
		}
		last = next
	}
	return last, true
}

// Next is the next time after t on the clock of t's zone, as robfig/cron has it: it leaves out a time that spring skips
// and repeats one that autumn repeats.
func (c Cron) Next(t time.Time) time.Time { return c.spec.Next(t) }
