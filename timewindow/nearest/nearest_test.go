package nearest

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	keys := []string{"curfew/windows", "curfew/timezone", "curfew/replicas", "curfew/paused"}
	long := strings.Repeat("x", longest)
	for _, c := range []struct {
		name, word string
		candidates []string
		want       string
	}{
		{"a letter left out", "curfew/window", keys, "curfew/windows"},
		{"a letter too many", "curfew/replicass", keys, "curfew/replicas"},
		{"a wrong letter", "curfew/timesone", keys, "curfew/timezone"},
		{"two wrong letters", "curfew/taimesone", keys, "curfew/timezone"},
		{"three are too many", "curfew/taimesohe", keys, ""},
		{"another case", "CURFEW/Paused", keys, "curfew/paused"},
		{"the word itself", "curfew/paused", keys, "curfew/paused"},
		{"nothing like it", "example.com/owner", keys, ""},
		{"a short word allows one edit", "Mo", []string{"Mon"}, ""},
		{"of three letters", "Mox", []string{"Mon"}, "Mon"},
		{"but not two", "Mxx", []string{"Mon"}, ""},
		{"the nearest wins", "abcdef", []string{"abcdxy", "abcdex"}, "abcdex"},
		{"of equals the first", "abcdef", []string{"abcdex", "abcdey"}, "abcdex"},
		{"nothing", "", keys, ""},
		{"no candidates", "curfew/paused", nil, ""},
		{"as long as it may be", long, []string{long}, long},
		{"too long to look at", long + "x", []string{long}, ""},
		{"a candidate too long to look at", long, []string{long + "x"}, ""},
		{"no plain characters", "\u043f\u0430\u0443\u0437\u0430", keys, ""},
	} {
		if got := Of(c.word, c.candidates); got != c.want {
			t.Errorf("%s: Of(%q) = %q, want %q", c.name, c.word, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1},
		{"kitten", "sitting", 3}, {"ab", "ba", 2}, {"flaw", "lawn", 2}, {"aaaa", "a", 3},
	} {
		if got := distance(c.a, c.b, 9); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a, 9); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
		for enough := range 5 { // it may give up, but never on what is near enough
			if got := distance(c.a, c.b, enough); got < enough && got != c.want || got >= enough && c.want < enough {
				t.Errorf("distance(%q, %q, %d) = %d, want %d or so", c.a, c.b, enough, got, c.want)
			}
		}
	}
}
