package timewindow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
)

func mustCron(t testing.TB, fields string) *cronFields {
	t.Helper()
	f, bad := parseCron(fields)
	if bad != nil {
		t.Fatalf("cron(%s): %s", fields, bad.problem)
	}
	return f
}

// Fields that robfig reads as well: both say the same minutes, as long as the clock is UTC.
func TestCronAgreesWithRobfig(t *testing.T) {
	fixed := []string{
		"* * * * *", "0 0 * * *", "0 0 29 2 *", "59 23 31 12 *", "0 0 1 1 0", "*/7 */5 */3 */2 *", "0 0 */2 * 1", "0 0 1-7 * 3",
		"5-50/15 8-18/3 * 3-5 MON-FRI", "10/20 22/1 20/5 11/1 4/1", "0 12 ? JAN,jul SUN", "1,1,59 0,23 31 * *", "0 0 30 1-2 *", "0 0 * * 0-6", "0 0 13 * 5", "0 0 */1 * 1", "0 0 1 * */1",
	}
	r := rand.New(rand.NewPCG(7, 7))
	part := func(low, high int) string {
		a, b := low+r.IntN(high-low+1), low+r.IntN(high-low+1)
		switch r.IntN(6) {
		case 0, 1:
			return "*"
		case 2:
			return fmt.Sprintf("*/%d", 1+r.IntN(high))
		case 3:
			return fmt.Sprintf("%d-%d/%d", min(a, b), max(a, b), 1+r.IntN(4))
		case 4:
			return fmt.Sprintf("%d,%d", a, b)
		default:
			return fmt.Sprint(a)
		}
	}
	for range 150 {
		fixed = append(fixed, strings.Join([]string{part(0, 59), part(0, 23), part(1, 28), part(1, 12), part(0, 6)}, " "))
	}
	for _, fields := range fixed {
		f := mustCron(t, fields)
		theirs, err := cron.ParseStandard(fields)
		if err != nil {
			t.Fatalf("%s: %v", fields, err)
		}
		at := time.Date(2023, 12, 30, 23, 58, 30, 0, time.UTC).Add(time.Duration(r.IntN(400*24*3600)) * time.Second)
		for range 60 {
			want := theirs.Next(at)
			if want.IsZero() || theirs.Next(want).IsZero() {
				break // robfig looks five years ahead, which is not enough for every leap day
			}
			got, ok := f.next(civil(at.Unix()))
			if !ok || int64(got) != want.Unix() {
				t.Errorf("cron(%s): after %s comes %s, want %s", fields, at, time.Unix(int64(got), 0).UTC(), want)
				break
			}
			// Looking back from the occurrence and from just before the next one finds it; from just before it, the one before.
			after := theirs.Next(want).Unix()
			for _, c := range []int64{want.Unix(), want.Unix() + 1, after - 1} {
				if last, ok := f.last(civil(c)); !ok || int64(last) != want.Unix() {
					t.Errorf("cron(%s): the last up to %s is %s, want %s", fields, time.Unix(c, 0).UTC(), time.Unix(int64(last), 0).UTC(), want)
				}
			}
			if last, ok := f.last(got - 1); !ok || last >= got {
				t.Errorf("cron(%s): the last before %s is %s", fields, want, time.Unix(int64(last), 0).UTC())
			}
			at = want
			if r.IntN(3) == 0 { // now and then from between two occurrences
				at = at.Add(time.Duration(r.Int64N(after-want.Unix())) * time.Second)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// What robfig refuses or cannot say is compared with minutes written out by hand.
func TestCronSundayAndQuirks(t *testing.T) {
	for _, c := range []struct{ fields, want string }{ // the days of the week from Sunday 2026-03-01, as dates of that month
		{"0 0 * * 7", "1 8 15 22 29"},
		{"0 0 * * 0,7", "1 8 15 22 29"},
		{"0 0 * * 5-7", "1 6 7 8 13 14 15 20 21 22 27 28 29"},
		{"0 0 * * FRI-SUN", "1 6 7 8 13 14 15 20 21 22 27 28 29"},
		{"0 0 * * sat-7,3", "1 4 7 8 11 14 15 18 21 22 25 28 29"},
		{"0 0 * * 1-7/2", "1 2 4 6 8 9 11 13 15 16 18 20 22 23 25 27 29 30"},
		{"0 0 * * 3-7/4", "1 4 8 11 15 18 22 25 29"},
		{"0 0 * * 5-7/3", "6 13 20 27"},
		{"0 0 * * 5-7/9223372036854775807", "6 13 20 27"},
		{"0 0 * * 7-7", "1 8 15 22 29"},
		{"0 0 * * 7/2", "1 8 15 22 29"},
		{"0 0 * * SUN-SUN", "1 8 15 22 29"},
		{"0 0 1-7 * 3", "1 2 3 4 5 6 7 11 18 25"},
		{"0 0 1-20/7 * 7", "1 8 15 22 29"},
		{"0 0 31 * *", "31"},
		{"0 0 */10 * *", "1 11 21 31"},
		{"0 0 */10 * 4", "1 5 11 12 19 21 26 31"}, // a step takes away the star: both restrict, either will do
		{"0 0 */10 * *,4", "1 11 21 31"},          // a star anywhere in the list keeps it
		{"0 0 29-31 * 0-6", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31"},
	} {
		f := mustCron(t, c.fields)
		var got []string
		for d := dayOf(2026, 3, 1); d <= dayOf(2026, 3, 31); d++ {
			if at, ok := f.next(d.start() - 1); ok && at == d.start() {
				got = append(got, fmt.Sprint(int(d-dayOf(2026, 3, 1))+1))
			}
		}
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("cron(%s) is on %v, want %s", c.fields, got, c.want)
		}
	}
}

// TestCronLeapDay crosses 2100, the leap day that is not there.
func TestCronLeapDay(t *testing.T) {
	f := mustCron(t, "30 5 29 2 *")
	after := dayOf(2096, 2, 29).start() + 5*hour + 30*minute
	if got, ok := f.next(after); !ok || got != dayOf(2104, 2, 29).start()+5*hour+30*minute {
		t.Errorf("next is %s", got.dateString())
	}
	if got, ok := f.last(dayOf(2104, 2, 29).start()); !ok || got != after {
		t.Errorf("last is %s", got.dateString())
	}
}

// Brute force over every minute of two days, with edges of hours and days in the fields.
func TestCronMinuteByMinute(t *testing.T) {
	for _, fields := range []string{"0 0 * * *", "59 23 * * *", "0,59 0,23 * * *", "*/13 */11 * * *", "30 4-20/8 15 * *"} {
		f := mustCron(t, fields)
		start := dayOf(2026, 6, 14).start()
		var on []civil
		for c := start - 2*day; c <= start+4*day; c += minute {
			_, _, dom := c.day().date()
			h, m := int64(c-c.day().start())/hour, int64(c-c.day().start())%hour/minute
			if f.doms&(1<<dom) != 0 && f.hours&(1<<h) != 0 && f.minutes&(1<<m) != 0 {
				on = append(on, c)
			}
		}
		for c := start; c < start+2*day; c += 30 {
			i, _ := slices.BinarySearch(on, c+1)
			if got, ok := f.next(c); i < len(on) && (!ok || got != on[i]) {
				t.Fatalf("cron(%s).next(%d) = %d, want %d", fields, c-start, got-start, on[i]-start)
			}
			if got, ok := f.last(c); i > 0 && (!ok || got != on[i-1]) {
				t.Fatalf("cron(%s).last(%d) = %d, want %d", fields, c-start, got-start, on[i-1]-start)
			}
		}
	}
}
