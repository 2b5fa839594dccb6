package annotation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"curfew/timewindow"
)

// TestBounded: of what is remembered of an object the same is understood, or not understood, as of all of it.
func TestBounded(t *testing.T) {
	blanks := strings.Repeat(" ", 200<<10)
	strange := map[string]string{}
	for i := range 4000 {
		strange[fmt.Sprintf("curfew/%04d", i)+strings.Repeat("x", 50)] = "1"
	}
	for name, all := range map[string]map[string]string{
		"nothing":                    nil,
		"nothing of ours":            {"x": blanks},
		"short":                      {Windows: "always = 0", Replicas: "3", "x": "y"},
		"rules as long as they may":  {Windows: "always = 0" + blanks[:timewindow.MaxText-10]},
		"rules too long":             {Windows: "always = 0" + blanks[:timewindow.MaxText-9]},
		"a mistake far behind":       {Windows: "always = 0" + blanks + "x"},
		"far too many rules":         {Windows: strings.Repeat("always = 0\n", 20_000)},
		"a size and a mistake":       {Windows: "always = 0", Replicas: "3" + blanks + "x"},
		"a size far behind":          {Windows: "always = 0", Replicas: blanks + "3x"},
		"a zone and a mistake":       {Windows: "always = 0", Timezone: "Europe/Berlin" + blanks + "x"},
		"paused, and a mistake":      {Windows: "always = 0", Paused: "true" + blanks + "x"},
		"an override, and a mistake": {Windows: "always = 0", OverrideKey: "3 until 2026-06-05T20:00:00Z" + blanks + "x"},
		"a memory and a mistake":     {Windows: "always = 0", Remembered: "3" + blanks + "x"},
		"an unknown key":             {Windows: "always = 0", "curfew/window": blanks},
		"unknown keys":               strange,
		"a status":                   {Windows: "always = 0", StatusKey: `{"state":"window","rule":"always = 0"}` + blanks[:1000]},
		"a status with a long rule":  {Windows: "always = 0", StatusKey: `{"state":"window","rule":"` + strings.Repeat("Sat,", timewindow.MaxText/4) + `"}`},
		"letters of many bytes":      {Windows: strings.Repeat("ä", 100<<10), Grace: strings.Repeat("€", 1000)},
	} {
		t.Run(name, func(t *testing.T) {
			size, bounded := 0, Bounded(all)
			for key, value := range bounded {
				size += len(key) + len(value)
			}
			if size > longestText+longestStatus+16<<10 {
				t.Errorf("%d bytes are kept", size)
			}
			was, wrong := Parse(all, time.UTC)
			is, stillWrong := Parse(bounded, time.UTC)
			if wrong.Grave() != stillWrong.Grave() || len(wrong) > 0 != (len(stillWrong) > 0) || was.Paused != is.Paused || (was.Schedule == nil) != (is.Schedule == nil) {
				t.Errorf("it meant %+v, %.300v, and means %+v, %.300v", was, wrong, is, stillWrong)
			}
			if before, after := ParseStatus(all[StatusKey]), ParseStatus(bounded[StatusKey]); before.String() != after.String() {
				t.Errorf("the status was %.100s and is %.100s", before, after)
			}
			for key := range all {
				if _, ok := bounded[key]; strings.HasPrefix(key, "curfew/") && !ok && len(all) < mostUnknown {
					t.Errorf("%s is gone", key)
				}
			}
		})
	}
}
