package timewindow

import (
	"fmt"
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	const zone = "Europe/Berlin"
	for _, c := range []struct {
		name, rules string
		want        []string // "line:column part of what it says"
	}{
		{"the classic rules are fine", "2026-12-24..2027-01-01 = 0\nMon-Fri 07:00-20:00 = normal\nalways = 0", nil},
		{"one minute awake each night", "Sat-Sun 00:00-23:59 = 0", []string{"1:1 ends at 23:59", "1:1 24:00"}},
		{"one second awake", "  22:00-23:59:59 = 0", []string{"1:3 ends at 23:59:59"}},
		{"the end of a span of the week", "Fri 20:00 - Sun 23:59 = 0", []string{"1:1 ends at 23:59"}},
		{"a date that ends a minute short", "12-24 00:00-23:59 = 0", []string{"1:1 ends at 23:59"}},
		{"23:59 as a start", "23:59-06:00 = 0", nil},
		{"midnight proper", "22:00-24:00 = 0", nil},

		{"behind always", "always = 0\n\n Mon 08:00-09:00 = 1", []string{`3:2 "always = 0" above it`}},
		{"anything behind always, in any zone", "always = 0; 12-24 = 1; cron(0 0 * * *) for 1h UTC = 2", []string{"1:13 never decides", "1:24 never decides"}},
		{"inside a longer span", "Mon-Fri 07:00-20:00 = 3; Wed 12:00-13:00 = 1", []string{"1:26 never decides"}},
		{"inside two that touch", "00:00-12:00 = 3; 12:00-24:00 = 2; Mon = 1", []string{"1:35 the rules above it together"}},
		{"inside a night that wraps the week", "Sat 20:00-06:00 = 3; Sun 00:00-06:00 = 1", []string{"1:22 never decides"}},
		{"a minute longer than a night that wraps the week", "Sat 20:00-06:00 = 3; Sun 00:00-06:01 = 1", nil},
		{"a span of the week inside days", "Sat,Sun = 0; Sat 10:00 - Sun 10:00 = 1", []string{"1:14 never decides"}},
		{"a date behind a whole week in pieces", "Mon-Fri = 1; Sat 00:00 - Sun 24:00 = 2; 2026-12-24 = 0", []string{"1:41 never decides"}},
		{"a whole week in another zone is whole", "Mon-Sun = 1; 12:00-13:00 UTC = 0", []string{"1:14 never decides"}},
		{"the same dates again", "12-24..12-26 = 0; 12-24..12-26 = 1", []string{"1:19 never decides"}},
		{"the same cron again", "cron(0 8 * * *) for 1h = 0; cron(0  8 * * *) for 60m = 1", []string{"1:29 never decides"}},
		{"longer than what is above", "Mon-Fri 07:00-20:00 = 3; Mon-Fri 06:00-13:00 = 1", nil},
		{"a minute longer than two that do not touch", "00:00-12:00 = 3; 12:01-24:00 = 2; Mon = 1", nil},
		{"another zone", "Mon 07:00-20:00 = 3; Mon 12:00-13:00 UTC = 1", nil},
		{"a date inside weekdays may be a Sunday", "Mon-Sat = 1; 2026-12-24 = 0", nil},
		{"weekdays behind a date", "12-24 = 0; Mon = 1", nil},
		{"nothing behind it", "Mon = 1; always = 0", nil},

		{"cron with both days", "cron(0 8 1 * 1) for 1h = 0", []string{"1:1 match either", "1:1 leave one of them as *"}},
		{"a step restricts too", "cron(0 8 */2 * 1) for 1h = 0", []string{"1:1 (*/2 counts as a restriction)"}},
		{"both days in the end of a pair", "cron(0 8 * * 1) to cron(0 20 1 * 1-5) = 0", []string{`1:1 "0 20 1 * 1-5"`}},
		{"one day only", "cron(0 8 1 * *) for 1h = 0; cron(0 9 * * 1-5) for 1h = 0", nil},

		{"winter all year", "08:00-09:00 EST = 0; 09:00-10:00 EST = 1", []string{`1:1 "EST": EST has no daylight saving`}},
		{"an abbreviation", "08:00-09:00 CET = 0", []string{"1:1 follows the clock of Brussels"}},
		{"an old name", "always PST8PDT = 0", []string{"1:1 America/Los_Angeles"}},
		{"a sign turned round", "always Etc/GMT+5 = 0", []string{"1:1 5 hours behind UTC"}},
		{"UTC by other names", "08:00-09:00 Etc/GMT+0 = 0; 09:00-10:00 Etc/UTC = 1; 10:00-11:00 GMT = 1", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, w := range mustParse(t, c.rules, zone).Warnings() {
				got = append(got, fmt.Sprintf("%d:%d %s", w.Line, w.Column, w))
				if w.Problem == "" || w.Hint == "" {
					t.Errorf("%s: no problem or no hint", w)
				}
			}
			if (len(got) == 0) != (len(c.want) == 0) {
				t.Fatalf("warnings are %q, want %q", got, c.want)
			}
			all := strings.Join(got, "\n")
			for _, want := range c.want {
				place, part, _ := strings.Cut(want, " ")
				if !strings.Contains(all, part) || !strings.Contains(all, place+" ") {
					t.Errorf("warnings are %q, want %q", got, want)
				}
			}
			if places := distinct(c.want); len(got) != places {
				t.Errorf("%d warnings, want %d: %q", len(got), places, got)
			}
		})
	}
}

