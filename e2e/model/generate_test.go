package model_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// scenes are where and when stories begin: mostly a day or so before the clocks do what nobody expects.
var scenes = []struct{ zone, at string }{
	{"UTC", "2026-06-01T00:00:00Z"},
	{"Europe/Berlin", "2026-06-04T12:00:00Z"},
	{"Europe/Berlin", "2026-03-28T12:00:00Z"},
	{"Europe/Berlin", "2026-10-24T12:00:00Z"},
	{"America/New_York", "2026-03-07T12:00:00Z"},
	{"America/New_York", "2026-10-31T20:00:00Z"},
	{"Australia/Lord_Howe", "2026-04-04T04:00:00Z"}, // half an hour back
	{"America/Santiago", "2026-09-05T12:00:00Z"},    // midnight is not there
	{"Africa/Cairo", "2026-10-29T12:00:00Z"},        // 24:00 becomes 23:00
	{"Africa/Casablanca", "2026-02-14T12:00:00Z"},
	{"Asia/Kathmandu", "2026-12-30T12:00:00Z"},
	{"Pacific/Apia", "2011-12-28T12:00:00Z"}, // a whole day is not there
}

var sizes = []string{"0", "0", "normal", "1", "2", "50%", "5", "0%", "150%", "1%"}

// draft is what a story is drawn with.
type draft struct {
	*rapid.T
	at    time.Time // where it begins, in the zone of the scene
	zones []string
	grain time.Duration
}

func pick[V any](d draft, what string, from []V) V { return rapid.SampledFrom(from).Draw(d.T, what) }

func (d draft) number(what string, from, to int) int {
	return rapid.IntRange(from, to).Draw(d.T, what)
}

// drawStory draws a story of so many ticks at the most.
func drawStory(t *rapid.T, ticks int) story {
	scene := rapid.SampledFrom(scenes).Draw(t, "scene")
	d := draft{T: t, zones: []string{scene.zone, "UTC", "Asia/Tokyo"}, grain: rapid.SampledFrom([]time.Duration{time.Minute, time.Minute, time.Minute, time.Second}).Draw(t, "grain")}
	location, err := time.LoadLocation(scene.zone)
	if err != nil {
		t.Fatal(err)
	}
	start := begins(scene.at).Add(time.Duration(d.number("hours", 0, 30)) * time.Hour)
	d.at = start.In(location)
	s := story{start: start.Format(time.RFC3339), grain: d.grain, size: int32(d.number("size", 0, 4))}
	s.steps = append(s.steps, step{do: zone, text: scene.zone})
	// Most stories are about rules, and many about an autoscaler or a given size.
	for _, first := range []struct {
		do   verb
		of10 int
	}{{rules, 8}, {hpa, 3}, {normal, 3}} {
		if d.number(string(first.do)+" first", 0, 9) >= 10-first.of10 {
			s.steps = append(s.steps, d.stepOf(first.do))
		}
	}
	s.steps = append(s.steps, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		d := d
		d.T = t
		return d.step()
	}), 1, 16).Draw(t, "steps")...)
	left := time.Duration(ticks) * d.grain
	for i := range s.steps {
		if step := &s.steps[i]; step.do == pass {
			step.d = min(step.d, left)
			left -= step.d
		}
	}
	return s
}

func (d draft) step() step {
	do := pick(d, "do", []verb{pass, pass, pass, pass, rules, rules, scale, apply, load, replace, none, mistake, zone, override, override,
		paused, normal, hpa, stop, start, start, grace, lead, spread})
	return d.stepOf(do)
}

func (d draft) stepOf(do verb) step {
	s := step{do: do}
	switch do {
	case rules, none, mistake, zone, override, paused, lead, spread:
		s.space = d.number("space", 0, 3) == 3
	}
	switch do {
	case pass:
		s.d = time.Duration(d.number("ticks", 1, 40*60)) * d.grain
		if d.number("short", 0, 2) == 0 {
			s.d = time.Duration(d.number("few", 1, 90)) * d.grain
		}
	case rules:
		s.rules = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rule {
			d := d
			d.T = t
			return d.rule()
		}), 0, 4).Draw(d.T, "rules")
		if len(s.rules) == 0 {
			s.rules = nil
		}
	case scale, apply, replace:
		s.n = int32(d.number("n", 0, 6))
	case load:
		s.n = int32(d.number("n", 1, 9))
	case normal:
		s.n = int32(d.number("n", -1, 4))
	case hpa:
		s.n = int32(d.number("n", -1, 3))
	case zone:
		s.text = pick(d, "zone", append([]string{""}, d.zones...))
	case override:
		s.text = pick(d, "size", append([]string{"", "?"}, sizes...))
		s.d = time.Duration(d.number("ticks", -5, 900)) * d.grain
	case paused:
		s.text = pick(d, "text", []string{"", "true", "false"})
	case lead:
		s.d = time.Duration(d.number("ticks", 0, farthestLead)) * d.grain
	case spread:
		// The share of a spread is in seconds, so in a story of minutes there is none that a tick would hit.
		if d.grain == time.Second {
			s.d = time.Duration(d.number("ticks", 0, 1000)) * d.grain
		}
	case grace:
		s.d = time.Duration(d.number("ticks", 0, 600)) * d.grain
	}
	return s
}

