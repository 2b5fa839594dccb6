package timewindow

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// A refusal is a rule with a mistake, where it is, and what is said about it. The caret stands under the mistake, as
// it does below the rule when faults are shown.
type refusal struct {
	rules, caret  string
	text          string // the offending text
	problem, hint string // parts of what is said
}

var refused = []refusal{
	// Spans and times.
	{"Sat-Sun 03:00-03:00 = 0", "        ^", "03:00-03:00", "ends when it starts", "00:00-24:00"},
	{"24:30-25:00 = 0", "^", "24:30-25:00", "no such time of day", "24:00"},
	{"8-20 = 0", "^", "8-20", "two digits", "write 08:00-20:00"},
	{"Mon-Fri 8-20 = 0", "        ^", "8-20", "two digits", "write 08:00-20:00"},
	{"20:00-6:00 = 0", "      ^", "6:00", "two digits", "HH:MM"},
	{"20:00-06:00:0 = 0", "      ^", "06:00:0", "seconds have two digits", "HH:MM:SS"},
	{"20:00-06:00:000 = 0", "      ^", "06:00:000", "not a time", "HH:MM:SS"},
	{"20:00-23:60 = 0", "      ^", "23:60", "no such time", "23:59:59"},
	{"24:00-06:00 = 0", "^", "24:00-06:00", "an end, not a start", "00:00 of the day after"},
	{"20:00-24:00:01 = 0", "      ^", "24:00:01", "no such time", "24:00"},
	{"20.00-06.00 = 0", "^", "20.00-06.00", "two digits", "08:00"},
	{"8am-8pm = 0", "^", "8am-8pm", "two digits", "08:00"},
	{"20:00 = 0", "^", "20:00", "needs an end", "20:00-18:00"},
	{"Fri 20:00 = 0", "    ^", "20:00", "needs an end", "20:00-18:00"},
	{"20:00- = 0", "       ^", "", "two digits", "HH:MM"},

	// Days and spans of the week.
	{"Mo-Fr 20:00-06:00 = 0", "^", "Mo-Fr", "not a day", "did you mean Mon?"},
	{"Mon,Tuesdey = 0", "    ^", "Tuesdey", "not a day", "Mon Tue Wed"},
	{"Mon, = 0", "     ^", "", "not a day", "Mon Tue Wed"},
	{"Mon- 20:00-06:00 = 0", "     ^", "20:00-06:00", "not a day", "Mon Tue Wed"},
	{"weekdays 20:00-06:00 = 0", "^", "weekdays", "not a day", "Mon Tue Wed"},
	{"Mon-Fri 20:00 - Mon 07:00 = 0", "^", "Mon-Fri 20:00 -", "starts on one day", "Fri 20:00 - Mon 07:00"},
	{"Mon,Fri 20:00 - Mon 07:00 = 0", "^", "Mon,Fri 20:00 -", "starts on one day", "Fri 20:00 - Mon 07:00"},
	{"Fri 20:00 - Fri 20:00 = 0", "^", "Fri 20:00 - Fri 20:00", "ends when it starts", "always"},
	{"Sun 00:00 - Sat 24:00 = 0", "^", "Sun 00:00 - Sat 24:00", "ends when it starts", "always"},
	{"Fri 24:00 - Mon 07:00 = 0", "    ^", "24:00", "an end, not a start", "00:00"},
	{"Fri 20:00 - Mon 7:00 = 0", "                ^", "7:00", "two digits", "HH:MM"},
	{"Fri 20:00 - Mox 07:00 = 0", "            ^", "Mox", "not a day", "did you mean Mon?"},

	// Dates.
	{"2026-02-29 = 0", "^", "2026-02-29", "no such date", "check the month"},
	{"02-30 = 0", "^", "02-30", "no such date", "check the month"},
	{"20-06 = 0", "^", "20-06", "no such date", "check the month"},
	{"2026-1-1 = 0", "^", "2026-1-1", "not a date", "YYYY-MM-DD"},
	{"2026/12/24 = 0", "^", "2026/12/24", "not a date", "YYYY-MM-DD"},
	{"2026-12-24T10:00 = 0", "^", "2026-12-24T10:00", "not a date", "YYYY-MM-DD"},
	{"2026-12-24-2026-12-26 = 0", "^", "2026-12-24-2026-12-26", "not a date", "YYYY-MM-DD"},
	{"2026-12-24.. = 0", "             ^", "", "not a date", "YYYY-MM-DD"},
	{"1969-12-31 = 0", "^", "1969-12-31", "out of reach", "1970 to 2199"},
	{"2200-01-01 = 0", "^", "2200-01-01", "out of reach", "1970 to 2199"},
	{"2026-12-24..12-26 = 0", "^", "2026-12-24..12-26", "other has none", "both with a year"},
	{"2026-12-26..2026-12-24 = 0", "^", "2026-12-26..2026-12-24", "ends before it starts", "earlier date first"},
	{"12-24 8-20 = 0", "      ^", "8-20", "two digits", "write 08:00-20:00"},
	{"2011-12-30 Pacific/Apia = 0", "^", "2011-12-30", "Pacific/Apia skips it", "choose a time"},
	{"2026-03-29 02:15-02:45 Europe/Berlin = 0", "^", "2026-03-29 02:15-02:45", "Europe/Berlin skips it", "choose a time"},

	// Zones.
	{`20:00-06:00 "" = 0`, "            ^", `""`, "does not belong here", "perhaps a zone"},
	{"20:00-06:00 Local = 0", "            ^", "Local", "which machine", "IANA name"},
	{"20:00-06:00 PST = 0", "            ^", "PST", "abbreviation", "America/Los_Angeles"},
	{"20:00-06:00 CEST = 0", "            ^", "CEST", "abbreviation", "Europe/Berlin"},
	{"20:00-06:00 TZ=Europe/Rome = 0", "            ^", "TZ=Europe/Rome", "without TZ=", "IANA name"},
	{"20:00-06:00 TZ=0 = 0", "            ^", "TZ=0", "without TZ=", "IANA name"},
	{"20:00-06:00 CRON_TZ=UTC = 0", "            ^", "CRON_TZ=UTC", "without TZ=", "IANA name"},
	{"TZ=Europe/Rome 20:00-06:00 = 0", "^", "TZ", "does not come first", "behind the window"},
	{"Europe/Rome 20:00-06:00 = 0", "^", "Europe/Rome", "does not come first", "behind the window"},
	{"20:00-06:00 Berlin = 0", "            ^", "Berlin", "no such zone", "did you mean Europe/Berlin?"},
	{"20:00-06:00 europe/berlin = 0", "            ^", "europe/berlin", "no such zone", "did you mean Europe/Berlin?"},
	{"20:00-06:00 Europe/Berln = 0", "            ^", "Europe/Berln", "no such zone", "did you mean Europe/Berlin?"},
	{"20:00-06:00 Atlantis/Poseidonis = 0", "            ^", "Atlantis/Poseidonis", "no such zone", "IANA name"},
	{"20:00-06:00 ../../etc/passwd = 0", "            ^", "../../etc/passwd", "does not belong here", "perhaps a zone"},
	{"20:00-06:00 Europe/Berlin extra = 0", "                          ^", "extra", "does not belong here", "= and a size"},

	// Cron.
	{"cron(TZ=UTC 0 0 * * *) for 1h = 0", "     ^", "TZ=UTC 0 0 * * *", "zone does not stand inside", "behind the rule"},
	{"cron(0 0 31 2 *) for 1h = 0", "     ^", "0 0 31 2 *", "never occurs", "check the day of month"},
	{"cron(  0 0 30 2 ?) for 1h = 0", "       ^", "0 0 30 2 ?", "never occurs", "check the day of month"},
	{"cron(0 0 0 8 * *) for 1h = 0", "     ^", "0 0 0 8 * *", "not six", "seconds field"},
	{"cron(@every 1h) for 5m = 0", "     ^", "@every 1h", "no start", "minute, hour"},
	{"cron(@daily) for 5m = 0", "     ^", "@daily", "names", "minute, hour"},
	{"cron(0 0 * *) for 5m = 0", "     ^", "0 0 * *", "five fields, not 4", "minute, hour"},
	{"cron() for 5m = 0", "     ^", "", "five fields, not 0", "minute, hour"},
	{"cron(61 0 * * *) for 1h = 0", "     ^", "61", "minute: ", "0 to 59"},
	{"cron(0 24 * * *) for 1h = 0", "       ^", "24", "hour: ", "0 to 23"},
	{"cron(0 0 0 * *) for 1h = 0", "         ^", "0", "day of month: ", "1 to 31"},
	{"cron(0 0 * 13 *) for 1h = 0", "           ^", "13", "month: ", "1 to 12"},
	{"cron(0 0 * * 8) for 1h = 0", "             ^", "8", "day of week: ", "0 to 7"},
	{"cron(0 0 * * fri-mon) for 1h = 0", "             ^", "fri-mon", "day of week: ", "upwards"},
	{"cron(0 0 L * *) for 1h = 0", "         ^", "L", "day of month: ", "1 to 31"},
	{"cron(, 0 * * *) for 1h = 0", "     ^", ",", "empty place", "0 to 59"},
	{"cron(0 1,,2 * * *) for 1h = 0", "       ^", "1,,2", "empty place", "0 to 23"},
	{"cron(*-5 0 * * *) for 1h = 0", "     ^", "*-5", "behind the star", "0 to 59"},
	{"cron(*/0 0 * * *) for 1h = 0", "     ^", "*/0", "positive", "0 to 59"},
	{"cron(0 0 * * 7/x) for 1h = 0", "             ^", "7/x", "day of week: ", "0 to 7"},
	{"cron(0 0 * * 1-7/0) for 1h = 0", "             ^", "1-7/0", "step", "0 to 7"},
	{"cron 0 0 * * * for 5m = 0", "     ^", "0", "in parentheses", "cron(0 22 * * 1-5)"},
	{"cron(0 0 * * * for 5m = 0", "     ^", "0", "not closed", "cron(0 22 * * 1-5)"},
	{"cron(0 0 * * *) = 0", "                ^", "", "needs an end", "for 8h"},
	{"cron(0 0 * * *) until 8h = 0", "                ^", "until", "needs an end", "for 8h"},
	{"cron(0 0 * * *) for = 0", "                    ^", "", "not a duration", "8h"},
	{"cron(0 0 * * *) for 1d = 0", "                    ^", "1d", "not a duration", "48h"},
	{"cron(0 0 * * *) for -5m = 0", "                    ^", "-5m", "longer than nothing", "8h"},
	{"cron(0 0 * * *) for 0s = 0", "                    ^", "0s", "longer than nothing", "8h"},
	{"cron(0 0 * * *) for 1.5s = 0", "                    ^", "1.5s", "whole seconds", "8h"},
	{"cron(0 0 * * *) for 8785h = 0", "                    ^", "8785h", "too long", "8784h"},
	{"cron(0 0 * * *) to 8:00 = 0", "                   ^", "8:00", "cron schedule too", "to cron("},
	{"cron(0 0 * * *) to cron(0  0 * * 0-6/1) = 0", "    ^", "(0 0 * * *) to cron(0  0 * * 0-6/1)", "ends when it starts", "always"},
	{"cron(0 0 * * *) to cron(0 0 * *) = 0", "                        ^", "0 0 * *", "five fields, not 4", "minute, hour"},

	// Sizes and what holds a rule together.
	{"20:00-06:00 = -1", "              ^", "-1", "never negative", "0"},
	{"20:00-06:00 = 1000001", "              ^", "1000001", "too large", "1000000 replicas"},
	{"20:00-06:00 = 99999999999999999999", "              ^", "99999999999999999999", "too large", "1000000"},
	{"20:00-06:00 = 1001%", "              ^", "1001%", "too large", "1000 percent"},
	{"20:00-06:00 = 1.5", "              ^", "1.5", "not a size", "50%"},
	{"always = 12-40", "         ^", "12-40", "not a size", "3..10"},
	{"always = 12..", "         ^", "12..", "not a size", "at both ends"},
	{"always = ..12", "         ^", "..12", "not a size", "50%"},
	{"always = 12...40", "         ^", "12...40", "not a size", "at both ends"},
	{"always = 10%..50%", "         ^", "10%..50%", "not a size", "50%"},
	{"always = 10..50%", "         ^", "10..50%", "not a size", "at both ends"},
	{"always = 40..12", "         ^", "40..12", "ends below its start", "write 12..40"},
	{"always = 3..1000001", "         ^", "3..1000001", "too large", "1000000 replicas"},
	{"20:00-06:00 = off", "              ^", "off", "not a size", "50%"},
	{"20:00-06:00 = 0 = 1", "              ^", "0 = 1", "not a size", "50%"},
	{"20:00-06:00 =", "             ^", "", "size is missing", "normal"},
	{"20:00-06:00", "           ^", "", "needs = and a size", "write 20:00-06:00 = 0"},
	{"20:00-06:00 0", "            ^", "0", "needs = and a size", "write 20:00-06:00 = 0"},
	{"Mon\t20:00-06:00  Europe/Berlin", "                              ^", "", "needs = and a size", "write Mon 20:00-06:00 Europe/Berlin = 0"},
	{"= 0", "^", "", "window is missing", "always"},
	{"!always = 0", "^", "!always", "does not start like this", "always"},
	{"always always = 0", "       ^", "always", "no such zone", "IANA name"},
	{"", "^", "", "no rule", "one a line"},
	{" ; ;; # always = 0", "^", "", "no rule", "one a line"},

	// Characters that are not what they seem.
	{"\u041con-Fri 20:00-06:00 = 0", "^", "\u041con-Fri", `'\u041c' is not a plain character`, "a day"},
	{"20:00\u201306:00 = 0", "^", "20:00\u201306:00", `'\u2013' is not a plain character`, "20:00-18:00"},
	{"20:00-06:00\u00a0= 0", "           ^", "\u00a0", `'\u00a0' is not a plain character`, "perhaps a zone"},
	{"always = \uff10", "         ^", "\uff10", `not a size ('\uff10' is not a plain character)`, "50%"},
	{"always\x00 = 0", "      ^", "\x00", "does not belong here", "perhaps a zone"},
	{"always = 0\x00", "         ^", "0\x00", "not a size", "50%"},
	{"always = \u202e0", "         ^", "\u202e0", `not a size ('\u202e' is not a plain character)`, "50%"},
	{"\ufeffalways = 0", "^", "\ufeffalways", `'\ufeff' is not a plain character`, "a day"},
	{"always \u200bEurope/Berlin = 0", "       ^", "\u200bEurope/Berlin", `'\u200b' is not a plain character`, "perhaps a zone"},
	{"always Europe/\x1b[31mBerlin = 0", "       ^", "Europe/\x1b[31mBerlin", "no such zone", "IANA name"},
	{"\xff\xfealways = 0", "^", "\xff\xfealways", "does not start like this", "a day"},
}

