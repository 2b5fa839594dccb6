package annotation

import (
	"fmt"
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
		"the same":            {night, berlin, true},
		"in another zone":     {night, time.UTC, false},
		"written otherwise":   {night + " ", berlin, false},
		"too long to be kept": {night + strings.Repeat(" ", longestRemembered), berlin, false},
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
			if len(c.text) > longestRemembered {
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
