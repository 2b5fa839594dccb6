package timewindow

import (
	"testing"
	"time"
)

// What a schedule prints is the shortest plain way to write it.
func TestCanonicalText(t *testing.T) {
	for text, want := range map[string]string{
		"ALWAYS=0":                                 "always = 0",
		"00:00-24:00 = 0":                          "00:00-24:00 = 0",
		"Mon-Sun = 0":                              "00:00-24:00 = 0",
		"tuesday-monday 08:00:00-09:00:05 = 0":     "08:00-09:00:05 = 0",
		"Sat-Sun 00:00-24:00 = 0":                  "Sat,Sun = 0",
		"Fri-Tue,wed = 0":                          "Fri-Wed = 0",
		"Mon,Tue,Wed,Fri,Sun = 0":                  "Fri,Sun-Wed = 0",
		"Sun,Mon = 0":                              "Sun,Mon = 0",
		"Mon , Wed - Fri 08:00 - 24:00 = 3":        "Mon,Wed-Fri 08:00-24:00 = 3",
		"20:00-00:00 = 0":                          "20:00-24:00 = 0",
		"00:01-00:00:30 = 0":                       "00:01-00:00:30 = 0",
		"fri 20:00-mon 07:00 UTC=50 %":             "Fri 20:00 - Mon 07:00 UTC = 50%",
		"Fri 20:00 - Sun 24:00 = 0":                "Fri 20:00 - Mon 00:00 = 0",
		"2026-12-24..2026-12-24 = 0":               "2026-12-24 = 0",
		"2026-12-24 .. 2026-12-26 08:00 - 09:00=0": "2026-12-24..2026-12-26 08:00-09:00 = 0",
		"12-24..01-06 00:00-24:00 = 0":             "12-24..01-06 = 0",
		"02-29 22:00-04:00 = 0":                    "02-29 22:00-04:00 = 0",
		"Cron( 0  8 * * 1-5 )  FOR 90m = 0":        "cron(0 8 * * 1-5) for 1h30m = 0",
		"cron(0 8 * * *) for 48h0m0s = 0":          "cron(0 8 * * *) for 48h = 0",
		"cron(0 8 * * *) for 3600s = 0":            "cron(0 8 * * *) for 1h = 0",
		"cron(0 8 * * *) for 61s = 0":              "cron(0 8 * * *) for 1m1s = 0",
		"cron(0 8 * * *)TO cron(0 20 * * 7) =0":    "cron(0 8 * * *) to cron(0 20 * * 7) = 0",
	} {
		s, err := Parse(text, nil)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		if s.String() != want {
			t.Errorf("%q is printed as %q, want %q", text, s, want)
		}
	}
}

func TestResized(t *testing.T) {
	text := "Sat,Sun = 0\n22:00-06:00 = 0%\nalways = 5"
	s, err := Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	awake := s.Resized(func(size Size) Size {
		if size.Of(100) == 0 {
			return Normal
		}
		return size
	})
	if got, want := awake.String(), "Sat,Sun = normal\n22:00-06:00 = normal\nalways = 5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	saturday := time.Date(2026, 6, 6, 12, 0, 0, 0, time.UTC)
	if got := awake.At(saturday); got != (State{Normal, 0}) || awake.Rules()[0].Text() != "Sat,Sun = 0" {
		t.Errorf("on Saturday %v, by %q", got, awake.Rules()[0].Text())
	}
	if got := s.At(saturday); got != (State{Replicas(0), 0}) {
		t.Errorf("the schedule itself has changed: %v", got)
	}
	if next, ok := awake.Next(saturday); !ok || !next.Equal(time.Date(2026, 6, 8, 6, 0, 0, 0, time.UTC)) {
		t.Errorf("it changes at %v, %v", next, ok) // the night after Sunday is as Sunday
	}
}
