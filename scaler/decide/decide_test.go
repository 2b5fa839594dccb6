package decide_test

import (
	"fmt"
	"testing"
	"time"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

const night = "Mon-Fri 20:00-06:00 Europe/Berlin = 0"

func windows(rules string, more ...string) map[string]string {
	a := map[string]string{annotation.Windows: rules}
	for i := 0; i < len(more); i += 2 {
		a[more[i]] = more[i+1]
	}
	return a
}

func TestNightsBelongToTheDayTheyStartOn(t *testing.T) {
	s := begin(t, 3, "2026-06-05T19:59:59+02:00", windows(night)).wantSize(3).wantMemory("")
	s.at("2026-06-05T20:00:00+02:00").wantSize(0).wantMemory("3")
	s.at("2026-06-06T05:59:59+02:00").wantSize(0)
	s.at("2026-06-06T06:00:00+02:00").wantSize(3).wantMemory("")
	s.at("2026-06-07T03:00:00+02:00").wantSize(3)
	s.at("2026-06-08T03:00:00+02:00").wantSize(3)
	s.wantReasons(decide.WindowStarted, decide.WindowEnded)
}

func TestNightAfterNight(t *testing.T) {
	s := begin(t, 3, "2026-06-01T12:00:00Z", windows("20:00-06:00 = 0"))
	for day := 1; day < 8; day++ {
		s.at(fmt.Sprintf("2026-06-0%dT20:00:00Z", day)).wantSize(0).wantMemory("3")
		s.at(fmt.Sprintf("2026-06-0%dT06:00:00Z", day+1)).wantSize(3).wantMemory("")
	}
}

func TestGivenBackAndTakenAgain(t *testing.T) {
	s := begin(t, 3, "2026-06-05T21:00:00Z", windows("20:00-06:00 = 0")).wantSize(0)
	s.annotate(annotation.Windows, annotation.OptOut).wantSize(3).wantClean()
	s.annotate(annotation.Windows, "20:00-06:00 = 0").wantSize(0).wantMemory("3")
	s.annotate(annotation.OverrideKey, "normal until 2026-06-05T22:00:00Z").wantSize(3).wantMemory("")
	s.at("2026-06-05T22:00:00Z").wantSize(0).wantMemory("3").at("2026-06-06T06:00:00Z").wantSize(3)
}

func TestOneWriteABoundaryWithReplicasGiven(t *testing.T) {
	s := begin(t, 3, "2026-06-05T12:00:00Z", windows("21:00-07:00 = 0", annotation.Replicas, "3")).wantState(annotation.StateNormal)
	before := s.writes
	s.at("2026-06-05T21:00:00Z").wantSize(0).wantMemory("").wantState(annotation.StateWindow).wantUntil("2026-06-06T07:00:00Z")
	s.at("2026-06-06T02:00:00Z").wantSize(0)
	s.at("2026-06-06T07:00:00Z").wantSize(3).wantUntil("2026-06-06T21:00:00Z")
	if got := s.writes - before; got != 2 {
		t.Errorf("%d writes for two boundaries", got)
	}
}

func TestReplicasAreHeldOutsideWindows(t *testing.T) {
	s := begin(t, 5, "2026-06-05T12:00:00Z", windows("21:00-07:00 = 0", annotation.Replicas, "3")).wantSize(3)
	s.scale(7).wantSize(3)
	s.apply(9).wantSize(3)
	s.wantReasons(decide.NormalHeld, decide.Drift, decide.Drift)
}

func TestHandsOffOutsideWindowsWithoutReplicas(t *testing.T) {
	s := begin(t, 3, "2026-06-05T12:00:00Z", windows("21:00-07:00 = 0"))
	before := s.writes
	s.scale(7).wantSize(7)
	s.apply(9).wantSize(9)
	s.scale(0).wantSize(0)
	if s.writes != before {
		t.Errorf("%d writes while hands are off", s.writes-before)
	}
	s.scale(4).at("2026-06-05T21:00:00Z").wantSize(0).wantMemory("4").at("2026-06-06T07:00:00Z").wantSize(4).wantMemory("")
}

func TestMemoryOutlastsReconcilesAndRestarts(t *testing.T) {
	s := begin(t, 3, "2026-06-05T12:00:00Z", windows("02:00-02:05 = 2", annotation.Timezone, "Pacific/Noumea"))
	s.at("2026-06-05T15:00:00Z").wantSize(2).wantMemory("3") // 02:00 in Noumea
	writes := s.writes
	for range 10 {
		s.at("2026-06-05T15:02:00Z").wantSize(2).wantMemory("3")
	}
	if s.writes != writes {
		t.Errorf("%d writes inside the window", s.writes-writes)
	}
	s.at("2026-06-05T15:05:00Z").wantSize(3).wantMemory("")
	s.wantReasons(decide.WindowStarted, decide.WindowEnded)
}

func TestWhatWasAtZeroStaysAtZero(t *testing.T) {
	s := begin(t, 0, "2026-06-05T12:00:00Z", windows("20:00-06:00 = 0")).wantSize(0)
	s.at("2026-06-05T21:00:00Z").wantSize(0).wantMemory("")
	s.at("2026-06-06T07:00:00Z").wantSize(0).wantMemory("")
	s.wantReasons()
}

func TestAwayOverABoundary(t *testing.T) {
	s := begin(t, 3, "2026-06-05T19:50:00+02:00", windows(night))
	s.at("2026-06-05T20:20:00+02:00").wantSize(0)
	s.at("2026-06-08T08:11:32+02:00").wantSize(3) // away for a whole weekend
	begin(t, 3, "2026-06-05T21:36:00+02:00", windows(night, annotation.Timezone, "Europe/Berlin")).
		wantSize(0).wantUntil("2026-06-06T06:00:00+02:00")
}

func TestWindowAboveTheSizeScalesUp(t *testing.T) {
	s := begin(t, 2, "2026-06-05T12:00:00Z", windows("20:00-22:00 = 5"))
	s.at("2026-06-05T20:00:00Z").wantSize(5).wantMemory("2").at("2026-06-05T22:00:00Z").wantSize(2)
}

func TestShareOfNormalIsRoundedUp(t *testing.T) {
	s := begin(t, 5, "2026-06-05T12:00:00Z", windows("20:00-22:00 = 50%"))
	s.at("2026-06-05T20:00:00Z").wantSize(3).wantMemory("5")
	s.apply(9).wantSize(5).wantMemory("9") // half of the owner's new normal
	s.at("2026-06-05T22:00:00Z").wantSize(9).wantMemory("")
}

func TestWhoChangesTheSizeInAWindow(t *testing.T) {
	inside := func(t *testing.T) *story {
		return begin(t, 3, "2026-06-05T12:00:00Z", windows("20:00-06:00 = 0")).at("2026-06-05T21:00:00Z").wantSize(0).wantMemory("3")
	}
	morning := "2026-06-06T06:00:00Z"
	t.Run("the scale subresource is drift and teaches nothing", func(t *testing.T) {
		inside(t).scale(7).wantSize(0).wantMemory("3").at(morning).wantSize(3)
	})
	t.Run("the object's owner restates normal", func(t *testing.T) {
		inside(t).apply(4).wantSize(0).wantMemory("4").at(morning).wantSize(4)
	})
	t.Run("the owner's zero teaches nothing", func(t *testing.T) {
		inside(t).apply(0).wantSize(0).wantMemory("3").at(morning).wantSize(3)
	})
	t.Run("the owner's zero in a window of another size teaches nothing", func(t *testing.T) {
		s := begin(t, 3, "2026-06-05T12:00:00Z", windows("20:00-06:00 = 2")).at("2026-06-05T21:00:00Z")
		s.apply(0).wantSize(2).wantMemory("3")
	})
	t.Run("the status stripped: what Curfew set is not the owner's word", func(t *testing.T) {
		s := begin(t, 3, "2026-06-05T12:00:00Z", windows("20:00-06:00 = 2")).at("2026-06-05T21:00:00Z")
		s.annotate(annotation.StatusKey, "").wantSize(2).wantMemory("3").at(morning).wantSize(3)
	})
	t.Run("nobody known teaches nothing", func(t *testing.T) {
		s := inside(t)
		s.size, s.writer = 1, decide.Writer{}
		s.look()
		s.wantSize(0).wantMemory("3")
	})
	t.Run("annotations stripped with the owner's size", func(t *testing.T) {
		s := inside(t)
		delete(s.annotations, annotation.StatusKey)
		delete(s.annotations, annotation.Remembered)
		s.apply(3).wantSize(0).wantMemory("3").at(morning).wantSize(3)
	})
	t.Run("annotations stripped and the 0 left: it is not remembered", func(t *testing.T) {
		s := inside(t)
		delete(s.annotations, annotation.StatusKey)
		delete(s.annotations, annotation.Remembered)
		s.annotate(annotation.Windows, "20:00-06:00 = 1").wantSize(1).wantMemory("")
	})
	t.Run("an owner's change seen only after the window", func(t *testing.T) {
		s := inside(t)
		s.size, s.writer = 5, owner
		s.at(morning).wantSize(5).wantMemory("")
	})
	t.Run("drift of an object that had the window's size already", func(t *testing.T) {
		s := begin(t, 5, "2026-06-05T12:00:00Z", windows("20:00-06:00 = 5")).at("2026-06-05T21:00:00Z").wantSize(5).wantMemory("")
		s.scale(7).wantSize(5).wantMemory("").at(morning).wantSize(5)
	})
}

func TestFromWindowToWindowTheFirstMemoryStands(t *testing.T) {
	s := begin(t, 3, "2026-06-01T08:00:00Z", windows("12:00-13:00 = 1; 09:00-17:00 = 5"))
	s.at("2026-06-01T09:00:00Z").wantSize(5).wantMemory("3")
	s.at("2026-06-01T12:00:00Z").wantSize(1).wantMemory("3")
	s.at("2026-06-01T13:00:00Z").wantSize(5).wantMemory("3")
	s.at("2026-06-01T17:00:00Z").wantSize(3).wantMemory("")
}

func TestFromOwnSizeToAnotherWindow(t *testing.T) {
	s := begin(t, 5, "2026-06-01T08:00:00Z", windows("12:00-13:00 = 1; 09:00-17:00 = 5"))
	s.at("2026-06-01T09:00:00Z").wantSize(5).wantMemory("")
	s.at("2026-06-01T12:00:00Z").wantSize(1).wantMemory("5")
	s.at("2026-06-01T17:00:00Z").wantSize(5).wantMemory("")
}

func TestNeighboursOfEqualSizeAreOneWindow(t *testing.T) {
	for name, rules := range map[string]string{
		"equal numbers":     "20:00-24:00 = 0; 00:00-07:00 = 0",
		"number and share":  "20:00-24:00 = 2; 00:00-07:00 = 50%",
		"under another one": "20:00-24:00 = 0; 12:00-13:00 = 1; 00:00-07:00 = 0",
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, 4, "2026-06-05T14:00:00Z", windows(rules)).at("2026-06-05T20:00:00Z").wantUntil("2026-06-06T07:00:00Z")
			writes := s.writes
			s.at("2026-06-06T00:00:00Z").at("2026-06-06T03:00:00Z")
			if s.writes != writes {
				t.Errorf("%d writes between neighbours", s.writes-writes)
			}
			s.at("2026-06-06T07:00:00Z").wantSize(4)
		})
	}
}

