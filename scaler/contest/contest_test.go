package contest

import (
	"testing"
	"time"
)

var start = time.Date(2026, 6, 1, 20, 0, 0, 0, time.UTC)

// fight lets somebody undo a size every period for as long as lasts, and returns when it was put back.
func fight(period, lasts time.Duration) (History[int32], []time.Duration) {
	h := History[int32]{}.Wrote(0, start)
	var corrections []time.Duration
	due := time.Duration(0)
	for at := period; at <= lasts; at += period {
		for now := max(at, due); now < at+period; {
			wait := h.Wait(0, start.Add(now))
			if wait == 0 {
				h = h.Wrote(0, start.Add(now))
				corrections = append(corrections, now)
				break
			}
			now += wait
			due = now
		}
	}
	return h, corrections
}

func TestAFightEverySecondSlowsDown(t *testing.T) {
	_, got := fight(time.Second, 2*time.Minute)
	want := []time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second, 14 * time.Second, 34 * time.Second, 74 * time.Second}
	if len(got) != len(want) {
		t.Fatalf("corrections at %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("corrections at %v, want %v", got, want)
		}
	}
}

func TestNoHourHasMoreThanTwelve(t *testing.T) {
	for _, period := range []time.Duration{time.Second, 7 * time.Second, time.Minute, 3 * time.Minute, 10 * time.Minute} {
		_, got := fight(period, 10*time.Hour)
		for i := range got {
			n := 0
			for _, at := range got[i:] {
				if at < got[i]+Hour {
					n++
				}
			}
			if n > MostAnHour {
				t.Fatalf("every %v: %d corrections in the hour from %v", period, n, got[i])
			}
		}
		if len(got) < 30 {
			t.Errorf("every %v: %d corrections in ten hours: it has given up", period, len(got))
		}
	}
}

func TestRareDriftIsPutBackAtOnce(t *testing.T) {
	h, got := fight(20*time.Minute, 10*time.Hour)
	if len(got) != 30 {
		t.Errorf("%d corrections of 30", len(got))
	}
	if _, contested := h.Contested(start.Add(10 * time.Hour)); contested {
		t.Error("this is not a contest")
	}
}

func TestAnotherSizeBeginsAnew(t *testing.T) {
	h, _ := fight(time.Second, time.Minute)
	now := start.Add(time.Minute)
	if h.Wait(0, now) == 0 || h.Wait(3, now) != 0 {
		t.Error("the end of a window must not wait")
	}
	h = h.Wrote(3, now)
	if _, contested := h.Contested(now); contested || h.Wait(3, now) != 0 || h.Wait(0, now) != 0 {
		t.Error("a new size is not contested yet")
	}
}

func TestItIsOverWhenItIsQuiet(t *testing.T) {
	h, got := fight(time.Second, time.Minute)
	last := start.Add(got[len(got)-1])
	until, contested := h.Contested(last)
	if !contested || !until.Equal(last.Add(Quiet)) {
		t.Errorf("contested %v until %v", contested, until)
	}
	if _, contested := h.Contested(until); contested {
		t.Error("it is never over")
	}
	if h.Wait(0, last.Add(Hour)) != 0 {
		t.Error("it is never forgotten")
	}
}

func TestResume(t *testing.T) {
	h := Resume[int32](0, start)
	if _, contested := h.Contested(start); !contested || h.Wait(0, start) != FirstWait {
		t.Error("a contest does not outlast a restart")
	}
}
