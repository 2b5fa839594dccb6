package timewindow

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"
)

// TestWindows walks through whole schedules: the size at the start, every change, and nothing else in between.
func TestWindows(t *testing.T) {
	data, err := os.ReadFile("testdata/windows.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name       string
		Windows    string
		Timezone   string
		From, To   time.Time
		SizeAtFrom string `json:"size_at_from"`
		Changes    []struct {
			At   time.Time
			Size string
		}
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 27 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s := mustParse(t, c.Windows, c.Timezone)
			size, err := ParseSize(c.SizeAtFrom)
			if err != nil {
				t.Fatal(err)
			}
			var want []change
			for _, w := range c.Changes {
				to, err := ParseSize(w.Size)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, change{w.At, to})
			}
			if got := walk(s, c.From, c.To); !slices.EqualFunc(got, want, func(a, b change) bool { return a.at.Equal(b.at) && a.size == b.size }) {
				t.Errorf("changes are\n%v, want\n%v", got, want)
			}
			from := c.From
			for _, w := range append(want, change{at: c.To}) {
				checkSteady(t, s, from, w.at, size)
				from, size = w.at, w.size
			}
		})
	}
}

// TestMoments asks for the size at single instants where other schedulers have gone wrong.
func TestMoments(t *testing.T) {
	const night = "Mon-Fri 20:00-06:00 = 0"
	const sundayToThursday = "Sun-Thu 06:00-22:30 = normal; always = 0"
	for _, c := range []struct {
		name, rules, zone, at string
		want                  Size
	}{
		{"a second before the night it is up", night, "Europe/Berlin", "2026-06-05T19:59:59+02:00", Normal},
		{"the night starts on its first second", night, "Europe/Berlin", "2026-06-05T20:00:00+02:00", Replicas(0)},
		{"Friday's night lasts into Saturday", night, "Europe/Berlin", "2026-06-06T05:59:59+02:00", Replicas(0)},
		{"the night ends on the second", night, "Europe/Berlin", "2026-06-06T06:00:00+02:00", Normal},
		{"Saturday has no night of its own", night, "Europe/Berlin", "2026-06-07T03:00:00+02:00", Normal},
		{"Sunday has no night of its own", night, "Europe/Berlin", "2026-06-08T03:00:00+02:00", Normal},
		{"a week may start on Sunday", sundayToThursday, "Asia/Jerusalem", "2026-07-05T10:00:00+03:00", Normal},
		{"and end on Thursday", sundayToThursday, "Asia/Jerusalem", "2026-07-03T13:00:00+03:00", Replicas(0)},
		{"with Saturday off", sundayToThursday, "Asia/Jerusalem", "2026-07-04T13:00:00+03:00", Replicas(0)},
		{"one who was away in the evening finds the night", night, "Europe/Berlin", "2026-06-05T20:20:00+02:00", Replicas(0)},
		{"one who is late in the morning finds the day", "cron(10 8 * * *) for 2h = 4; always = 0", "Europe/Berlin", "2026-06-05T08:11:32+02:00", Replicas(4)},
		{"minutes of the hour that autumn repeats are over the second time", "22:00-02:30 = 0", "Europe/Berlin", "2026-10-25T01:15:00Z", Normal},
		{"an end on the hour that clocks go back at waits for the second pass", "22:00-03:00 = 0", "Europe/Berlin", "2026-10-25T01:15:00Z", Replicas(0)},
		{"a start on that hour waits too", "03:00-04:00 = 0", "Europe/Berlin", "2026-10-25T01:15:00Z", Normal},
		{"a midnight that comes twice ends the day the first time", "Sat = 0", "America/Havana", "2026-11-01T05:30:00Z", Normal},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := mustParse(t, c.rules, c.zone).At(mustTime(t, c.at)).Size; got != c.want {
				t.Errorf("size at %s is %s, want %s", c.at, got, c.want)
			}
		})
	}
}