func TestMemoryStaysWhereAWindowHasTheNormalSize(t *testing.T) {
	s := begin(t, 3, "2026-06-05T12:00:00Z", windows("20:00-22:00 = 0; 22:00-24:00 = 3"))
	s.at("2026-06-05T21:00:00Z").wantSize(0).wantMemory("3")
	s.at("2026-06-05T22:00:00Z").wantSize(3).wantMemory("3").scale(4).wantSize(3)
	s.at("2026-06-06T00:00:00Z").wantSize(3).wantMemory("")
}

func TestWindowOfTheNormalSizeEndsWhenItEnds(t *testing.T) {
	begin(t, 5, "2026-06-05T21:00:00Z", windows("20:00-06:00 = 5; Mon 12:00-13:00 = 1")).wantUntil("2026-06-06T06:00:00Z")
}

func TestStatusNamesTheRuleThatGivesTheEnd(t *testing.T) {
	s := begin(t, 4, "2026-06-05T21:00:00Z", windows("20:00-07:00 = 0"))
	s.annotate(annotation.Windows, "20:00-08:00 = 0; 20:00-07:00 = 0").wantUntil("2026-06-06T08:00:00Z")
	if got := s.status().Rule; got != "20:00-08:00 = 0" {
		t.Errorf("the status says %q", got)
	}
}

