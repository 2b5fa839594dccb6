package translate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"curfew/cmd/kubectl-curfew/imports/translate"
	"curfew/cmd/kubectl-curfew/imports/translate/translatetest"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/timewindow"
)

var zones = []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/Santiago", "Asia/Beirut", "America/Havana", "Africa/Casablanca", "Asia/Kolkata"}

// random writes fields that now and then meet a change of the clocks.
func random(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	hour := pick("0", "1", "2", "3", "7", "8,14", "12", "20", "23", "22-23", "*/6")
	return fmt.Sprintf("%s %s %s %s %s", pick("0", "0", "15", "30", "59", "10,50"), hour, pick("*", "*", "*", "*", "?", "1", "10-20", "*/2"), pick("*", "*", "*", "*", "mar-oct"),
		pick("*", "*", "1-5", "MON-FRI", "0,6", "sun", "5", "2-4,6", "*/2"))
}

// Whatever edges there are: what is said means the same over a year but where the clocks change, and then it says so.
func TestEdgesAtRandom(t *testing.T) {
	said := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		zone := zones[r.IntN(len(zones))]
		loc, err := timewindow.LoadZone(zone)
		if err != nil {
			t.Fatal(err)
		}
		var edges []translate.Edge
		var was []translatetest.Edge
		var crons []translate.Cron
		for n := range 2 + r.IntN(3) {
			at, err := translate.ParseCron(random(r))
			if err != nil {
				t.Fatal(err)
			}
			size := int32(r.IntN(4))
			if n < 2 {
				size = int32(n)
			}
			edges = append(edges, translate.Edge{At: at, Size: timewindow.Replicas(size), Says: at.Fields})
			was = append(was, translatetest.Edge{At: "CRON_TZ=" + zone + " " + at.Fields, Size: size})
			crons = append(crons, at)
		}
		rules, err := translate.Rules(edges)
		if err != nil {
			continue
		}
		said++
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			tr := translate.Translation{Set: translate.Annotations(rules, zone, 9)}
			tr.Differ(translate.ClockChanges("cron", loc, crons...))
			translatetest.Same(t, tr, translatetest.Edges(t, was), -1)
			if t.Failed() {
				t.Logf("%q in %s is\n%s", was, zone, strings.Join(rules, "\n"))
			}
		})
	}
	if said < 20 {
		t.Errorf("only %d of 60 can be said, which shows little", said)
	}
}

