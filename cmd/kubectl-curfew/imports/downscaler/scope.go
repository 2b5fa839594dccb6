package downscaler

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"curfew/timewindow"
)

// meaning is what the old tool makes of a workload: the first of these that has a say.
type meaning struct {
	excluded bool      // for good
	until    time.Time // excluded until then; zero if not, or if that is over

	// In these the workload is up, or down. upWins says what holds where both do; without it the tool does nothing then.
	forceUp, forceDown spans
	upWins             bool

	mode     mode
	up, down spans

	floor int            // the size when it is down
	grace *time.Duration // how long a new workload is left alone; nil if not said

	notes  []string // what else has to be said
	unsaid []string // what cannot be said
}

// mode is how the spans up and down are meant.
type mode int

const (
	unset   mode = iota // nobody says a time: the tool does nothing
	times               // up while in up and not in down; else down
	periods             // up in up, down in down, and nothing is done in both and in neither
)

// resolve finds what holds for a workload of which scopes says what the nearest scope says first: its own annotations,
// its Namespace's, and the tool's flags.
func resolve(tool Tool, scopes []map[string]string, o Options) meaning {
	m := meaning{floor: o.Replicas}
	r := reader{tool, scopes, o, &m}
	r.floor()
	if tool == Python {
		r.python()
	} else {
		r.golang()
	}
	return m
}

// reader reads annotations and notes what it cannot.
type reader struct {
	tool   Tool
	scopes []map[string]string
	o      Options
	m      *meaning
}

func (r reader) note(format string, args ...any) {
	r.m.notes = append(r.m.notes, fmt.Sprintf(format, args...))
}

func (r reader) cannot(format string, args ...any) {
	r.m.unsaid = append(r.m.unsaid, fmt.Sprintf(format, args...))
}

// first is the nearest scope's value of a key.
func (r reader) first(key string) (string, bool) {
	for _, scope := range r.scopes {
		if text, ok := scope[key]; ok {
			return text, true
		}
	}
	return "", false
}

// spans reads a time text.
func (r reader) spans(key, text string) spans {
	ss, err := parseSpans(r.tool, text, r.o)
	if err != nil {
		r.cannot("%s: %v", key, err)
	}
	for _, s := range ss {
		switch {
		case s.form == never && strings.Contains(s.text, ":"):
			hint := ""
			if r.tool == Python && s.from > s.to {
				hint = "; if a night was meant, say so in a rule"
			}
			r.note("%s: %s never finds itself in %q, which ends before it starts or as it does: there is no rule for it%s", key, r.tool, s.text, hint)
		case s.split():
			r.note("%s: %s takes the weekday of the moment, so in %q the hours after midnight are those of the same days, and it became two rules; "+
				"%q in one rule would count them to the evening before: choose that if it was meant", key, r.tool, s.text, strings.TrimSuffix(canonical(rule{when(s.days, s.from, s.to), s.zone.String(), "0"}), " = 0"))
		}
	}
	return ss
}

// python: each key counts by itself, from the nearest scope that has it. Exclusion counts from every scope, force from
// the Namespace alone.
func (r reader) python() {
	m := r.m
	m.upWins = true
	own := r.scopes[0]
	for i, scope := range r.scopes {
		if text, ok := scope[exclude]; ok && !strings.EqualFold(text, "false") {
			m.excluded = true
		}
		text, ok := scope[excludeUntil]
		if !ok || text == "" || i > 1 {
			continue
		}
		t, err := pythonTime(text)
		if err != nil {
			r.note("%s: %s cannot read %q and excludes nothing: no more is made of it", excludeUntil, r.tool, text)
			continue
		}
		r.until(i, t)
	}
	for _, f := range []struct {
		key   string
		spans *spans
	}{{forceUptime, &m.forceUp}, {forceDowntime, &m.forceDown}} {
		if _, ok := own[f.key]; ok {
			r.note("%s: on a workload it means nothing to %s, which reads it on Namespaces and Pods: it is removed", f.key, r.tool)
		}
		switch text := r.scopes[1][f.key]; strings.ToLower(text) {
		case "", "false":
		case "true":
			*f.spans = spans{{text: text, form: always}}
		default:
			*f.spans = r.spans(f.key, text)
		}
	}
	up, isUp := r.first(upscalePeriod)
	down, isDown := r.first(downscalePeriod)
	if isUp && up != "never" || isDown && down != "never" {
		m.mode = periods
		if isUp {
			m.up = r.spans(upscalePeriod, up)
		}
		if isDown {
			m.down = r.spans(downscalePeriod, down)
		}
		return
	}
	up, isUp = r.first(uptime)
	down, isDown = r.first(downtime)
	if !isUp && !isDown && m.forceUp == nil && m.forceDown == nil {
		return
	}
	m.mode = times
	m.up = spans{{text: "always", form: always}}
	if isUp {
		m.up = r.spans(uptime, up)
	}
	if isDown {
		m.down = r.spans(downtime, down)
	}
}