func TestRefusals(t *testing.T) {
	for _, c := range refused {
		s, err := Parse(c.rules, time.UTC)
		var faults Faults
		if !errors.As(err, &faults) || s != nil {
			t.Errorf("Parse(%q) = %v, %v, want Faults", c.rules, s, err)
			continue
		}
		f := faults[0]
		if len(faults) != 1 || f.Line != 1 || f.Column != len(c.caret) || f.Text != c.text {
			t.Errorf("Parse(%q): %d faults, the first at %d:%d about %q; want one at 1:%d about %q", c.rules, len(faults), f.Line, f.Column, f.Text, len(c.caret), c.text)
		}
		if !strings.Contains(f.Problem, c.problem) || !strings.Contains(f.Hint, c.hint) {
			t.Errorf("Parse(%q): problem %q, hint %q; want them to say %q and %q", c.rules, f.Problem, f.Hint, c.problem, c.hint)
		}
		checkFaults(t, c.rules, faults)
		if lines := strings.Split(faults.Render(c.rules), "\n"); len(lines) != 4 || lines[2] != "    "+c.caret {
			t.Errorf("Render(%q) is\n%s", c.rules, faults.Render(c.rules))
		}
	}
}

// checkFaults holds what every list of faults promises: places that are in the text, something to say, and output
// that cannot play tricks on a terminal.
func checkFaults(t testing.TB, text string, faults Faults) {
	t.Helper()
	if len(faults) == 0 {
		t.Errorf("no fault in %q", text)
	}
	lines := strings.Split(text, "\n")
	for _, f := range faults {
		if f.Line < 1 || f.Line > len(lines) || f.Column < 1 || f.Column > utf8.RuneCountInString(lines[f.Line-1])+1 {
			t.Errorf("%+v is not in %q", f, shorten(text, 200))
			continue
		}
		rest := string([]rune(lines[f.Line-1])[f.Column-1:])
		if start, _, _ := strings.Cut(string([]rune(f.Text)), " "); !strings.HasPrefix(rest, start) {
			t.Errorf("%+v does not stand at its place in %q", f, shorten(text, 200))
		}
		if f.Problem == "" || f.Hint == "" {
			t.Errorf("%+v says too little", f)
		}
		checkPrintable(t, f.Error())
		if len(f.Error()) > 2000 {
			t.Errorf("an error of %d bytes", len(f.Error()))
		}
	}
	checkPrintable(t, faults.Error())
	shown := faults.Render(text)
	for line := range strings.SplitSeq(shown, "\n") {
		checkPrintable(t, line)
	}
	if len(shown) > 3000*len(faults) {
		t.Errorf("%d faults are shown in %d bytes", len(faults), len(shown))
	}
}

