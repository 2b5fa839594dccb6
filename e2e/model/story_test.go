package model_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"curfew/scaler/annotation"
)

// story is what happens to one Deployment.
type story struct {
	start string        // RFC 3339
	grain time.Duration // how closely the model looks; all times and rules are multiples of it
	size  int32
	steps []step
}

// verb is a kind of step.
type verb string

// What people, time and other controllers do.
const (
	pass     verb = "pass"     // time passes: d
	scale    verb = "scale"    // kubectl scale: n
	apply    verb = "apply"    // somebody sets the size of the object itself: n
	replace  verb = "replace"  // the same, and what Curfew wrote is gone: n
	rules    verb = "rules"    // rules are set, or removed if there are none
	none     verb = "none"     // curfew/windows: none
	mistake  verb = "mistake"  // rules that make no sense
	zone     verb = "zone"     // curfew/timezone: text
	override verb = "override" // curfew/override: text, for d
	paused   verb = "paused"   // curfew/paused: text
	normal   verb = "normal"   // curfew/replicas: n, removed if negative
	lead     verb = "lead"     // curfew/lead: d
	spread   verb = "spread"   // curfew/spread: d
	grace    verb = "grace"    // curfew/grace: d
	hpa      verb = "hpa"      // an autoscaler comes, with a minimum of n, or goes if negative
	load     verb = "load"     // the autoscaler, if there is one, sets the size: n, if that is not 0
	stop     verb = "stop"     // Curfew ends
	start    verb = "start"    // and starts again
)

// step is one thing that happens.
type step struct {
	do    verb
	space bool // on the Namespace
	n     int32
	d     time.Duration
	text  string
	rules []rule
}

// world is where a story takes place.
type world interface {
	annotate(space bool, values map[string]string) // "" removes
	apply(size int32, stripped bool)
	scale(size int32)
	autoscale(minimum *int32)
	pass(to time.Time)
	stop()
	start()

	share(spread time.Duration) time.Duration // as Curfew spreads boundaries
	size() int32
	annotation(key string) string
	foreign() string // what is not as it was, and none of Curfew's business
	trouble() string // what should never be, whatever the story
	wrote() []write  // since it was asked last
}

// write is one of Curfew's, with a size or without.
type write struct {
	at   time.Time
	size *int32
}

// teller tells a story to the model and to a world.
type teller struct {
	m       *model
	world   world
	grain   time.Duration
	running bool
	peace   bool // skip what Curfew would answer more slowly, for the contest that it is; the model knows nothing of contests
	strips  int

	compared int // so many of the model's writes were looked at

	now   time.Time
	turns map[time.Time]bool // when something was done, or something else was asked for
	last  string             // what was asked for last
}

func begins(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at.UTC()
}

// history is how long before a story one must have looked at the clock: as long as any window of a cron lasts and any boundary is late.
// farthestLead is the longest lead, in ticks.
const farthestLead = 45

func (s story) history() time.Duration { return 1500 * s.grain }

func (s story) length() time.Duration {
	var d time.Duration
	for _, step := range s.steps {
		if step.do == pass {
			d += step.d
		}
	}
	return d
}

// tell tells a story up to where world and model differ, and returns how, or "".
func tell(s story, w world, peace bool) string {
	from := begins(s.start)
	walls := map[string]*wall{}
	t := &teller{grain: s.grain, world: w, running: true, peace: peace, now: from, turns: map[time.Time]bool{from: true}}
	t.m = &model{size: s.size, created: from, every: s.grain, share: w.share, seen: map[time.Time]string{}, walls: func(zone string) *wall {
		if walls[zone] == nil {
			walls[zone] = watch(zone, from.Add(-s.history()), from.Add(s.length()+farthestLead*s.grain), s.grain)
		}
		return walls[zone]
	}}
	if differs := t.compare(); differs != "" {
		return "before it begins " + differs
	}
	for i, step := range s.steps {
		if !t.step(step) {
			continue
		}
		if differs := t.compare(); differs != "" {
			return fmt.Sprintf("after step %d, %v, at %s %s", i+1, step, t.now.Format(time.RFC3339), differs)
		}
	}
	return ""
}