// clock is a time of day, of which there is none twice in a rule.
func (d draft) clock(what string) time.Duration {
	if d.grain == time.Second { // near where the story begins, which is short
		y, m, day := d.at.Date()
		midnight := time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
		now := time.Date(y, m, day, d.at.Hour(), d.at.Minute(), d.at.Second(), 0, time.UTC).Sub(midnight)
		return (now + time.Duration(d.number(what, -1800, 4*3600))*time.Second + 24*time.Hour) % (24 * time.Hour)
	}
	if d.number(what+" is full", 0, 1) == 0 {
		return time.Duration(d.number(what, 0, 23)) * time.Hour
	}
	return time.Duration(d.number(what, 0, 24*60-1)) * time.Minute
}

func (d draft) text(clock time.Duration) string {
	text := fmt.Sprintf("%02d:%02d", int(clock.Hours()), int(clock.Minutes())%60)
	if s := int(clock.Seconds()) % 60; s > 0 {
		text += fmt.Sprintf(":%02d", s)
	}
	return text
}

func (d draft) rule() rule {
	r := rule{size: pick(d, "size", sizes)}
	if d.number("zone", 0, 4) == 4 {
		r.zone = pick(d, "in", d.zones)
	}
	span := func() {
		from, to := d.clock("from"), d.clock("to")
		if from == to {
			to = (from + 61*d.grain) % (24 * time.Hour)
		}
		r.from, r.to = d.text(from), d.text(to)
		if to == 0 && d.number("24:00", 0, 1) == 1 && from != 0 {
			r.to = "24:00"
		}
	}
	date := func(what string, layout string) string {
		return d.at.AddDate(0, 0, d.number(what, -2, 3)).Format(layout)
	}
	switch pick(d, "kind", []string{"daily", "days", "span", "week", "date", "yearly", "cron", "cron to", "always", "daily"}) {
	case "daily":
		span()
	case "days":
		r.days = d.days()
	case "span":
		r.days = d.days()
		span()
	case "week":
		span()
		r.fromDay, r.toDay = pick(d, "first", weekdays), pick(d, "last", weekdays)
	case "date":
		r.first, r.last = date("first", time.DateOnly), date("last", time.DateOnly)
		if r.last < r.first {
			r.first, r.last = r.last, r.first
		}
		if d.number("time", 0, 1) == 1 {
			span()
		}
	case "yearly":
		r.first, r.last = date("first", "01-02"), date("last", "01-02")
		if d.number("time", 0, 1) == 1 {
			span()
		}
	case "cron":
		r.cron = d.cron("cron")
		r.lasts = time.Duration(d.number("lasts", 1, 20)) * 15 * d.grain
	case "cron to":
		r.cron, r.until = d.cron("cron"), d.cron("until")
		if r.until == r.cron {
			r.until = "1-2 5 * * *"
		}
	case "always":
	}
	return r
}

func (d draft) days() string {
	n := d.number("days", 1, 127)
	var days []string
	for i, name := range weekdays {
		if n&(1<<i) != 0 {
			days = append(days, name)
		}
	}
	return strings.Join(days, ",")
}

func (d draft) cron(what string) string {
	minutes := []string{"0", "30", "*/15", "7", "45,50", "10-12"}
	hours := []string{"*", "*/6", "2", "3", "20", "0", "8-18", "1-3"}
	weekdays := []string{"*", "*", "1-5", "0,6", "3"}
	return strings.Join([]string{pick(d, what+" minute", minutes), pick(d, what+" hour", hours), "*", "*", pick(d, what+" day", weekdays)}, " ")
}

// told counts how often each kind of step was taken, so that one that never is does not go unseen.
type told map[verb]int

func (c told) count(s story) {
	for _, step := range s.steps {
		c[step.do]++
	}
}

func (c told) missing() []verb {
	var missing []verb
	for _, v := range []verb{pass, scale, apply, replace, rules, none, mistake, zone, override, paused, normal, grace, hpa, load, stop, start, lead, spread} {
		if c[v] == 0 {
			missing = append(missing, v)
		}
	}
	slices.Sort(missing)
	return missing
}
