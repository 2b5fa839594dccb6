package timewindow

import (
	"fmt"
	"testing"
	"time"
)

// threeRules are what most people write.
const threeRules = "2026-12-24..2027-01-01 = 0; Mon-Fri 07:00-20:00 = normal; always = 0"

// moments are such that each of the three rules decides once, and the next change is near, far and further.
var moments = []struct{ name, at string }{
	{"weekday", "2026-06-10T12:00:00+02:00"},
	{"weekend", "2026-06-06T12:00:00+02:00"},
	{"holidays", "2026-12-28T12:00:00+01:00"},
}

func BenchmarkAt(b *testing.B) {
	s := mustParse(b, threeRules, "Europe/Berlin")
	for _, m := range moments {
		b.Run(m.name, func(b *testing.B) {
			at := mustTime(b, m.at)
			b.ReportAllocs()
			for b.Loop() {
				s.At(at)
			}
		})
	}
}

func BenchmarkNext(b *testing.B) {
	s := mustParse(b, threeRules, "Europe/Berlin")
	for _, m := range moments {
		b.Run(m.name, func(b *testing.B) {
			at := mustTime(b, m.at)
			b.ReportAllocs()
			for b.Loop() {
				s.Next(at)
			}
		})
	}
}

// The worst that an object can cost a controller that has many others to look after.
func BenchmarkWorst(b *testing.B) {
	for name, rules := range map[string]string{
		"byTheMinute": "cron(*/2 * * * *) for 1m = 0; cron(1-59/2 * * * *) for 1m = 0",
		"leapDays":    manyLeapDays(),
	} {
		b.Run(name, func(b *testing.B) {
			s := mustParse(b, rules, "Europe/Berlin")
			at := time.Date(2097, 1, 1, 0, 0, 0, 0, time.UTC)
			for b.Loop() {
				s.Next(at)
			}
		})
	}
}

// manyLeapDays are five hundred rules that each have to look years back and ahead, beside one that turns every minute.
func manyLeapDays() string {
	rules := "cron(* * * * *) for 1m = 0\n"
	for i := range MaxRules - 1 {
		rules += fmt.Sprintf("cron(%d %d 29 2 *) for 1s = 0\n", i%60, i/60)
	}
	return rules
}

func BenchmarkParse(b *testing.B) {
	loc, err := LoadZone("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(threeRules, loc); err != nil {
			b.Fatal(err)
		}
	}
}

// A controller asks at every look at an object, so asking makes no garbage.
func TestNoAllocations(t *testing.T) {
	for _, rules := range []string{threeRules, "12-24..01-06 = 1; cron(0 8 * * 1-5) for 8h = 2; cron(0 22 29 2 *) to cron(0 8 * * *) America/New_York = 50%; Fri 20:00 - Mon 07:00 = 0"} {
		s := mustParse(t, rules, "Europe/Berlin")
		for _, m := range moments {
			at := mustTime(t, m.at)
			if n := testing.AllocsPerRun(100, func() { s.At(at) }); n != 0 {
				t.Errorf("%s: At allocates %v times", m.name, n)
			}
			if n := testing.AllocsPerRun(100, func() { s.Next(at) }); n != 0 {
				t.Errorf("%s: Next allocates %v times", m.name, n)
			}
		}
	}
}