// distinct counts the places in a list of expectations.
func distinct(want []string) int {
	places := map[string]bool{}
	for _, w := range want {
		place, _, _ := strings.Cut(w, " ")
		places[place] = true
	}
	return len(places)
}

// Each warning says of which kind it is.
func TestKindsOfWarnings(t *testing.T) {
	for rules, want := range map[string]WarningKind{
		"00:00-23:59 = 0":             GapBeforeMidnight,
		"cron(0 8 1 * 1) for 1h = 0":  CronBothDays,
		"always EST = 0":              SuspiciousZone,
		"always = 0; 08:00-09:00 = 1": HiddenRule,
	} {
		if w := mustParse(t, rules, "UTC").Warnings(); len(w) != 1 || w[0].Kind != want {
			t.Errorf("%s: warnings are %v, want one of the kind %s", rules, w, want)
		}
	}
}

// The default zone is as suspicious as one that a rule names, and is mentioned once.
func TestWarningsOfTheDefaultZone(t *testing.T) {
	s := mustParse(t, "Mon = 0\nTue = 1", "EST")
	if w := s.Warnings(); len(w) != 1 || w[0].Text != "EST" || w[0].Line != 1 {
		t.Errorf("warnings are %v", w)
	}
}

// A zone that the table calls old or without daylight saving is one that can be loaded.
func TestLegacyZonesExist(t *testing.T) {
	for name := range legacyZones {
		if _, err := LoadZone(name); err != nil {
			t.Error(err)
		}
	}
}

// A rule that is said to be hidden is hidden: it is never the one that At names, at any quarter of an hour of a year.
func TestHiddenRulesNeverDecide(t *testing.T) {
	s := mustParse(t, "22:00-03:00 = 1; Sat 02:00 - Mon 23:00 = 2; 03:00-22:00 = 3; Sun 23:30-02:30 = 4; Wed = 5; cron(0 1 * * *) for 2h = 6; 2026-05-01..2026-05-09 = 7", "Europe/Berlin")
	hidden := map[int]bool{}
	for _, w := range s.Warnings() {
		for i, r := range s.Rules() {
			if r.Column() == w.Column {
				hidden[i] = true
			}
		}
	}
	if len(hidden) != 4 {
		t.Fatalf("hidden are %v", hidden)
	}
	from := mustTime(t, "2026-01-01T00:00:00Z").Unix()
	for at := from; at < from+366*day; at += 15 * minute {
		for i, r := range s.rules {
			if _, ok := r.window.holding(r.zone, at); ok {
				if hidden[i] {
					t.Fatalf("rule %d decides at %d", i, at)
				}
				break
			}
		}
	}
}