// step does one thing in both. It reports false if it was left out.
func (t *teller) step(s step) bool {
	says := &t.m.own
	if s.space {
		says = &t.m.space
	}
	set := func(key, value string) { t.world.annotate(s.space, map[string]string{key: value}) }
	switch s.do {
	case pass:
		t.pass(t.now.Add(s.d))
		return true
	case scale, apply, load:
		if s.do == load && (t.m.autoscaler == nil || t.m.size == 0 || s.n < *t.m.autoscaler) {
			return false
		}
		if t.contested() {
			return false
		}
		if s.n != t.m.size { // else nobody's name changes
			t.m.writer = byOwner
			if s.do != apply {
				t.m.writer = byScale
			}
			t.m.size = s.n
		}
		if s.do == apply {
			t.world.apply(s.n, false)
		} else {
			t.world.scale(s.n)
		}
	case replace:
		if t.contested() || s.n == t.m.size { // the size of a window would be taken for the owner's
			return false
		}
		t.strips++
		t.m.size, t.m.writer, t.m.memory, t.m.held = s.n, byOwner, nil, false
		t.world.apply(s.n, true)
	case rules:
		says.rules, says.none, says.mistake = s.rules, false, false
		var lines []string
		for _, r := range s.rules {
			lines = append(lines, r.String())
		}
		set(annotation.Windows, strings.Join(lines, "\n"))
	case none:
		says.rules, says.none, says.mistake = nil, true, false
		set(annotation.Windows, "none")
	case mistake:
		says.rules, says.none, says.mistake = nil, false, true
		set(annotation.Windows, "8-20 = 0")
	case zone:
		says.zone = s.text
		set(annotation.Timezone, s.text)
	case override:
		says.override, says.until = s.text, t.now.Add(s.d)
		switch s.text {
		case "":
			set(annotation.OverrideKey, "")
		case "?":
			set(annotation.OverrideKey, "tomorrow")
		default:
			set(annotation.OverrideKey, s.text+" until "+says.until.Format(time.RFC3339))
		}
	case paused:
		says.paused = s.text
		set(annotation.Paused, s.text)
	case normal:
		says.replicas = nil
		text := ""
		if s.n >= 0 {
			says.replicas, text = &s.n, strconv.Itoa(int(s.n))
		}
		set(annotation.Replicas, text)
	case lead:
		says.lead = &s.d
		set(annotation.Lead, s.d.String())
	case spread:
		says.spread = &s.d
		set(annotation.Spread, s.d.String())
	case grace:
		says.grace = s.d
		set(annotation.Grace, s.d.String())
	case hpa:
		t.m.autoscaler = nil
		if s.n > 0 {
			t.m.autoscaler = &s.n
		}
		t.world.autoscale(t.m.autoscaler)
	case stop:
		if t.running {
			t.world.stop()
		}
		t.running = false
	case start:
		if !t.running {
			t.world.start()
		}
		t.running = true
	default:
		panic(s.do)
	}
	t.turns[t.now] = true
	clear(t.m.seen)
	t.look()
	return true
}

// contested tells whether putting back another size would be one time too many.
func (t *teller) contested() bool {
	if !t.peace {
		return false
	}
	same := 0
	for i := len(t.m.wrote) - 1; i >= 0 && t.m.wrote[i].size == t.m.wrote[len(t.m.wrote)-1].size; i-- {
		if t.now.Sub(t.m.wrote[i].at) < 2*time.Hour {
			same++
		}
	}
	return same >= 4 || t.strips >= 3
}

func (t *teller) pass(to time.Time) {
	t.world.pass(to)
	for t.now.Before(to) {
		t.now = t.now.Add(t.grain)
		t.look()
	}
}

