package annotation

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"curfew/timewindow"
)

// TestSchedulesAreReadOnce: equal rules in the same zone are one schedule, and nothing else is.
func TestSchedulesAreReadOnce(t *testing.T) {
	berlin, err := timewindow.LoadZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	const night = "20:00-06:00 = 0"
	for name, c := range map[string]struct {
		text string
		zone *time.Location
		same bool
	}{
		"the same":          {night, berlin, true},
		"in another zone":   {night, time.UTC, false},
		"written otherwise": {night + " ", berlin, false},
		"a long one":        {night + strings.Repeat(" ", longestRemembered), berlin, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSchedules()
			read := func(text string, zone *time.Location) *timewindow.Schedule {
				spec, problems := s.ParseIn(nil, map[string]string{Windows: text, Timezone: zone.String()}, nil)
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				if got := spec.Schedule.Location().String(); got != zone.String() {
					t.Errorf("read in %s", got)
				}
				return spec.Schedule
			}
			first := read(night, berlin)
			if len(c.text) > len(night)+1 {
				first = read(c.text, c.zone)
			}
			if same := first == read(c.text, c.zone); same != c.same {
				t.Errorf("the same: %v", same)
			}
		})
	}
}

// TestSchedulesRememberMistakes: a mistake is told to everybody who makes it.
func TestSchedulesRememberMistakes(t *testing.T) {
	s := NewSchedules()
	for range 2 {
		spec, problems := s.ParseIn(nil, map[string]string{Windows: "Mon 8-20 = 1"}, nil)
		if spec.Schedule != nil || len(problems) != 1 || problems[0].Fault.Text != "8-20" {
			t.Errorf("%v, %+v", spec.Schedule, problems)
		}
	}
}

// TestSchedulesAreBounded: nobody's rules take the memory of all.
func TestSchedulesAreBounded(t *testing.T) {
	s := NewSchedules()
	for i := range 3 * mostRemembered {
		if _, err := s.parse(fmt.Sprintf("2026-12-24 00:00-%02d:%02d = 0 # %d", 1+i%23, i%60, i), time.UTC); err != nil {
			t.Fatal(err)
		}
	}
	if kept := s.read.Len(); kept != mostRemembered {
		t.Errorf("%d are kept", kept)
	}
}

// TestSchedulesAreSmall measures what is kept of texts that are made to take memory.
func TestSchedulesAreSmall(t *testing.T) {
	for name, text := range map[string]func(i int) string{
		"many rules":         func(i int) string { return strings.Repeat("Sat=0;", 500) + fmt.Sprint("#", i) },
		"many rules by cron": func(i int) string { return strings.Repeat("cron(0 0 29 2 *) for 1s=0\n", 500) + fmt.Sprint("#", i) },
		"few rules":          func(i int) string { return strings.Repeat("Sat=0;", rulesRemembered) + fmt.Sprint("#", i) },
		"few rules, padded":  func(i int) string { return "Sat=0#" + strings.Repeat("x", 4000) + fmt.Sprint(i) },
		"as long as it may":  func(i int) string { return "Sat=0#" + strings.Repeat("x", timewindow.MaxText-16) + fmt.Sprint(i) },
		"long rules": func(i int) string {
			return strings.Repeat("Sat"+strings.Repeat(" ", 120)+"=0;", 500) + fmt.Sprint("#", i)
		},
		"many mistakes":       func(i int) string { return strings.Repeat("x;", 500) + fmt.Sprint("#", i) },
		"few mistakes":        func(i int) string { return strings.Repeat("x;", rulesRemembered) + fmt.Sprint("#", i) },
		"many unknown zones":  func(i int) string { return strings.Repeat("Sat Europa/Berlin=0;", 500) + fmt.Sprint("#", i) },
		"one mistake, padded": func(i int) string { return "x#" + strings.Repeat("x", 4000) + fmt.Sprint(i) },
	} {
		t.Run(name, func(t *testing.T) {
			s, before := NewSchedules(), heap()
			texts := mostRemembered
			if len(text(0)) > longestRemembered {
				texts = 2 * largeRemembered
			}
			for i := range texts {
				_, _ = s.parse(text(i), time.UTC)
			}
			const most = 20 << 20
			took := heap() - before
			t.Logf("%d KiB", took>>10)
			if took > most {
				t.Errorf("%d MiB are kept, want less than %d", took>>20, most>>20)
			}
			runtime.KeepAlive(s)
		})
	}
}

// heap is how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
