package decide_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
	"curfew/timewindow"
)

// moved is a workload of 4 replicas with such rules, which come later by the shift and wake earlier by the lead.
func moved(t testing.TB, rules, zone string, shift, lead time.Duration) decide.Workload {
	t.Helper()
	w := decide.Workload{Size: 4, Writer: owner, Shift: shift}
	w.Spec, w.Problems = annotation.Parse(windows(rules, annotation.Timezone, zone, annotation.Replicas, "4", annotation.Lead, lead.String()), nil)
	if len(w.Problems) > 0 {
		t.Fatal(w.Problems)
	}
	return w
}

// asked is what a timetable comes to, found by looking at every minute of the lead.
func asked(w decide.Workload, now time.Time) timewindow.State {
	normal, _ := w.Normal()
	worth := func(s timewindow.State) int32 {
		n := s.Size.Of(normal)
		if w.Autoscaler != nil {
			return min(n, 1)
		}
		return n
	}
	u := now.Add(-w.Shift)
	best := w.Spec.Schedule.At(u)
	for ahead := time.Minute; ahead <= w.Spec.Lead; ahead += time.Minute {
		if s := w.Spec.Schedule.At(u.Add(ahead)); worth(s) > worth(best) {
			best = s
		}
	}
	return best
}

// TestTimetableAgainstMinutes compares random rules, shifts and leads with what every minute says, where the clocks
// change and where they do not.
func TestTimetableAgainstMinutes(t *testing.T) {
	sizes := []string{"0", "normal", "50%", "2", "4", "9", "100%", "0"}
	days := []string{"", "", "Mon-Fri ", "Sun ", "Sat,Sun "}
	leads := []time.Duration{0, time.Minute, 15 * time.Minute, time.Hour, 5 * time.Hour}
	shifts := []time.Duration{0, 3 * time.Minute, 90 * time.Minute}
	for _, place := range []struct{ zone, from string }{
		{"Europe/Berlin", "2026-03-28T12:00:00Z"},
		{"Australia/Lord_Howe", "2026-04-04T00:00:00Z"},
		{"Africa/Cairo", "2026-10-29T06:00:00Z"},
		{"UTC", "2026-06-05T00:00:00Z"},
	} {
		t.Run(place.zone, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, uint64(len(place.zone))))
			from, err := time.Parse(time.RFC3339, place.from)
			if err != nil {
				t.Fatal(err)
			}
			for range 25 {
				var rules []string
				clock := func() string { return fmt.Sprintf("%02d:%02d", r.IntN(24), r.IntN(12)*5) }
				for range 1 + r.IntN(5) {
					window := days[r.IntN(len(days))] + clock() + "-" + clock()
					if r.IntN(4) == 0 {
						window = fmt.Sprintf("cron(%d */%d * * *) for %dm", r.IntN(60), 1+r.IntN(6), 5+r.IntN(90))
					}
					rules = append(rules, window+" = "+sizes[r.IntN(len(sizes))])
				}
				text := strings.Join(rules, "; ")
				if _, err := timewindow.Parse(text, nil); err != nil {
					continue // a span that ends when it starts
				}
				w := moved(t, text, place.zone, shifts[r.IntN(len(shifts))], leads[r.IntN(len(leads))])
				if r.IntN(4) == 0 {
					w.Autoscaler = &decide.Autoscaler{Name: "web", Min: 2}
				}
				compareMinutes(t, w, from, 40*60)
			}
		})
	}
}