func checkPrintable(t testing.TB, line string) {
	t.Helper()
	for _, r := range line {
		if !unicode.IsPrint(r) {
			t.Errorf("%q has %U in it, which does not print", shorten(line, 300), r)
			return
		}
	}
}

// Faults are all found, each in its place, and shown under their lines.
func TestEveryFaultIsFound(t *testing.T) {
	const text = "Mon-Fri 8-20 = 0\nalways = 1; 24:30-25:00 = 0 # ä\n\n\tмон = 1\nмон = 1; 8-20 = 0"
	_, err := Parse(text, nil)
	var faults Faults
	if !errors.As(err, &faults) {
		t.Fatal(err)
	}
	const want = `line 1, column 9: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00
    Mon-Fri 8-20 = 0
            ^
line 2, column 13: "24:30-25:00": there is no such time of day; times run from 00:00 to 23:59:59, and a span may end at 24:00
    always = 1; 24:30-25:00 = 0 # ä
                ^
line 4, column 2: "мон": a window does not start like this ('\u043c' is not a plain character); it starts with a day, a date, a time, cron( or always
     мон = 1
     ^
line 5, column 1: "мон": a window does not start like this ('\u043c' is not a plain character); it starts with a day, a date, a time, cron( or always
    мон = 1; 8-20 = 0
    ^
line 5, column 10: "8-20": a time has two digits for the hour and two for the minute; write 08:00-20:00
    мон = 1; 8-20 = 0
             ^
`
	if got := faults.Render(text); got != want {
		t.Errorf("Render is\n%s\nwant\n%s", got, want)
	}
	if want := faults[0].Error() + " (and 4 more)"; err.Error() != want {
		t.Errorf("error is %q, want %q", err, want)
	}
}

