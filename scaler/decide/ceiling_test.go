package decide_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// bounded begins the story of a workload with a minimum and a maximum, at noon of 5 June 2026 UTC.
func bounded(t *testing.T, least, most int32, annotations map[string]string) *story {
	t.Helper()
	s := &story{t: t, size: least, writer: owner, ceiling: &decide.Ceiling{Max: most, Writer: owner}, annotations: annotations}
	return s.at("2026-06-05T12:00:00Z")
}

// applyBounds is a manifest that says both.
func (s *story) applyBounds(least, most int32) *story {
	s.ceiling = &decide.Ceiling{Max: most, Writer: owner}
	return s.apply(least)
}

// applyMax is a change of the maximum alone.
func (s *story) applyMax(most int32) *story {
	s.ceiling = &decide.Ceiling{Max: most, Writer: owner}
	s.look()
	return s
}

// wantBounds checks both ends and the memory of them.
func (s *story) wantBounds(least, most int32, memory string) *story {
	s.t.Helper()
	if s.size != least || s.ceiling.Max != most {
		s.t.Errorf("at %v it has %d..%d, want %d..%d", s.now, s.size, s.ceiling.Max, least, most)
	}
	return s.wantMemory(memory)
}

// wantMessage checks what the status says; "" is nothing.
func (s *story) wantMessage(part string) *story {
	s.t.Helper()
	if message := s.status().Message; !strings.Contains(message, part) || part == "" && message != "" {
		s.t.Errorf("at %v the status says %q, want %q", s.now, message, part)
	}
	return s
}

const evening, late = "2026-06-05T20:00:00Z", "2026-06-05T22:00:00Z"

func TestAWindowIsAboutTheMinimum(t *testing.T) {
	s := bounded(t, 3, 10, windows("20:00-22:00 = 5")).wantBounds(3, 10, "")
	s.at(evening).wantBounds(5, 10, "3").wantMessage("")
	if st := s.status(); st.Max != nil || st.NormalMax != nil {
		t.Errorf("%+v", st)
	}
	s.applyMax(20).wantBounds(5, 20, "3") // is none of Curfew's business
	s.at(late).wantBounds(3, 20, "")
	s.wantReasons(decide.WindowStarted, decide.WindowEnded)
}

func TestARangeIsBothEnds(t *testing.T) {
	s := bounded(t, 3, 10, windows("20:00-22:00 = 12..40"))
	s.at(evening).wantBounds(12, 40, "3..10").wantMessage("")
	if st := s.status(); *st.Size != 12 || *st.Max != 40 || *st.Normal != 3 || *st.NormalMax != 10 {
		t.Errorf("%s", st)
	}
	writes := s.writes
	s.at("2026-06-05T21:00:00Z")
	if s.writes != writes {
		t.Error("it is written again in the window")
	}
	s.at(late).wantBounds(3, 10, "").wantState(annotation.StateNormal)
	s.wantReasons(decide.WindowStarted, decide.WindowEnded)
	if s.writes != 3 { // the first note, and two boundaries
		t.Errorf("%d writes", s.writes)
	}
}

func TestOneEndMayBeAsItIs(t *testing.T) {
	for name, c := range map[string]struct{ least, most, memory string }{
		"the maximum alone": {"3", "40", "3..10"},
		"the minimum alone": {"5", "10", "3"},
		"neither":           {"3", "10", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := bounded(t, 3, 10, windows("20:00-22:00 = "+c.least+".."+c.most))
			if s.at(evening); fmt.Sprint(s.size) != c.least || fmt.Sprint(s.ceiling.Max) != c.most {
				t.Errorf("%d..%d", s.size, s.ceiling.Max)
			}
			s.wantMemory(c.memory).at(late).wantBounds(3, 10, "")
		})
	}
}

func TestRangesThatTouch(t *testing.T) {
	s := bounded(t, 3, 10, windows("20:00-21:00 = 12..40; 21:00-22:00 = 12..20; 22:00-23:00 = 5"))
	s.at(evening).wantBounds(12, 40, "3..10").wantUntil("2026-06-05T21:00:00Z")
	s.at("2026-06-05T21:00:00Z").wantBounds(12, 20, "3..10").wantUntil(late)
	s.at(late).wantBounds(5, 10, "3").wantUntil("2026-06-05T23:00:00Z") // the maximum is given back
	s.at("2026-06-05T23:00:00Z").wantBounds(3, 10, "")
	s.wantReasons(decide.WindowStarted, decide.WindowStarted, decide.WindowStarted, decide.WindowEnded)
}