func compareMinutes(t *testing.T, w decide.Workload, from time.Time, minutes int) {
	t.Helper()
	table := w.Timetable()
	was, before := asked(w, from), from
	for i := range minutes {
		now := from.Add(time.Duration(i) * time.Minute)
		want := asked(w, now)
		if got := table.At(now.Add(time.Duration(i%60) * time.Second)); got != want {
			t.Fatalf("%s\nshift %v, lead %v: at %v %v is asked for, want %v", w.Spec.Schedule, w.Shift, w.Spec.Lead, now, got, want)
		}
		if want.Size == was.Size {
			continue
		}
		for _, at := range []time.Time{before, now.Add(-time.Second)} {
			if next, ok := table.Next(at); !ok || !next.Equal(now) || !table.Steady(at).Equal(now) {
				t.Fatalf("%s\nshift %v, lead %v: after %v comes %v, %v; want %v", w.Spec.Schedule, w.Shift, w.Spec.Lead, at, next, ok, now)
			}
		}
		was, before = want, now
	}
}

// Each case is a workload whose rules say Friday 20:00 to Saturday 08:00, or what it says itself.
func TestMovedForecasts(t *testing.T) {
	const night = "20:00-08:00 = 0"
	byCurfew := decide.Writer{Manager: "curfew", Curfew: true}
	for name, c := range map[string]struct {
		w     decide.Workload
		rules string
		more  []string
		want  string
	}{
		"neither":                               {decide.Workload{Size: 3}, night, nil, "18:00 normal 3, 20:00 window 0 held, 08:00 normal 3"},
		"a lead moves the wake-up alone":        {decide.Workload{Size: 3}, night, []string{annotation.Lead, "15m"}, "18:00 normal 3, 20:00 window 0 held, 07:45 normal 3"},
		"a shift moves both":                    {decide.Workload{Size: 3, Shift: 200 * time.Second}, night, nil, "18:00 normal 3, 20:03:20 window 0 held, 08:03:20 normal 3"},
		"a lead and a shift":                    {decide.Workload{Size: 3, Shift: 200 * time.Second}, night, []string{annotation.Lead, "15m"}, "18:00 normal 3, 20:03:20 window 0 held, 07:48:20 normal 3"},
		"with normal given":                     {decide.Workload{Size: 3}, night, []string{annotation.Lead, "15m", annotation.Replicas, "5"}, "18:00 normal 5 held, 20:00 window 0 held, 07:45 normal 5 held"},
		"a window above normal":                 {decide.Workload{Size: 3}, "20:00-22:00 = 9", []string{annotation.Lead, "30m"}, "18:00 normal 3, 19:30 window 9 held, 22:00 normal 3"},
		"in steps":                              {decide.Workload{Size: 4}, "19:00-20:00 = 0; 20:00-22:00 = 50%", []string{annotation.Lead, "30m"}, "18:00 normal 4, 19:00 window 0 held, 19:30 window 2 held, 21:30 normal 4"},
		"a peak within the lead of a step":      {decide.Workload{Size: 4}, "18:30-19:00 = 0; 19:00-19:10 = 50%", []string{annotation.Lead, "15m"}, "18:00 normal 4, 18:30 window 0 held, 18:45 window 2 held, 18:55 normal 4"},
		"a share of normal that is no increase": {decide.Workload{Size: 4}, "19:00-20:00 = 2; 20:00-21:00 = 50%", []string{annotation.Lead, "30m"}, "18:00 normal 4, 19:00 window 2 held, 20:30 normal 4"},
		"a nap shorter than the lead":           {decide.Workload{Size: 3}, "19:00-19:10 = 0; 21:00-22:00 = 0", []string{annotation.Lead, "15m"}, "18:00 normal 3, 21:00 window 0 held, 21:45 normal 3"},
		"a nap as long as the lead":             {decide.Workload{Size: 3}, "19:00-19:15 = 0", []string{annotation.Lead, "15m"}, "18:00 normal 3"},
		"a nap a little longer":                 {decide.Workload{Size: 3}, "19:00-19:16 = 0", []string{annotation.Lead, "15m"}, "18:00 normal 3, 19:00 window 0 held, 19:01 normal 3"},
		"an override is not moved": {decide.Workload{Size: 3, Shift: time.Minute}, night, []string{annotation.Lead, "15m", annotation.OverrideKey, "0 until 2026-06-05T19:00:00Z"},
			"18:00 override 0 held, 19:00 normal 3, 20:01 window 0 held, 07:46 normal 3"},
		"an override beats the lead": {decide.Workload{Size: 3}, night, []string{annotation.Lead, "15m", annotation.OverrideKey, "0 until 2026-06-06T07:55:00Z"},
			"18:00 override 0 held, 07:55 normal 3"},
		"paused": {decide.Workload{Size: 3}, night, []string{annotation.Lead, "15m", annotation.Paused, "true"}, "18:00 paused 3"},
		"new": {decide.Workload{Size: 3, Created: friday, Grace: 13*time.Hour + 50*time.Minute}, night, []string{annotation.Lead, "15m"},
			"18:00 waiting 3, 07:50 normal 3"},
		"an autoscaler gets it back early": {decide.Workload{Size: 3, Autoscaler: &decide.Autoscaler{Name: "web", Min: 2}}, night, []string{annotation.Lead, "15m"},
			"18:00 normal 3, 20:00 window 0 held, 07:45 normal 3"},
		"above 0 all is the autoscaler's": {decide.Workload{Size: 3, Autoscaler: &decide.Autoscaler{Name: "web", Min: 2}}, "20:00-21:00 = 9", []string{annotation.Lead, "15m"},
			"18:00 normal 3, 20:00 window 3, 21:00 normal 3"},
		"a memory is given back early": {decide.Workload{Size: 0, Writer: byCurfew}, "17:00-19:00 = 0", []string{annotation.Lead, "15m", annotation.Remembered, "6"},
			"18:00 window 0 held, 18:45 normal 6"},
		"at 0 by itself there is nothing to wake": {decide.Workload{Size: 0, Writer: owner}, night, []string{annotation.Lead, "15m"},
			"18:00 normal 0, 20:00 window 0 held, 08:00 normal 0"},
	} {
		t.Run(name, func(t *testing.T) {
			w, annotations := c.w, windows(c.rules, c.more...)
			w.Spec, w.Problems = annotation.Parse(annotations, time.UTC)
			spans, _ := decide.Forecast(w, friday, friday.Add(15*time.Hour), 100)
			var said []string
			for _, s := range spans {
				text := fmt.Sprintf("%s %s %d", strings.TrimSuffix(s.From.Format("15:04:05"), ":00"), s.State, s.Size)
				if s.Held {
					text += " held"
				}
				said = append(said, text)
			}
			if got := strings.Join(said, ", "); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// A story in which somebody is about while the lead runs.
func TestWakingEarly(t *testing.T) {
	nights := windows("20:00-08:00 = 0", annotation.Timezone, "Europe/Berlin", annotation.Lead, "15m")
	s := begin(t, 3, "2026-06-05T20:00:00+02:00", nights).wantSize(0).wantMemory("3").wantUntil("2026-06-06T07:45:00+02:00")
	s.at("2026-06-06T07:44:59+02:00").wantSize(0)
	s.at("2026-06-06T07:45:00+02:00").wantSize(3).wantMemory("").wantState(annotation.StateNormal).wantUntil("2026-06-06T20:00:00+02:00")
	writes := s.writes
	s.at("2026-06-06T07:59:59+02:00").at("2026-06-06T08:00:00+02:00").wantSize(3)
	if s.writes != writes {
		t.Errorf("%d writes when the window that was led in begins", s.writes-writes)
	}
	s.wantReasons(decide.WindowStarted, decide.WindowEnded)

	// A scale during the lead is the new normal, as it is during the day.
	s.at("2026-06-06T20:00:00+02:00").at("2026-06-07T07:50:00+02:00").wantSize(3).scale(5).wantSize(5).at("2026-06-07T08:30:00+02:00").wantSize(5)
	s.at("2026-06-07T20:00:00+02:00").wantSize(0).wantMemory("5")

	// The owner's new normal, while it sleeps, says what there is to wake.
	s.apply(7).wantSize(0).wantMemory("7").at("2026-06-08T07:45:00+02:00").wantSize(7)
}

// When the clocks go forward at 02:00, the rule's 08:00 is an hour nearer, and the lead is as long as ever.
func TestLeadAndShiftAreElapsedTime(t *testing.T) {
	nights := windows("20:00-02:30 = 0", annotation.Timezone, "Europe/Berlin", annotation.Lead, "45m")
	s := begin(t, 3, "2026-03-28T20:00:00+01:00", nights).wantSize(0).wantUntil("2026-03-29T01:15:00+01:00") // 03:00 summer time less 45m
	s.at("2026-03-29T01:15:00+01:00").wantSize(3)
	late := &story{t: t, size: 3, writer: owner, shift: 90 * time.Minute, annotations: windows("20:00-02:30 = 0", annotation.Timezone, "Europe/Berlin")}
	late.at("2026-03-28T21:30:00+01:00").wantSize(0).wantUntil("2026-03-29T04:30:00+02:00")
	late.at("2026-03-29T04:29:59+02:00").wantSize(0).at("2026-03-29T04:30:00+02:00").wantSize(3)
}

func TestOrigin(t *testing.T) {
	w := moved(t, "20:00-08:00 = 0; 12:00-13:00 = 9", "UTC", 200*time.Second, 15*time.Minute)
	table := w.Timetable()
	now := friday.Add(-18 * time.Hour)
	for _, want := range []string{"07:48:20 is 08:00:00 led", "11:48:20 is 12:00:00 led", "13:03:20 is 13:00:00", "20:03:20 is 20:00:00", "07:48:20 is 08:00:00 led"} {
		now, _ = table.Next(now)
		boundary, led := table.Origin(now)
		got := now.UTC().Format(time.TimeOnly) + " is " + boundary.UTC().Format(time.TimeOnly)
		if led {
			got += " led"
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestBridged(t *testing.T) {
	for name, c := range map[string]struct {
		rules string
		lead  time.Duration
		want  string
	}{
		"no lead":                              {"12:00-12:10 = 0", 0, ""},
		"a nap":                                {"12:00-12:10 = 0; 20:00-06:00 = 0", 15 * time.Minute, "12:00-12:10 = 0"},
		"a nap that goes on":                   {"12:00-12:10 = 0; 12:10-13:00 = 1", 15 * time.Minute, "12:00-12:10 = 0"},
		"a nap that leads into a night":        {"19:50-20:00 = 1; 20:00-06:00 = 0", 15 * time.Minute, ""},
		"sometimes":                            {"cron(0 12 * * *) to cron(5 12 * * 1-5) = 0", 15 * time.Minute, ""},
		"a peak":                               {"12:00-12:10 = 9", 15 * time.Minute, ""},
		"what another rule hides was not seen": {"always = 0; 12:00-12:10 = 9", 15 * time.Minute, ""},
		"a day, by a day's lead":               {"Sun = 0", 24 * time.Hour, "Sun = 0"},
		"two days, by a day's lead":            {"Sat,Sun = 0", 24 * time.Hour, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range moved(t, c.rules, "UTC", 0, c.lead).Timetable().Bridged(friday, friday.AddDate(0, 0, 14)) {
				got = append(got, r.Text())
			}
			if strings.Join(got, "; ") != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// hostile are schedules that are dear to look at with a long lead, of so many rules at most.
func hostile(most int) map[string]string {
	leaps := "2026-06-07 12:00-13:00 = 9\ncron(* * * * *) for 1s = 0\ncron(* * * * *) for 30s = 1\n"
	for i := range most - 3 {
		leaps += fmt.Sprintf("cron(%d %d 29 2 *) for 1s = 0\n", i%60, i/60)
	}
	return map[string]string{
		"seconds":  "cron(* * * * *) for 1s = 0",
		"a peak":   "2026-06-07 12:00-13:00 = 9; cron(* * * * *) for 1s = 0; cron(* * * * *) for 30s = 1",
		"turns":    "2026-06-07 12:00-13:00 = 9; cron(*/2 * * * *) for 1m = 50%; always = 2",
		"leapDays": leaps,
	}
}

// TestNeverPastAWakeUp: with rules that are too dear to be looked at for the whole of the lead it may start late, but whoever
// looks whenever it is told to is never later than without a lead.
func TestNeverPastAWakeUp(t *testing.T) {
	peak := time.Date(2026, 6, 7, 12, 0, 0, 0, time.UTC)
	for name, rules := range hostile(40) {
		if name == "seconds" {
			continue // it has no peak
		}
		t.Run(name, func(t *testing.T) {
			w := moved(t, rules, "UTC", 0, 24*time.Hour)
			looks := 0
			now := peak.Add(-30 * time.Hour)
			for ; ; looks++ {
				d := decide.Decide(w, now)
				if d.Size != nil && *d.Size == 9 {
					break
				}
				if !d.Next.After(now) || d.Next.After(now.Add(24*time.Hour)) || now.After(peak) {
					t.Fatalf("at %v: look again at %v", now, d.Next)
				}
				w.Status, w.Size = d.Status, ptr.Deref(d.Size, w.Size)
				now = d.Next
			}
			if now.After(peak) {
				t.Errorf("it wakes at %v", now)
			}
			t.Logf("it wakes at %v, after %d looks", now, looks)
		})
	}
}

// An object with neither pays nothing for those that have them.
func TestTimetableAllocatesNothing(t *testing.T) {
	for name, w := range map[string]decide.Workload{
		"neither": moved(t, "20:00-08:00 = 0", "Europe/Berlin", 0, 0),
		"both":    moved(t, "20:00-08:00 = 0; 12-24 = 9", "Europe/Berlin", time.Minute, time.Hour),
	} {
		if n := testing.AllocsPerRun(100, func() {
			table := w.Timetable()
			table.At(friday)
			table.Next(friday)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkDecideMoved(b *testing.B) {
	office := "12-24..12-26 = 0; Mon-Fri 07:00-20:00 = normal; always = 0"
	cases := map[string]decide.Workload{
		"plain": moved(b, office, "Europe/Berlin", 0, 0),
		"shift": moved(b, office, "Europe/Berlin", time.Minute, 0),
		"lead":  moved(b, office, "Europe/Berlin", 0, 15*time.Minute),
	}
	for name, rules := range hostile(timewindow.MaxRules) {
		cases["hostile/"+name] = moved(b, rules, "UTC", 0, 24*time.Hour)
	}
	for name, w := range cases {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decide.Decide(w, friday)
			}
		})
	}
}

// Equal sizes that are written differently take turns for ever. It is one window, whose end is not in sight: no write between.
func TestEqualSizesThatTakeTurnsForEver(t *testing.T) {
	s := begin(t, 4, "2026-06-05T18:00:00Z", windows("cron(*/2 * * * *) for 1m = 2; always = 50%"))
	s.wantSize(2).wantMemory("4")
	writes := s.writes
	for range 20 {
		d, _ := s.decide()
		if d.Next.Sub(s.now) < time.Hour {
			t.Fatalf("at %v it is to be looked at again at %v", s.now, d.Next)
		}
		s.at(d.Next.Format(time.RFC3339))
	}
	if s.writes != writes {
		t.Errorf("%d writes in a window that never ends", s.writes-writes)
	}
}

func BenchmarkEqualSizesThatTakeTurns(b *testing.B) {
	w := decide.Workload{Size: 4, Writer: owner}
	w.Spec, w.Problems = annotation.Parse(windows("cron(*/2 * * * *) for 1m = 2; always = 50%"), nil)
	for b.Loop() {
		decide.Decide(w, friday)
	}
}