// Texts that are made to hurt are refused cheaply, and so is what is said about them.
func TestHostileTexts(t *testing.T) {
	for name, c := range map[string]struct{ text, problem string }{
		"a mebibyte":                   {strings.Repeat("always = 0\n", 1<<20/11), "bytes"},
		"a mebibyte in one line":       {strings.Repeat("x", 1<<20), "bytes"},
		"501 rules":                    {strings.Repeat("always = 0\n", 501), "too many rules"},
		"501 rules in one line":        {strings.Repeat("always=0;", 501), "too many rules"},
		"501 mistakes in one line":     {strings.Repeat("x;", 501), "not a day"},
		"as many as there is room":     {strings.Repeat("x;", MaxText/2), "not a day"},
		"a long word":                  {strings.Repeat("x", MaxText), "not a day"},
		"a long number":                {"always = " + strings.Repeat("9", 60000), "too large"},
		"a long zone":                  {"always A" + strings.Repeat("/a", 30000) + " = 0", "no such zone"},
		"a long time":                  {"20:00-06:00" + strings.Repeat("0", 60000) + " = 0", "not a time"},
		"a long duration":              {"cron(0 0 * * *) for " + strings.Repeat("9", 60000) + "h = 0", "not a duration"},
		"a long cron list":             {"cron(" + strings.Repeat("99,", 20000) + "99 0 * * *) for 1h = 0", "minute"},
		"a long list of days":          {strings.Repeat("Mon,", 16000) + "Mox = 0", "not a day"},
		"a long window without a size": {strings.Repeat("Mon,", 16000) + "Mon", "needs = and a size"},
		"blanks":                       {strings.Repeat(" ", MaxText), "no rule"},
		"newlines":                     {strings.Repeat("\n", MaxText), "no rule"},
		"many unknown zones":           {strings.Repeat("always Europa/Berlin_Mitte = 0\n", 500), "no such zone"},
		"combining marks":              {"a" + strings.Repeat("\u0301", 20000) + " = 0", "not a day"},
		"turned round":                 {"\u202e\u2066always\u2069 = 0", "does not start like this"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.text, nil)
			var faults Faults
			if !errors.As(err, &faults) || !strings.Contains(faults[0].Problem, c.problem) && !strings.Contains(faults[len(faults)-1].Problem, c.problem) {
				t.Fatalf("error is %v, want one that says %q", err, c.problem)
			}
			if len(faults) > MaxRules+1 {
				t.Errorf("%d faults", len(faults))
			}
			checkFaults(t, c.text, faults)
		})
	}
}