// TestChanges lists every change of a stretch of time, given as the instants alone: sizes alternate.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		name, rules, zone, from, to string
		want                        []string
	}{
		{"a weekend has two changes", "Sat-Sun 00:00-24:00 = 0", "Europe/Rome", "2026-06-01T00:00:00Z", "2026-06-08T00:00:00Z",
			[]string{"2026-06-05T22:00:00Z", "2026-06-07T22:00:00Z"}},
		{"23:59 is not midnight", "Sat-Sun 00:00-23:59 = 0", "UTC", "2026-06-05T00:00:00Z", "2026-06-09T00:00:00Z",
			[]string{"2026-06-06T00:00:00Z", "2026-06-06T23:59:00Z", "2026-06-07T00:00:00Z", "2026-06-07T23:59:00Z"}},
		{"an end in the skipped half hour is its end", "22:00-02:30 = 0", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z",
			[]string{"2026-03-28T21:00:00Z", "2026-03-29T01:00:00Z"}},
		{"a span inside the skipped hour is no change at all", "02:15-02:45 = 0", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", nil},
		{"put on in mid-window the next change is the morning", "Mon-Fri 20:00-06:00 = 0", "Europe/Berlin", "2026-06-05T19:36:00Z", "2026-06-06T12:00:00Z",
			[]string{"2026-06-06T04:00:00Z"}},
		{"a night over the hour that comes twice has one end", "22:00-03:00 = 0", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z",
			[]string{"2026-10-24T20:00:00Z", "2026-10-25T02:00:00Z"}},
		{"a start where clocks go back happens once", "03:00-04:00 = 0", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z",
			[]string{"2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z"}},
		{"midnight that does not exist is the first moment after", "Fri = 0", "Africa/Cairo", "2026-04-23T00:00:00Z", "2026-04-26T00:00:00Z",
			[]string{"2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"}},
		{"a day that a country skipped is no change", "2011-12-30..2011-12-31 = 0", "Pacific/Apia", "2011-12-28T00:00:00Z", "2012-01-03T00:00:00Z",
			[]string{"2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"}},
		{"cron at a midnight that does not exist is not lost", "cron(0 0 * * fri) for 2h = 0", "Africa/Cairo", "2026-04-23T12:00:00Z", "2026-04-25T00:00:00Z",
			[]string{"2026-04-23T22:00:00Z", "2026-04-24T00:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, w := range walk(mustParse(t, c.rules, c.zone), mustTime(t, c.from), mustTime(t, c.to)) {
				got = append(got, w.at.Format(time.RFC3339))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("changes at %v, want %v", got, c.want)
			}
		})
	}
}

// The zero time, the far past and the far future are instants like any other.
func TestAnyInstant(t *testing.T) {
	s := mustParse(t, "12-24..12-26 = 1; cron(0 0 29 2 *) for 1h = 2; Mon-Fri 07:00-20:00 = normal; Fri 20:00 - Mon 07:00 = 3; 2026-01-01 = 4; always = 0", "Europe/Berlin")
	for _, at := range []time.Time{{}, time.Unix(0, 0), time.Unix(-1, 5), time.Date(-9000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(99999, 1, 1, 0, 0, 0, 0, time.UTC)} {
		next, ok := s.Next(at)
		if !ok || !next.After(at) || s.At(next).Size == s.At(at).Size {
			t.Errorf("Next(%s) = %s, %v: %v then %v", at, next, ok, s.At(at), s.At(next))
		}
	}
}

// A rule says what it was, so that a status or an event can.
func TestRules(t *testing.T) {
	s := mustParse(t, "# nights\n  Mon-Fri   20:00 - 06:00\tAmerica/New_York =0 # all of them\n\n12-24 = 50%;  always = NORMAL", "Europe/Berlin")
	type rule struct {
		line, column    int
		text, canonical string
		size            Size
		zone            string
	}
	want := []rule{
		{2, 3, "Mon-Fri 20:00 - 06:00 America/New_York =0", "Mon-Fri 20:00-06:00 America/New_York = 0", Replicas(0), "America/New_York"},
		{4, 1, "12-24 = 50%", "12-24 = 50%", Percent(50), "Europe/Berlin"},
		{4, 15, "always = NORMAL", "always = normal", Normal, "Europe/Berlin"},
	}
	var got []rule
	for _, r := range s.Rules() {
		got = append(got, rule{r.Line(), r.Column(), r.Text(), r.String(), r.Size(), r.Location().String()})
	}
	if !slices.Equal(got, want) {
		t.Errorf("rules are\n%v, want\n%v", got, want)
	}
	if got, want := s.At(mustTime(t, "2026-06-10T12:00:00Z")), (State{Normal, 2}); got != want {
		t.Errorf("state is %v, want %v", got, want)
	}
	if got, want := mustParse(t, "12-24 = 0", "UTC").At(mustTime(t, "2026-06-10T12:00:00Z")), (State{Normal, -1}); got != want {
		t.Errorf("state is %v, want %v", got, want)
	}
}
