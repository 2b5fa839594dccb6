package translate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"curfew/timewindow"
)

const (
	minutesADay  = 24 * 60
	minutesAWeek = 7 * minutesADay
)

// Week is the size in every minute of a week, on the wall clock, from Monday 00:00 on.
type Week [minutesAWeek]timewindow.Size

// Occurrences are the minutes of the week that a weekly cron names, in order.
func (c Cron) Occurrences() []int {
	var all []int
	for day := range 7 {
		for _, m := range c.minutes() {
			if c.spec.Dom&star == 0 && c.spec.Dow&star == 0 || c.spec.Dow&(1<<((day+1)%7)) != 0 {
				all = append(all, day*minutesADay+m)
			}
		}
	}
	return all
}

// clock writes a minute of the week.
func clock(minute int) string {
	return fmt.Sprintf("%s %02d:%02d", dayNames[minute/minutesADay], minute%minutesADay/60, minute%60)
}

var dayNames = [7]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// run is a stretch of one size; it may pass over the end of the week.
type run struct{ start, length int }

// runs are the stretches of a size. The week has another size somewhere.
func (w *Week) runs(size timewindow.Size) []run {
	var all []run
	for m := range w {
		if w[m] != size || w[(m+minutesAWeek-1)%minutesAWeek] == size {
			continue
		}
		length := 1
		for w[(m+length)%minutesAWeek] == size {
			length++
		}
		all = append(all, run{m, length})
	}
	return all
}

// Rules says the week in as few rules as it can. zone is the name of the zone to write into each, or "".
func (w *Week) Rules(zone string) []string {
	var sizes []timewindow.Size
	for _, s := range w {
		if !slices.Contains(sizes, s) {
			sizes = append(sizes, s)
		}
	}
	if len(sizes) == 1 {
		return []string{rule("always", "", sizes[0])}
	}
	slices.SortFunc(sizes, bySize)
	descending := slices.Clone(sizes)
	slices.Reverse(descending)
	var best []string
	for _, base := range sizes { // the size of all minutes that no rule above names
		for _, order := range [][]timewindow.Size{descending, sizes} {
			rules := w.layers(order, base, zone)
			if best == nil || len(rules) < len(best) {
				best = rules
			}
		}
	}
	return best
}

// layers says the sizes in an order, base last. What a rule above decides already, one below may span.
func (w *Week) layers(order []timewindow.Size, base timewindow.Size, zone string) []string {
	var rules []string
	var decided [minutesAWeek]bool
	for _, size := range order {
		if size == base {
			continue
		}
		spanned := *w
		for _, gap := range w.between(size) {
			if all(gap, func(m int) bool { return decided[m] }) {
				for m := range gap.length {
					spanned[(gap.start+m)%minutesAWeek] = size
				}
			}
		}
		rules = append(rules, spans(spanned.runs(size), zone, size)...)
		for m := range w {
			decided[m] = decided[m] || w[m] == size
		}
	}
	if base != timewindow.Normal {
		rules = append(rules, rule("always", "", base)) // at all times, which are the same in every zone
	}
	return rules
}

// between are the stretches without a size, which the week has somewhere.
func (w *Week) between(size timewindow.Size) []run {
	other := Fill(timewindow.Normal)
	if size == timewindow.Normal {
		other = Fill(timewindow.Replicas(0))
	}
	for m := range w {
		if w[m] == size {
			other[m] = size
		}
	}
	for _, s := range other {
		if s != size {
			return other.runs(s)
		}
	}
	return nil
}

// all reports whether every minute of a stretch is so.
func all(r run, so func(int) bool) bool {
	for m := range r.length {
		if !so((r.start + m) % minutesAWeek) {
			return false
		}
	}
	return true
}

// bySize puts normal last.
func bySize(a, b timewindow.Size) int {
	const most = 1 << 30
	return cmp.Compare(a.Of(most), b.Of(most))
}

// spans writes stretches of one size: those of the same hours together, then the long ones, then whole days.
func spans(runs []run, zone string, size timewindow.Size) []string {
	var rules, long []string
	var whole []string
	hours := map[run][]string{}
	var order []run
	for _, r := range runs {
		day, at := r.start/minutesADay, r.start%minutesADay
		switch {
		case at == 0 && r.length%minutesADay == 0:
			for n := range r.length / minutesADay {
				whole = append(whole, dayNames[(day+n)%7])
			}
		case r.length >= minutesADay:
			long = append(long, rule(clock(r.start)+" - "+clock((r.start+r.length)%minutesAWeek), zone, size))
		default:
			span := run{at, r.length}
			if hours[span] == nil {
				order = append(order, span)
			}
			hours[span] = append(hours[span], dayNames[day])
		}
	}
	for _, span := range order {
		end := span.start + span.length
		if end > minutesADay {
			end -= minutesADay
		}
		when := fmt.Sprintf("%02d:%02d-%02d:%02d", span.start/60, span.start%60, end/60, end%60)
		if on := hours[span]; len(on) < 7 {
			when = strings.Join(on, ",") + " " + when
		}
		rules = append(rules, rule(when, zone, size))
	}
	rules = append(rules, long...)
	if len(whole) > 0 {
		rules = append(rules, rule(strings.Join(whole, ","), zone, size))
	}
	return rules
}

// rule writes a rule in its canonical form.
func rule(when, zone string, size timewindow.Size) string {
	text := when + " = " + size.String()
	if zone != "" {
		text = when + " " + zone + " = " + size.String()
	}
	if schedule, err := timewindow.Parse(text, nil); err == nil && len(schedule.Rules()) == 1 {
		return schedule.Rules()[0].String()
	}
	return text // who checks the rules as a whole says what is wrong
}

// Pair is the rule for what holds from each start to the next end.
func Pair(start, end Cron, zone string, size timewindow.Size) string {
	return rule(fmt.Sprintf("cron(%s) to cron(%s)", start.Fields, end.Fields), zone, size)
}

// UntilNext says which minutes of the week are active if all are that have an end at or before the next start, as KEDA
// asks. Both crons are the same every week.
func UntilNext(start, end Cron) [minutesAWeek]bool {
	var active, starts, ends [minutesAWeek]bool
	for _, m := range start.Occurrences() {
		starts[m] = true
	}
	for _, m := range end.Occurrences() {
		ends[m] = true
	}
	last := false
	for range 2 { // backwards, so that what comes next is known; what holds on Sunday is known on Monday
		for m := minutesAWeek - 1; m >= 0; m-- {
			active[m] = last
			if ends[m] || starts[m] {
				last = ends[m]
			}
		}
	}
	return active
}

// Fill is a week of one size.
func Fill(size timewindow.Size) *Week {
	w := &Week{}
	for m := range w {
		w[m] = size
	}
	return w
}

// Set gives some minutes a size.
func (w *Week) Set(minutes [minutesAWeek]bool, size timewindow.Size) {
	for m, on := range minutes {
		if on {
			w[m] = size
		}
	}
}

// Spans are the rules that say one size of the week, and leave the others to rules below.
func (w *Week) Spans(zone string, size timewindow.Size) []string {
	if *w == *Fill(size) {
		return []string{rule("always", "", size)}
	}
	return spans(w.runs(size), zone, size)
}