func TestRules(t *testing.T) {
	for name, c := range map[string]struct {
		edges string // FIELDS = SIZE; …
		want  string // "" where it cannot be said
	}{
		"by day":                  {"0 20 * * * = 0; 0 8 * * * = normal", "20:00-08:00 = 0"},
		"to midnight":             {"0 20 * * * = 0; 0 0 * * * = normal", "20:00-24:00 = 0"},
		"from midnight":           {"0 0 * * * = 0; 0 8 * * * = normal", "00:00-08:00 = 0"},
		"whole days":              {"0 0 * * 6 = 0; 0 0 * * 1 = normal", "Sat,Sun = 0"},
		"a whole day":             {"0 0 * * 3 = 0; 0 0 * * 4 = normal", "Wed = 0"},
		"24 hours, not a day":     {"0 9 * * 3 = 0; 0 9 * * 4 = normal", "Wed 09:00 - Thu 09:00 = 0"},
		"over the week's end":     {"0 20 * * 5 = 0; 0 8 * * 1 = normal", "Fri 20:00 - Mon 08:00 = 0"},
		"weekdays":                {"0 20 * * 1-5 = 0; 0 8 * * 1-5 = normal", "Mon-Fri 08:00-20:00 = normal\nalways = 0"},
		"days that wrap":          {"0 20 * * 0,1,4-6 = 0; 0 8 * * * = normal", "Thu-Mon 20:00-08:00 = 0"},
		"the same thing twice":    {"0 20 * * * = 0; 0 22 * * * = 0; 0 8 * * * = normal", "20:00-08:00 = 0"},
		"three sizes":             {"0 20 * * * = 0; 0 8 * * * = normal; 0 12 * * * = 2", "12:00-20:00 = 2\n20:00-08:00 = 0"},
		"a peak within another":   {"0 6 * * 1-5 = 2; 0 11 * * 1-5 = 8; 0 14 * * 1-5 = 2; 0 19 * * * = 0", "Mon-Fri 11:00-14:00 = 8\nMon-Fri 06:00-19:00 = 2\nalways = 0"},
		"a dip within another":    {"0 20 * * * = 2; 0 23 * * * = 0; 0 5 * * * = 2; 0 8 * * * = normal", "23:00-05:00 = 0\n20:00-08:00 = 2"},
		"a peak on a peak":        {"0 6 * * * = 2; 0 10 * * * = 4; 0 12 * * * = 8; 0 14 * * * = 4; 0 18 * * * = 2; 0 20 * * * = 0", "12:00-14:00 = 8\n10:00-18:00 = 4\n06:00-20:00 = 2\nalways = 0"},
		"a name":                  {"@midnight = 0; 0 8 * * * = normal", "00:00-08:00 = 0"},
		"every hour":              {"0 * * * * = 0; 30 * * * * = normal", "cron(0 * * * *) to cron(30 * * * *) = 0"},
		"some hours":              {"0 1,5,9,13 * * * = 0; 30 * * * * = 1", "cron(0 1,5,9,13 * * *) to cron(30 * * * *) = 0\nalways = 1"},
		"both day fields":         {"0 20 13 * 5 = 0; 0 8 * * * = normal", "cron(0 20 13 * 5) to cron(0 8 * * *) = 0"},
		"dates, two ends":         {"0 20 1 * * = 0; 0 8 3 * * = normal; 0 9 5 * * = normal", "cron(0 8 3 * *) to cron(0 20 1 * *) = normal\ncron(0 9 5 * *) to cron(0 20 1 * *) = normal\nalways = 0"},
		"dates, two of each":      {"0 20 1 * * = 0; 0 20 9 * * = 0; 0 8 3 * * = normal; 0 9 5 * * = normal", ""},
		"one size":                {"0 20 * * * = 0; 0 8 * * * = 0", ""},
		"no edge":                 {"", ""},
		"the same minute":         {"0 8,20 * * * = 0; 0 8 * * 1 = normal", ""},
		"on one day of the 400":   {"0 8 29 2 * = 0; 0 8 * feb * = normal", ""},
		"more than anybody reads": {"0 * * * * = 0; 10 * * * * = 1; 20 * * * * = 2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var edges []translate.Edge
			for text := range strings.SplitSeq(c.edges, "; ") {
				if text == "" {
					continue
				}
				fields, size, _ := strings.Cut(text, " = ")
				at, err := translate.ParseCron(fields)
				if err != nil {
					t.Fatal(err)
				}
				s, err := timewindow.ParseSize(size)
				if err != nil {
					t.Fatal(err)
				}
				edges = append(edges, translate.Edge{At: at, Size: s, Says: fields})
			}
			rules, err := translate.Rules(edges)
			if got := strings.Join(rules, "\n"); got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("%s, %v; want %s", got, err, c.want)
			}
		})
	}
}

// Two crons take turns if they do in a few years, for those here have no leap days.
func TestAlternates(t *testing.T) {
	yes := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 2))
		a, errA := translate.ParseCron(random(r))
		b, errB := translate.ParseCron(random(r))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		want := true
		from, to := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
		for t, last := from, 0; t.Before(to) && want; {
			nextA, nextB := a.Next(t), b.Next(t)
			turn := 1
			t = nextA
			if nextB.Before(nextA) {
				turn, t = 2, nextB
			}
			want = turn != last && !nextA.Equal(nextB)
			last = turn
		}
		if want {
			yes++
		}
		if got := a.Alternates(b); got != want || b.Alternates(a) != want {
			t.Fatalf("%q and %q: %t, want %t", a.Fields, b.Fields, got, want)
		}
	}
	if yes < 8 {
		t.Errorf("only %d take turns, which shows little", yes)
	}
}

// Where the clocks change, midnight may be what is skipped.
func TestClockChanges(t *testing.T) {
	var crons []translate.Cron
	for _, fields := range []string{"0 0 * * *", "30 2 * * 0", "0 9 * * fri"} {
		c, err := translate.ParseCron(fields)
		if err != nil {
			t.Fatal(err)
		}
		crons = append(crons, c)
	}
	for _, name := range zones {
		zone, err := timewindow.LoadZone(name)
		if err != nil {
			t.Fatal(err)
		}
		says := translate.ClockChanges("x", zone, crons...)
		if still := name == "UTC" || name == "Asia/Kolkata"; (says == "") != still {
			t.Errorf("%s: %q", name, says)
		}
	}
	noon, err := translate.ParseCron("0 12 * * *")
	if err != nil {
		t.Fatal(err)
	}
	berlin, err := timewindow.LoadZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if says := translate.ClockChanges("x", berlin, noon); says != "" {
		t.Errorf("noon is not skipped: %q", says)
	}
}

