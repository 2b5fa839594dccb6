package annotation

import (
	"strings"
	"testing"
)

// TestLookAlikes: a character that looks like a plain one is named, whatever the annotation.
func TestLookAlikes(t *testing.T) {
	for key, text := range map[string]string{
		Windows: "\u0430lways = 0", Timezone: "Europ\u0435/Berlin", Replicas: "\uff13", Remembered: "\u0663", Paused: "tru\u0435",
		Grace: "\uff11h", Wave: "\uff11", Lead: "1\uff4d", Spread: "1\uff4d", OverrideKey: "\uff13 until 2026-06-05T20:00:00Z",
	} {
		_, problems := Parse(map[string]string{Windows: "always = 0", key: text}, nil)
		if len(problems) != 1 || !strings.Contains(problems.Summary(), "is not a plain character") {
			t.Errorf("%s: %q", key, problems.Summary())
		}
	}
}