func TestNeverAboveTheMaximum(t *testing.T) {
	s := bounded(t, 3, 10, windows("20:00-22:00 = 12"))
	s.at(evening).wantBounds(10, 10, "3").wantMessage("12 is more than its maximum, so it is held at that, 10")
	s.applyMax(11).wantBounds(11, 11, "3").wantMessage("held at that, 11")
	s.applyMax(30).wantBounds(12, 30, "3").wantMessage("")
	s.at(late).wantBounds(3, 30, "")
	s = bounded(t, 3, 10, windows("20:00-22:00 = 5", annotation.Replicas, "20")).wantBounds(10, 10, "").wantMessage("20 is more than its maximum")
	s.at(evening).wantBounds(5, 10, "").at(late).wantBounds(10, 10, "")
}

func TestNoMoreIsGivenBackThanTheMaximum(t *testing.T) {
	s := bounded(t, 6, 10, windows("20:00-22:00 = 2"))
	s.at(evening).wantBounds(2, 10, "6")
	s.applyMax(4).wantBounds(2, 4, "6").wantMessage("4 is what it gets back, and not 6")
	s.at(late).wantBounds(4, 4, "").wantMessage("")
}

func TestWhoChangesWhatInARange(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(*story)
		least, most int32 // that are given back
	}{
		"the maximum":            {func(s *story) { s.applyMax(30) }, 3, 30},
		"the minimum":            {func(s *story) { s.apply(4) }, 4, 10},
		"both":                   {func(s *story) { s.applyBounds(2, 8) }, 2, 8},
		"the minimum to nothing": {func(s *story) { s.apply(0) }, 3, 10},
		"twice":                  {func(s *story) { s.applyBounds(2, 8); s.applyMax(50) }, 2, 50},
	} {
		t.Run(name, func(t *testing.T) {
			s := bounded(t, 3, 10, windows("20:00-22:00 = 12..40")).at(evening)
			c.change(s)
			s.wantBounds(12, 40, fmt.Sprintf("%d..%d", c.least, c.most))
			s.at(late).wantBounds(c.least, c.most, "")
		})
	}
}

func TestBoundsAreGivenBackWhenTheRulesGo(t *testing.T) {
	for name, leave := range map[string]func(*story){
		"no rules":  func(s *story) { s.annotate(annotation.Windows, "") },
		"opted out": func(s *story) { s.annotate(annotation.Windows, "none") },
	} {
		t.Run(name, func(t *testing.T) {
			s := bounded(t, 3, 10, windows("20:00-22:00 = 12..40")).at(evening)
			leave(s)
			s.wantBounds(3, 10, "").wantClean()
			s.wantReasons(decide.WindowStarted, decide.RulesRemoved)
		})
	}
}

func TestBoundsThroughAPauseAndAMistake(t *testing.T) {
	for name, c := range map[string]struct{ key, value, mended string }{
		"pause":   {annotation.Paused, "true", ""},
		"mistake": {annotation.Windows, "20-22 = 5", "20:00-22:00 = 12..40"},
	} {
		t.Run(name, func(t *testing.T) {
			s := bounded(t, 3, 10, windows("20:00-22:00 = 12..40")).at(evening)
			s.annotate(c.key, c.value).wantBounds(12, 40, "3..10")
			s.annotate(annotation.Remembered, "3..10").applyMax(30).wantBounds(12, 30, "3..10")
			s.at("2026-06-05T21:30:00Z").annotate(c.key, c.mended).wantBounds(12, 40, "3..30").at(late).wantBounds(3, 30, "")
		})
	}
}

// TestAMaximumIsGivenBackByTheStatusAlone: somebody has thrown the memory away.
func TestAMaximumIsGivenBackByTheStatusAlone(t *testing.T) {
	s := bounded(t, 3, 10, windows("20:00-22:00 = 3..40")).at(evening).wantBounds(3, 40, "3..10")
	delete(s.annotations, annotation.Remembered)
	s.annotate(annotation.Windows, "").wantBounds(3, 10, "").wantClean()
}

func TestTheStatusNamesTheRuleOfTheMaximum(t *testing.T) {
	s := bounded(t, 3, 10, windows("20:00-22:00 = 12..40")).at(evening)
	s.annotate(annotation.Windows, "20:00-22:00 = 12..20\n20:00-22:00 = 12..40").wantBounds(12, 20, "3..10")
	if rule := s.status().Rule; rule != "20:00-22:00 = 12..20" {
		t.Errorf("the rule is %q", rule)
	}
}

