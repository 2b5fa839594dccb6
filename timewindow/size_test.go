package timewindow

import (
	"math"
	"testing"
	"time"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": Replicas(0), "3": Replicas(3), "007": Replicas(7), " 12\t": Replicas(12), "1000000": Replicas(MaxReplicas),
		"0%": Percent(0), "50%": Percent(50), "50 %": Percent(50), "50% of normal": Percent(50), "1000%": Percent(MaxPercent),
		"normal": Normal, "NORMAL": Normal,
		"12..40": Range(12, 40), " 0 .. 1\t": Range(0, 1), "3..3": Range(3, 3), "1..1000000": Range(1, MaxReplicas),
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestSizeOf(t *testing.T) {
	for _, c := range []struct {
		size         Size
		normal, want int32
	}{
		{Normal, 3, 3}, {Size{}, 0, 0}, {Replicas(0), 3, 0}, {Replicas(7), 3, 7},
		{Percent(50), 4, 2}, {Percent(50), 3, 2}, {Percent(1), 1, 1}, {Percent(1), 0, 0}, {Percent(0), 9, 0}, {Percent(100), 9, 9},
		{Range(2, 7), 3, 2}, {Range(0, 7), 3, 0}, {Percent(33), 100, 33}, {Percent(34), 3, 2}, {Percent(150), 3, 5}, {Percent(1000), math.MaxInt32, math.MaxInt32},
	} {
		if got := c.size.Of(c.normal); got != c.want {
			t.Errorf("%s of %d is %d, want %d", c.size, c.normal, got, c.want)
		}
	}
	if !Normal.IsNormal() || Replicas(0).IsNormal() || Percent(100).IsNormal() {
		t.Error("IsNormal is wrong about something")
	}
}

func TestResizedIsAsIfWrittenSo(t *testing.T) {
	on := func(s Size) Size {
		if s.Of(1) > 0 {
			return Normal
		}
		return s
	}
	for name, c := range map[string]struct{ text, want string }{
		"nothing to replace": {"Mon = normal; always = 0", "Mon = normal\nalways = 0"},
		"some":               {"Mon = 2; Tue = 50 %; always = 0", "Mon = normal\nTue = normal\nalways = 0"},
		"all":                {"always = 7", "always = normal"},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustParse(t, c.text, "UTC")
			before := s.String()
			got := s.Resized(on)
			if got.String() != c.want || s.String() != before || (got == s) != (before == c.want) {
				t.Errorf("got %q, and it was %q and is %q", got, before, s)
			}
			for i, r := range got.Rules() {
				if was := s.Rules()[i]; r.Text() != was.Text() || r.Line() != was.Line() || r.Column() != was.Column() {
					t.Errorf("%q was %q", r.Text(), was.Text())
				}
			}
			want := mustParse(t, c.want, "UTC")
			for at := mustTime(t, "2026-06-01T00:00:00Z"); at.Before(mustTime(t, "2026-06-08T00:00:00Z")); at = at.Add(time.Hour) {
				next, some := got.Next(at)
				if wantNext, wantSome := want.Next(at); got.At(at) != want.At(at) || !next.Equal(wantNext) || some != wantSome {
					t.Errorf("at %v: %+v, until %v", at, got.At(at), next)
				}
			}
		})
	}
}

func TestSizeFault(t *testing.T) {
	s := mustParse(t, "# a comment\n  Sat = 3;\tSun Europe/Berlin =  50 %  of normal # half\nMon=7", "UTC")
	for i, want := range []Fault{
		{2, 9, "3", "problem", "hint"},
		{2, 33, "50 % of normal", "problem", "hint"},
		{3, 5, "7", "problem", "hint"},
	} {
		if got := s.Rules()[i].SizeFault("problem", "hint"); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestSizeHigh(t *testing.T) {
	for size, want := range map[Size]int32{Normal: -1, Replicas(3): -1, Percent(50): -1, Range(3, 10): 10, Range(4, 4): 4, Range(0, 0): 0} {
		if high, ok := size.High(); ok != (want >= 0) || ok && high != want {
			t.Errorf("the upper end of %s is %d, %v", size, high, ok)
		}
	}
	if Range(3, 3) == Replicas(3) {
		t.Error("a range says something of the maximum, and a number does not")
	}
}