func TestStatusFollowsTheRuleThatWasRewritten(t *testing.T) {
	s := begin(t, 4, "2026-06-05T21:00:00Z", windows("20:00-07:00 = 0"))
	s.annotate(annotation.Windows, "Mon-Sun 20:00-07:00 = 0")
	if got := s.status().Rule; got != "Mon-Sun 20:00-07:00 = 0" {
		t.Errorf("the status still says %q", got)
	}
}

func TestWithoutRulesEverythingIsGivenBack(t *testing.T) {
	const rules, inside = "20:00-06:00 = 0", "2026-06-05T21:00:00Z"
	t.Run("rules removed in a window", func(t *testing.T) {
		s := begin(t, 3, inside, windows(rules)).wantSize(0)
		s.annotate(annotation.Windows, "").wantSize(3).wantClean()
		s.wantReasons(decide.WindowStarted, decide.RulesRemoved)
	})
	t.Run("rules removed in a window, replicas given", func(t *testing.T) {
		begin(t, 3, inside, windows(rules, annotation.Replicas, "4")).wantSize(0).
			annotate(annotation.Windows, "").wantSize(4).wantClean()
	})
	t.Run("rules and replicas removed in a window", func(t *testing.T) {
		s := begin(t, 3, inside, windows(rules, annotation.Replicas, "4")).wantSize(0)
		delete(s.annotations, annotation.Windows)
		s.annotate(annotation.Replicas, "").wantSize(4).wantClean()
	})
	t.Run("opted out in a window", func(t *testing.T) {
		begin(t, 3, inside, windows(rules)).wantSize(0).annotate(annotation.Windows, annotation.OptOut).wantSize(3).wantClean()
	})
	t.Run("rules removed outside of windows", func(t *testing.T) {
		s := begin(t, 3, "2026-06-05T12:00:00Z", windows(rules)).scale(5)
		s.annotate(annotation.Windows, "").wantSize(5).wantClean()
		s.wantReasons()
	})
	t.Run("the manifest applied without Curfew and with a size", func(t *testing.T) {
		s := begin(t, 3, inside, windows(rules)).wantSize(0)
		delete(s.annotations, annotation.Windows)
		s.apply(6).wantSize(6).wantClean()
	})
	t.Run("nothing of Curfew's was ever there", func(t *testing.T) {
		s := begin(t, 3, inside, map[string]string{annotation.Replicas: "9"}).wantSize(3).wantClean()
		if s.writes != 0 {
			t.Errorf("%d writes", s.writes)
		}
	})
}

