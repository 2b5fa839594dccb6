package timewindow

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"
)

// seeds are the rules of the other tests, good ones and bad ones.
func seeds(f *testing.F) []string {
	f.Helper()
	data, err := os.ReadFile("testdata/windows.json")
	if err != nil {
		f.Fatal(err)
	}
	var cases []struct{ Windows string }
	if err := json.Unmarshal(data, &cases); err != nil {
		f.Fatal(err)
	}
	var all []string
	for _, c := range cases {
		all = append(all, c.Windows)
	}
	for _, c := range refused {
		all = append(all, c.rules)
	}
	return append(all,
		"# nights\nMon-Fri 20:00-06:00 America/New_York =0 # all\r\n\n12-24 = 50% of normal;  always = NORMAL",
		"02-29 = 0; Mon-Sat = normal; cron(*/5 8-18 1,15 jan-mar SUN) for 1h30m Asia/Tokyo = 12%",
		"Sun 23:59:59 - Sat 24:00 = 3; 2026-12-31 22:00-04:00 = 1; 12-24..01-06 00:00-12:00 = 2")
}

// FuzzParse reads any text at all. What is refused is refused with faults that have a place and can be printed; what is
// accepted says the same when it is printed and read again, and At and Next tell the same story about it.
func FuzzParse(f *testing.F) {
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", "Africa/Cairo"}
	for i, text := range seeds(f) {
		f.Add(text, uint8(i), int64(1_774_700_000+i*100_000))
	}
	f.Fuzz(func(t *testing.T, text string, zone uint8, at int64) {
		loc, err := LoadZone(zones[int(zone)%len(zones)])
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(text, loc)
		if err != nil {
			var faults Faults
			if !errors.As(err, &faults) || s != nil {
				t.Fatalf("%v, %v", s, err)
			}
			checkFaults(t, text, faults)
			return
		}
		for _, w := range s.Warnings() {
			checkPrintable(t, w.String())
		}
		again, err := Parse(s.String(), loc)
		if err != nil {
			t.Fatalf("%q is printed as %q, which is refused: %v", text, s, err)
		}
		if again.String() != s.String() || len(again.Rules()) != len(s.Rules()) {
			t.Fatalf("%q is printed as %q, and that as %q", text, s, again)
		}
		now := time.Unix(floorMod(at, 6_000_000_000), 0) // to 2160
		for range 3 {
			next, ok, looks := s.next(now.Unix())
			if looks > 2*maxLooks {
				t.Fatalf("%d looks", looks)
			}
			if next2, ok2, _ := again.next(now.Unix()); next2 != next || ok2 != ok || again.At(now) != s.At(now) {
				t.Fatalf("%q and %q differ at %s", text, again, now)
			}
			size, end := s.At(now).Size, time.Unix(next, 0)
			if !s.Steady(now).Equal(end) || !end.After(now) || !ok && looks <= maxLooks && end.Before(now.AddDate(40, 0, 0)) {
				t.Fatalf("%q: steady from %s to %s", text, now, s.Steady(now))
			}
			checkConstant(t, s, now, end, size)
			if !ok {
				break
			}
			if !end.After(now) || s.At(end).Size == size {
				t.Fatalf("%q: the size is %s at %s and does not change at %s", text, size, now, end)
			}
			now = end
		}
	})
}

// checkConstant samples the sizes in [from, end).
func checkConstant(t *testing.T, s *Schedule, from, end time.Time, size Size) {
	t.Helper()
	n := end.Unix() - from.Unix()
	for _, after := range []int64{0, 1, 59, 60, 3600, n / 7, n / 3, n / 2, n - 60, n - 1} {
		if after < 0 || after >= n {
			continue
		}
		if at := from.Add(time.Duration(after) * time.Second); s.At(at).Size != size {
			t.Fatalf("%q: the size is %s at %s and %s at %s, with no change before %s", s, size, from, s.At(at).Size, at, end)
		}
	}
}

// FuzzParseSize reads any size.
func FuzzParseSize(f *testing.F) {
	for _, text := range []string{"0", "007", "3", " 50% ", "50 % of Normal", "normal", "-1", "1000001", "1001%", "1.5", "12..40", "3 .. 2", "1-2", "1..", "", "\x00", "\uff10"} {
		f.Add(text, int32(3))
	}
	f.Fuzz(func(t *testing.T, text string, normal int32) {
		s, err := ParseSize(text)
		if err != nil {
			var faults Faults
			if !errors.As(err, &faults) || s != Normal {
				t.Fatalf("%v, %v", s, err)
			}
			for _, line := range []string{faults.Error(), faults[0].Problem, faults[0].Hint} {
				checkPrintable(t, line)
			}
			return
		}
		if again, err := ParseSize(s.String()); err != nil || again != s {
			t.Fatalf("%q is printed as %q, which is %v, %v", text, s, again, err)
		}
		if high, ok := s.High(); ok && high < s.Of(normal) {
			t.Fatalf("%s ends below its start", s)
		}
		if n := s.Of(normal); normal >= 0 && n < 0 {
			t.Fatalf("%s of %d is %d", s, normal, n)
		}
	})
}

// FuzzLoadZone reads any name.
func FuzzLoadZone(f *testing.F) {
	for _, name := range []string{"", "UTC", "Europe/Berlin", "europe/berlin", "Local", "PST", "CEST", "TZ=Europe/Rome", "TZ=0", "../UTC", "Berlin\x00", "Europe/Berln"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		loc, err := LoadZone(name)
		if err != nil {
			checkPrintable(t, err.Error())
			return
		}
		if again, err := LoadZone(name); err != nil || again != loc || loc.String() != name {
			t.Fatalf("%q is %v, then %v, %v", name, loc, again, err)
		}
	})
}

// FuzzCron reads any fields. What is accepted has occurrences, and looking ahead and looking back find the same ones.
func FuzzCron(f *testing.F) {
	for _, fields := range []string{"* * * * *", "0 0 29 2 *", "*/7 */5 */3 */2 *", "0 0 1-7 * 3", "0 0 * * 5-7", "0 0 * * SUN-sun", "10/20 22/1 20/5 11/1 4/1", "0 0 31 2 *", ", * * * *", "*-5 ?-1 * * *", "0 0 * * 1-7/99999999999999999999", "TZ=UTC 0 0 * * *", "@every 1h", "0 0 0 8 * *"} {
		f.Add(fields, int64(1_774_700_000))
	}
	f.Fuzz(func(t *testing.T, fields string, at int64) {
		cron, bad := parseCron(fields)
		if bad != nil {
			checkPrintable(t, bad.problem)
			checkPrintable(t, bad.hint)
			if bad.at > len(fields) {
				t.Fatalf("%q: a fault at %d", fields, bad.at)
			}
			return
		}
		checkPrintable(t, cron.text)
		c := civil(floorMod(at, 6_000_000_000))
		for range 3 {
			next, ok := cron.next(c)
			if !ok || next <= c || next%minute != 0 {
				t.Fatalf("%q: after %d comes %d, %v", fields, c, next, ok)
			}
			if last, ok := cron.last(next); !ok || last != next {
				t.Fatalf("%q: the last up to %d is %d, %v", fields, next, last, ok)
			}
			if last, ok := cron.last(next - 1); ok && last > c {
				t.Fatalf("%q: %d lies between %d and %d", fields, last, c, next)
			}
			c = next
		}
	})
}