func TestParseCron(t *testing.T) {
	for text, want := range map[string]string{
		"": "not five", "0 0 * *": "not five", "0 0 0 * * *": "not five", "0 0 * * 7": "above maximum", "60 0 * * *": "above maximum", "0 0 * * 5-1": "beyond end",
		"@every 1h": "@every", "@reboot": "no such name", "TZ=X": "a zone inside", "CRON_TZ=UTC 0 0 * * *": "a zone inside", "0 0 31 2 *": "never occurs", "0 0 30,31 2 *": "never occurs", ", 0 * * *": "names nothing",
		"0 0 \x1b[2J * *": `\x1b`,
	} {
		c, err := translate.ParseCron(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q is %q, %v; want %s", text, c.Fields, err, want)
		}
	}
	for text, want := range map[string]string{" 0\t20 *  * 1-5 ": "0 20 * * 1-5", "@daily": "0 0 * * *", "0 0 29 2 *": "0 0 29 2 *", "0 0 31 2 1": "0 0 31 2 1"} {
		if c, err := translate.ParseCron(text); err != nil || c.Fields != want {
			t.Errorf("%q is %q, %v", text, c.Fields, err)
		}
	}
}

func TestMergeAndFinish(t *testing.T) {
	target := translate.Target{GroupKind: translate.Deployment, Namespace: "ns", Name: "a"}
	object := func(name string) manifest.Object {
		return translatetest.Objects(t, "apiVersion: v1\nkind: X\nmetadata: {name: "+name+", namespace: ns}\n")[0]
	}
	all := []translate.Translation{{Target: target, From: []manifest.Object{object("x")}}, {Target: translate.Target{Name: "b"}}, {Target: target, From: []manifest.Object{object("z")}}}
	merged := translate.Merge(all, translate.Disagree("scale"))
	if len(merged) != 2 || len(merged[0].From) != 2 || !slices.Equal(merged[0].Unsaid, []string{"X ns/x and X ns/z scale Deployment ns/a; keep one of them and import again, or write the rules by hand."}) {
		t.Errorf("%v", merged)
	}
	for name, c := range map[string]struct {
		tr   translate.Translation
		want bool // it stays
	}{
		"good":                      {translate.Translation{Target: target, Set: map[string]string{"curfew/windows": "always = 0"}}, true},
		"bad rules":                 {translate.Translation{Target: target, Set: map[string]string{"curfew/windows": "8-20 = 0"}}, false},
		"good, but":                 {translate.Translation{Target: target, Set: map[string]string{"curfew/windows": "always = 0"}, Differences: []string{"x"}, Unsaid: []string{"y"}}, false},
		"a size on a Namespace":     {translate.Translation{Target: translate.Target{GroupKind: translate.Namespace}, Set: map[string]string{"curfew/replicas": "1", "curfew/windows": "always = 0"}}, false},
		"a Namespace that is right": {translate.Translation{Target: translate.Target{GroupKind: translate.Namespace}, Set: map[string]string{"curfew/windows": "always = 0"}}, true},
	} {
		c.tr.Finish()
		if got := len(c.tr.Set) > 0 && len(c.tr.Unsaid) == 0; got != c.want || !got && (len(c.tr.Set)+len(c.tr.Differences) > 0 || len(c.tr.Unsaid) == 0) {
			t.Errorf("%s: %+v", name, c.tr)
		}
	}
}

func FuzzParseCron(f *testing.F) {
	for _, text := range []string{"0 20 * * 1-5", "@daily", "*/5 1-3,7 1 jan sun", "TZ= * * * *", "0 0 31 2 *", ",,,, , , , ,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := translate.ParseCron(text)
		switch {
		case err != nil:
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("%q gives %q, which is not safe to print", text, err)
			}
		case c.Weekly() && len(c.Occurrences()) == 0:
			t.Errorf("%q never occurs", text)
		case c.Alternates(c):
			t.Errorf("%q takes turns with itself", text)
		}
	})
}