func TestReplicasGivenAndTakenAwayInAWindow(t *testing.T) {
	const inside, morning = "2026-06-05T21:00:00Z", "2026-06-06T06:00:00Z"
	t.Run("given: it beats the memory", func(t *testing.T) {
		begin(t, 3, inside, windows("20:00-06:00 = 0")).wantMemory("3").
			annotate(annotation.Replicas, "5").wantSize(0).wantMemory("").at(morning).wantSize(5)
	})
	t.Run("taken away: what it said is remembered", func(t *testing.T) {
		begin(t, 3, inside, windows("20:00-06:00 = 0", annotation.Replicas, "5")).wantSize(0).
			annotate(annotation.Replicas, "").wantSize(0).wantMemory("5").at(morning).wantSize(5).wantMemory("")
	})
}

func TestMistakesLeaveTheObjectAsItStands(t *testing.T) {
	for name, mistake := range map[string][2]string{
		"rule":        {annotation.Windows, "Mon-Fri 8-20 CET"},
		"no rule":     {annotation.Windows, ""},
		"timezone":    {annotation.Timezone, "PST"},
		"replicas":    {annotation.Replicas, "three"},
		"negative":    {annotation.Replicas, "-1"},
		"memory":      {annotation.Remembered, "many"},
		"unknown key": {"curfew/window", "always = 0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, 3, "2026-06-05T21:00:00Z", windows("20:00-06:00 = 0")).wantSize(0).wantMemory("3")
			s.annotations[mistake[0]] = mistake[1]
			s.look()
			s.wantSize(0).wantState(annotation.StateInvalid)
			if s.status().Message == "" {
				t.Error("the status does not say what is wrong")
			}
			if want := mistake[1]; mistake[0] == annotation.Remembered && s.annotations[annotation.Remembered] != want {
				t.Error("the mistake was overwritten")
			}
			s.at("2026-06-06T07:00:00Z").wantSize(0)
			// mended, it is right again at once
			delete(s.annotations, mistake[0])
			if mistake[0] == annotation.Windows {
				s.annotations[annotation.Windows] = "20:00-06:00 = 0"
			}
			s.look()
			s.wantSize(3).wantMemory("").wantState(annotation.StateNormal)
		})
	}
}

func TestStatusThatSomebodyWroteOverIsPutRight(t *testing.T) {
	s := begin(t, 3, "2026-06-05T21:00:00Z", windows("20:00-06:00 = 0")).wantSize(0)
	want := s.annotations[annotation.StatusKey]
	for _, garbage := range []string{"{", `{"state":5}`, "[]", "null", `{"state":"window"}`} {
		s.annotate(annotation.StatusKey, garbage).wantSize(0).wantMemory("3")
		if got := s.annotations[annotation.StatusKey]; got != want {
			t.Errorf("after %q the status is %q, want %q", garbage, got, want)
		}
	}
}

func TestNextIsTheBoundary(t *testing.T) {
	s := begin(t, 3, "2026-06-05T12:00:00Z", windows("20:00-06:00 = 0"))
	if got := s.look().Next; !got.Equal(s.status().Until) {
		t.Errorf("looks again at %v, but the status says until %v", got, s.status().Until)
	}
	s = begin(t, 3, "2026-06-05T12:00:00Z", windows("always = 0"))
	if got := s.look().Next; !got.Equal(s.now.Add(24*time.Hour)) || !s.status().Until.IsZero() {
		t.Errorf("no end in sight, but it looks again at %v and the status says until %v", got, s.status().Until)
	}
}