func (t *teller) look() {
	if !t.running {
		return
	}
	asked := t.m.asked(t.now)
	comesTo := int32(-1)
	if asked.size != "normal" {
		comesTo = of(asked.size, t.m.normally())
	}
	waiting := t.now.Before(t.m.created.Add(t.m.own.grace))
	if asks := fmt.Sprintf("%v %p %d %v", asked.nothing, asked.override, comesTo, waiting); asks != t.last {
		t.last, t.turns[t.now] = asks, true
	}
	t.m.look(t.now)
}

// compare says how the world differs from the model, or "".
func (t *teller) compare() string {
	if trouble := t.world.trouble(); trouble != "" {
		return trouble
	}
	var sizes []written
	busy := map[time.Time]int{}
	for _, w := range t.world.wrote() {
		at := w.at.Truncate(t.grain)
		if w.at.Sub(at) >= time.Second {
			return fmt.Sprintf("a write is late: %s", w.at)
		}
		if !t.turns[at] {
			return fmt.Sprintf("there was a write at %s, when nothing had changed", at.Format(time.RFC3339))
		}
		if busy[at]++; busy[at] > 1 && at.Before(t.now) {
			return fmt.Sprintf("there were two writes at %s", at.Format(time.RFC3339))
		}
		if w.size != nil {
			sizes = append(sizes, written{at, *w.size})
		}
	}
	want := t.m.wrote[t.compared:]
	t.compared = len(t.m.wrote)
	if fmt.Sprint(sizes) != fmt.Sprint(want) {
		return fmt.Sprintf("Curfew wrote %v, want %v", sizes, want)
	}
	if got := t.world.size(); got != t.m.size {
		return fmt.Sprintf("the size is %d, want %d", got, t.m.size)
	}
	memory := ""
	if t.m.memory != nil {
		memory = strconv.Itoa(int(*t.m.memory))
	}
	if got := t.world.annotation(annotation.Remembered); got != memory {
		return fmt.Sprintf("%q is remembered, want %q", got, memory)
	}
	if differs := t.world.foreign(); differs != "" {
		return "what is none of Curfew's business has changed: " + differs
	}
	return ""
}

// String is the size and when it was written.
func (w written) String() string { return fmt.Sprintf("%d at %s", w.size, w.at.Format(time.RFC3339)) }

// GoString is the story as an entry for the table of those that are kept.
func (s story) GoString() string {
	var b strings.Builder
	fmt.Fprintf(&b, "{%q, %#v, %d, []step{\n", s.start, duration(s.grain), s.size)
	for _, step := range s.steps {
		fmt.Fprintf(&b, "\t%#v,\n", step)
	}
	b.WriteString("}},")
	return b.String()
}

// String is the step in Go, too.
func (s step) String() string { return s.GoString() }

// GoString leaves out what is not said.
func (s step) GoString() string { return literal(reflect.ValueOf(s)) }

// GoString leaves out what is not said.
func (r rule) GoString() string { return literal(reflect.ValueOf(r)) }

func literal(v reflect.Value) string {
	var fields []string
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		var text string
		switch {
		case f.Type() == reflect.TypeFor[time.Duration]():
			text = duration(f.Int()).GoString()
		case f.Type() == reflect.TypeFor[verb]():
			text = f.String()
		case f.Kind() == reflect.Slice:
			var all []string
			for j := range f.Len() {
				all = append(all, literal(f.Index(j)))
			}
			text = "[]rule{" + strings.Join(all, ", ") + "}"
		case f.Kind() == reflect.String:
			text = strconv.Quote(f.String())
		default:
			text = fmt.Sprint(f)
		}
		fields = append(fields, v.Type().Field(i).Name+": "+text)
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// duration is one that is written as Go does.
type duration time.Duration

// GoString is it in the largest unit that fits.
func (d duration) GoString() string {
	units := []struct {
		name string
		unit time.Duration
	}{{"time.Hour", time.Hour}, {"time.Minute", time.Minute}, {"time.Second", time.Second}}
	for _, u := range units {
		switch n := time.Duration(d) / u.unit; {
		case time.Duration(d)%u.unit != 0:
		case n == 1:
			return u.name
		default:
			return fmt.Sprintf("%d * %s", n, u.name)
		}
	}
	return fmt.Sprint(int64(d))
}