// golang: the first scope that has any key of a group decides alone what the group says.
func (r reader) golang() {
	m := r.m
	for _, scope := range r.scopes {
		has := func(key string) bool { _, ok := scope[key]; return ok }
		time, period := has(uptime) || has(downtime), has(upscalePeriod) || has(downscalePeriod)
		switch {
		case has(uptime) && has(downtime):
			r.cannot("%s refuses %s and %s side by side, and does nothing; is it kube-downscaler, the Python one? Then say --tool=python", r.tool, uptime, downtime)
		case time && period:
			r.cannot("%s refuses times and periods side by side, and does nothing; is it kube-downscaler, the Python one? Then say --tool=python", r.tool)
		}
	}
	if text, ok := r.first(exclude); ok {
		switch ss := r.spans(exclude, text); {
		case ss.always():
			m.excluded = true
		case !ss.never():
			r.cannot("%s: %q: Curfew has no rule that leaves a workload as it stands for a span; a rule such as %q on top would wake it then: write that if it will do",
				exclude, text, canonical(rulesOf(ss, "normal")[0]))
		}
	}
	for i, scope := range r.scopes {
		if text, ok := scope[excludeUntil]; ok {
			t, err := parseInstant(text)
			if err != nil {
				r.cannot("%s: %v; %s does nothing then", excludeUntil, err, r.tool)
				continue
			}
			r.until(i, t)
		}
	}
	if scope := r.scopeOf(forceUptime, forceDowntime); scope != nil {
		if text, ok := scope[forceUptime]; ok {
			m.forceUp = r.spans(forceUptime, text)
		}
		if text, ok := scope[forceDowntime]; ok {
			m.forceDown = r.spans(forceDowntime, text)
		}
		if !m.forceUp.never() && !m.forceDown.never() {
			r.note("%s and %s: where both hold, %s does nothing; Curfew takes the rule that stands first, which is normal", forceUptime, forceDowntime, r.tool)
		}
	}
	if text, ok := r.first(gracePeriod); ok {
		if d, err := goDuration(text); err != nil {
			r.cannot("%s: %q is no duration such as 30m; %s does nothing then", gracePeriod, text, r.tool)
		} else {
			m.grace = &d
		}
	}
	scope := r.scopeOf(uptime, downtime, upscalePeriod, downscalePeriod)
	if scope == nil {
		return
	}
	text := func(key string) spans {
		if text, ok := scope[key]; ok {
			return r.spans(key, text)
		}
		return nil
	}
	if _, ok := scope[downtime]; ok {
		m.mode, m.up, m.down = times, spans{{text: "always", form: always}}, text(downtime)
		return
	}
	if _, ok := scope[uptime]; ok {
		m.mode, m.up = times, text(uptime)
		return
	}
	m.mode, m.up, m.down = periods, text(upscalePeriod), text(downscalePeriod)
}

// scopeOf is the nearest scope that has one of the keys; nil if none has.
func (r reader) scopeOf(keys ...string) map[string]string {
	for _, scope := range r.scopes {
		for _, key := range keys {
			if _, ok := scope[key]; ok {
				return scope
			}
		}
	}
	return nil
}

// until notes that a scope excludes the workload until a time. Every scope counts, so the last time does.
func (r reader) until(scope int, t time.Time) {
	switch {
	case !t.After(r.o.Now) && scope == 0:
		r.note("%s: that is over since %s: it is removed", excludeUntil, t.Format(time.RFC3339))
	case t.After(r.o.Now) && t.After(r.m.until):
		r.m.until = t
	}
}

// floor reads the size in down time.
func (r reader) floor() {
	for i, scope := range r.scopes {
		for _, other := range []Tool{Python, Go} {
			if _, ok := scope[other.floorKey()]; ok && other != r.tool && i == 0 {
				r.note("%s means nothing to %s, which reads %s: it is removed", other.floorKey(), r.tool, r.tool.floorKey())
			}
		}
	}
	text, ok := r.first(r.tool.floorKey())
	if !ok {
		return
	}
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 || n > timewindow.MaxReplicas {
		r.cannot("%s: %q is no number of replicas from 0 to %d", r.tool.floorKey(), text, timewindow.MaxReplicas)
		return
	}
	r.m.floor = n
}

// pythonTime reads a time as kube-downscaler does: in UTC.
func pythonTime(text string) (time.Time, error) {
	var t time.Time
	var err error
	for _, layout := range []string{"2006-01-02T15:04:05Z", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, err
}

// goDuration reads a duration as GoKubeDownscaler does: a plain number is seconds.
func goDuration(text string) (time.Duration, error) {
	if n, err := strconv.Atoi(text); err == nil {
		text = strconv.Itoa(n) + "s"
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = fmt.Errorf("%v is less than nothing", d)
	}
	return d, err
}

// state is what the old tool wants of a workload at an instant.
type state int

const (
	nothing state = iota // it leaves it as it stands
	goUp
	goDown
)

// at is the meaning at an instant, but for exclusion.
func (m meaning) at(t time.Time) state {
	up, down := m.forceUp.contain(t), m.forceDown.contain(t)
	switch {
	case up && down && !m.upWins:
		return nothing
	case up:
		return goUp
	case down:
		return goDown
	}
	up, down = m.up.contain(t), m.down.contain(t)
	switch {
	case m.mode == times && up && !down:
		return goUp
	case m.mode == times:
		return goDown
	case m.mode == unset || up == down:
		return nothing
	case up:
		return goUp
	}
	return goDown
}
