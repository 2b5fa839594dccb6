package bench

import (
	"slices"
	"testing"
)

func TestRank(t *testing.T) {
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = i + 1
	}
	for name, c := range map[string]struct {
		values  []int
		percent int
		want    int
	}{
		"the middle":               {hundred, 50, 50},
		"the 99th of a hundred":    {hundred, 99, 99},
		"the 99th of fifty":        {hundred[:50], 99, 50},
		"the last":                 {hundred, 100, 100},
		"of one":                   {hundred[:1], 50, 1},
		"the lower of two":         {hundred[:2], 50, 1},
		"of none there is not any": {nil, 50, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rank(c.values, c.percent); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 0.0123456: "0.0123", 0.9996: "1.00", 1: "1.00", 12.345: "12.3", 187.2: "187", 18723: "18700", -2.5: "-2.50",
	} {
		if got := number(value); got != want {
			t.Errorf("%v: got %s, want %s", value, got, want)
		}
	}
}

// TestWrong: what is not as it must be is told from what is only slow.
func TestWrong(t *testing.T) {
	var r Result
	r.figure(10, "slow", 7, "ms", "").atMost(5)
	r.figure(10, "fast", 3, "ms", "").atMost(5)
	r.figure(10, "little", 0.5, "", "").atLeast(0.9)
	r.figure(10, "extra writes", 2, "", "").mustBe(0)
	r.figure(10, "conflicts", 0, "", "").mustBe(0)
	want := []string{"10 objects: extra writes is 2.00, not 0"}
	if got := r.wrong(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for i, ok := range []bool{false, true, false, false, true} {
		if *r.Figures[i].OK != ok {
			t.Errorf("%s: ok is %v", r.Figures[i].Name, !ok)
		}
	}
}

func TestWorst(t *testing.T) {
	output := []byte("goos: linux\nBenchmarkAt/weekday-2 \t 100\t 41.5 ns/op\t 0 B/op\t 0 allocs/op\nBenchmarkAt/weekend-2 \t 100\t 77 ns/op\t 16 B/op\t 1 allocs/op\nBenchmarkNext/weekday-2 \t 100\t 500 ns/op\t 0 B/op\t 0 allocs/op\nPASS\n")
	if got := worst(output, "BenchmarkAt/"); got["ns/op"] != 77 || got["allocs/op"] != 1 {
		t.Errorf("%v", got)
	}
}

// TestChange: the bare client's patch says what Curfew's does, and no more.
func TestChange(t *testing.T) {
	was := object{version: "7", uid: "u", size: 3, curfew: map[string]string{"status": "normal", "kept": "same"}}
	is := object{size: 0, curfew: map[string]string{"status": "window", "kept": "same", "remembered": "3"}}
	text := func(m any) map[string]*string {
		return m.(map[string]any)["metadata"].(map[string]any)["annotations"].(map[string]*string)
	}
	down := text(was.change(is))
	if len(down) != 2 || *down["status"] != "window" || *down["remembered"] != "3" {
		t.Errorf("down: %v", down)
	}
	up := text(is.change(was))
	if len(up) != 2 || *up["status"] != "normal" || up["remembered"] != nil {
		t.Errorf("up: %v", up)
	}
	if _, ok := up["remembered"]; !ok {
		t.Error("what was remembered is not removed")
	}
}