func TestGivenBounds(t *testing.T) {
	s := bounded(t, 1, 4, windows("20:00-21:00 = 12..40; 21:00-22:00 = 5", annotation.Replicas, "3..10")).wantBounds(3, 10, "")
	s.applyMax(50).wantBounds(3, 10, "").apply(1).wantBounds(3, 10, "")
	s.at(evening).wantBounds(12, 40, "")
	s.at("2026-06-05T21:00:00Z").wantBounds(5, 10, "").applyMax(7).wantBounds(5, 10, "")
	s.at(late).wantBounds(3, 10, "")

	s = bounded(t, 1, 4, windows("20:00-21:00 = 12..40", annotation.Replicas, "3")).wantBounds(3, 4, "")
	s.at(evening).wantBounds(12, 40, "3..4").at(late).wantBounds(3, 4, "")
}

func TestAnOverrideMayBeARange(t *testing.T) {
	s := bounded(t, 3, 10, windows("20:00-22:00 = 5", annotation.OverrideKey, "7..7 until 2026-06-05T21:00:00Z"))
	s.wantBounds(7, 7, "3..10").wantState(annotation.StateOverride)
	s.at("2026-06-05T21:00:00Z").wantBounds(5, 10, "3").at(late).wantBounds(3, 10, "")
}

func TestForecastOfBounds(t *testing.T) {
	w := decide.Workload{Size: 3, Writer: owner, Ceiling: &decide.Ceiling{Max: 10, Writer: owner}}
	w.Spec, _ = annotation.Parse(windows("20:00-21:00 = 12..40; 21:00-22:00 = 12"), nil)
	from := time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)
	spans, whole := decide.Forecast(w, from, from.Add(24*time.Hour), 10)
	var got []string
	for _, s := range spans {
		got = append(got, fmt.Sprintf("%s %d..%d", s.From.Format("15:04"), s.Size, s.Max))
	}
	if want := "12:00 3..10, 20:00 12..40, 21:00 10..10, 22:00 3..10"; strings.Join(got, ", ") != want || !whole {
		t.Errorf("%v", got)
	}
}

func TestSizesForAnAutoscaler(t *testing.T) {
	hpa := func(own bool) *decide.Autoscaler { return &decide.Autoscaler{Name: "web", Min: 2, Own: own} }
	owned := &decide.Autoscaler{Name: "web", Min: 2, Owner: "ScaledObject worker"}
	for name, c := range map[string]struct {
		rule       string
		floor      bool
		autoscaler *decide.Autoscaler
		floors     bool // they are looked after too
		want       []string
	}{
		"a size, and nothing else":      {"always = 5", false, hpa(false), true, []string{"web owns every size", "minReplicas", "curfew/windows on that one", "curfew/hpa: floor here"}},
		"a size, and they are not":      {"always = 5", false, hpa(false), false, []string{"web owns every size", "horizontalpodautoscalers.autoscaling among Curfew's --kinds"}},
		"a floor":                       {"always = 5", true, hpa(false), true, nil},
		"a floor by range":              {"always = 5..20", true, hpa(false), true, nil},
		"a floor, and they are not":     {"always = 5", true, hpa(false), false, []string{"changes nothing", "--kinds"}},
		"a floor, and there is none":    {"always = 5", true, nil, true, []string{"changes nothing", "sees no HorizontalPodAutoscaler"}},
		"a floor, and it has its own":   {"always = 5", true, hpa(true), true, []string{"changes nothing", "web has rules of its own"}},
		"a size, and it is another's":   {"always = 5", false, owned, true, []string{"web owns every size", "its minReplicas are set by the ScaledObject worker"}},
		"a floor, and it is another's":  {"always = 5", true, owned, false, []string{"curfew/hpa: floor changes nothing", "web belongs to the ScaledObject worker"}},
		"asleep, and they are not":      {"always = 0", true, hpa(false), false, []string{"changes nothing"}},
		"asleep, and nothing is wanted": {"always = 0", false, hpa(false), false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := decide.Workload{Size: 3, Writer: owner, Autoscaler: c.autoscaler, Floors: c.floors}
			a := windows(c.rule)
			if c.floor {
				a[annotation.HPA] = annotation.Floor
			}
			w.Spec, _ = annotation.Parse(a, nil)
			message := decide.Decide(w, time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)).Status.Message
			for _, want := range c.want {
				if !strings.Contains(message, want) {
					t.Errorf("%q does not say %q", message, want)
				}
			}
			if len(c.want) == 0 && message != "" {
				t.Errorf("it says %q", message)
			}
		})
	}
}