// The limits themselves are allowed.
func TestLimits(t *testing.T) {
	if s, err := Parse(strings.Repeat("always=0;", MaxRules), nil); err != nil || len(s.Rules()) != MaxRules {
		t.Error(err)
	}
	if _, err := Parse("always = 0 #"+strings.Repeat("x", MaxText-12), nil); err != nil {
		t.Error(err)
	}
	if _, err := Parse("cron(0 0 * * *) for 8784h = 1000000; always = 1000%", nil); err != nil {
		t.Error(err)
	}
}

// Render takes any Faults, also such as no text ever had.
func TestRenderOfAnything(t *testing.T) {
	for _, fs := range []Faults{nil, {{}}, {{Line: 1}}, {{Line: 1, Column: 99, Text: "x"}}, {{Line: 9, Column: 1}}, {{Line: 1, Column: -3}}} {
		if got := fs.Render("always"); len(fs) > 0 && got == "" {
			t.Errorf("Render(%v) is empty", fs)
		}
		if fs.Error() == "" {
			t.Errorf("Error(%v) is empty", fs)
		}
	}
}

// A long line is cut around the caret, which still points at the right character.
func TestRenderCutsLongLines(t *testing.T) {
	text := strings.Repeat("always = 0;", 40) + "8-20 = 0;" + strings.Repeat("always = 0;", 40)
	_, err := Parse(text, nil)
	var faults Faults
	if !errors.As(err, &faults) {
		t.Fatal(err)
	}
	lines := strings.Split(faults.Render(text), "\n")
	caret := strings.Index(lines[2], "^")
	if shown := string([]rune(lines[1])[caret:]); !strings.HasPrefix(shown, "8-20") || utf8.RuneCountInString(lines[1]) > 110 {
		t.Errorf("Render is\n%s", strings.Join(lines, "\n"))
	}
}

// LoadZone says what is wrong with a name, whatever is in it.
func TestLoadZoneRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"": "empty", "Local": "which machine", "local": "which machine", "PST": "America/Los_Angeles", "cest": "Europe/Berlin", "TZ=Europe/Rome": "without TZ=",
		"TZ=0": "without TZ=", "CRON_TZ=UTC": "without TZ=", "Factory": "no such zone", "Europe/": "no such zone", "Europe": "no such zone",
		"../UTC": "no such zone", "/etc/localtime": "no such zone", "UTC\x00": "no such zone", "utc": "did you mean UTC?", "new york": "did you mean America/New_York?",
		"\u202eUTC": "no such zone", "UTC\n": "no such zone", strings.Repeat("x", 1<<20): "no such zone", "GMT+25": "no such zone", "America/NewYork": "did you mean America/New_York?",
	} {
		loc, err := LoadZone(name)
		if err == nil || loc != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("LoadZone(%q) = %v, %v, want %q", shorten(name, 40), loc, err, want)
			continue
		}
		checkPrintable(t, err.Error())
		if len(err.Error()) > 500 {
			t.Errorf("LoadZone(%q): an error of %d bytes", shorten(name, 40), len(err.Error()))
		}
	}
}
