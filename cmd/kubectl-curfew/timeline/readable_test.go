package timeline

import (
	"strings"
	"testing"
)

func TestReadable(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain":      {`annotation curfew/windows: "8-20": it's`, `annotation curfew/windows: "8-20": it's`},
		"letters":    {"Größe 日本 שלום", "Größe 日本 שלום"},
		"control":    {"a\x1b[31m\x00\n\tb", `a\x1b[31m\x00\n\tb`},
		"direction":  {"a\u202eb\u2066c\u200b", `a\u202eb\u2066c\u200b`},
		"not UTF-8":  {"a\xffb", "a\ufffdb"},
		"long":       {strings.Repeat("ä", 601), strings.Repeat("ä", 600) + "…"},
		"just fits":  {strings.Repeat("ä", 600), strings.Repeat("ä", 600)},
		"line marks": {"a\u2028b\u0085c", `a\u2028b\u0085c`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := readable(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
