package annotation

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"k8s.io/utils/ptr"
)

func TestParse(t *testing.T) {
	spec, problems := Parse(map[string]string{
		Windows: "Mon-Fri 20:00-06:00 = 0", Timezone: " Europe/Berlin ", Replicas: "3", Remembered: "0",
		"other/windows": "not ours", "curfew": "not ours",
	}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if spec.Zone.String() != "Europe/Berlin" || *spec.Replicas != 3 || *spec.Remembered != 0 || spec.OptedOut {
		t.Errorf("%+v", spec)
	}
	monday := time.Date(2026, 6, 1, 18, 0, 0, 0, time.UTC) // 20:00 in Berlin
	if got := spec.Schedule.At(monday).Size.String(); got != "0" {
		t.Errorf("the rules are not read in the object's zone: %v", got)
	}
}

func TestRangeAndFloor(t *testing.T) {
	spec, problems := Parse(map[string]string{Replicas: "3..10", Remembered: " 2..2 ", HPA: Floor}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if *spec.Replicas != 3 || *spec.Ceiling.Replicas != 10 || *spec.Remembered != 2 || *spec.Ceiling.Remembered != 2 || !spec.Floor {
		t.Errorf("%+v, %+v", spec, spec.Ceiling)
	}
	if problems := ParseNamespace(map[string]string{HPA: Floor}); len(problems) != 1 || !strings.Contains(problems.Error(), "nothing on a Namespace") {
		t.Errorf("on a Namespace: %v", problems)
	}
}

func TestDefaultZone(t *testing.T) {
	tokyo, _ := time.LoadLocation("Asia/Tokyo")
	for zone, want := range map[*time.Location]string{nil: "UTC", tokyo: "Asia/Tokyo"} {
		if spec, _ := Parse(map[string]string{Windows: "always = 0"}, zone); spec.Zone.String() != want {
			t.Errorf("zone %v, want %v", spec.Zone, want)
		}
	}
}

func TestOptOut(t *testing.T) {
	for _, text := range []string{"none", " None\n"} {
		spec, problems := Parse(map[string]string{Windows: text}, nil)
		if !spec.OptedOut || spec.Schedule != nil || len(problems) > 0 {
			t.Errorf("%q: %+v %v", text, spec, problems)
		}
	}
}

func TestProblemsNameTheAnnotationTheTextAndTheCure(t *testing.T) {
	for name, c := range map[string]struct {
		annotations map[string]string
		want        []string
	}{
		"rule":                {map[string]string{Windows: "always = 0\nMon-Fri 8-20 = 1"}, []string{"curfew/windows", "line 2, column 9", `"8-20"`, "write 08:00-20:00"}},
		"zone":                {map[string]string{Timezone: "CEST"}, []string{"curfew/timezone", `"CEST"`, "Europe/Berlin"}},
		"empty zone":          {map[string]string{Timezone: ""}, []string{"curfew/timezone", "empty"}},
		"replicas":            {map[string]string{Replicas: "3.5"}, []string{"curfew/replicas", `"3.5"`, "write the normal number"}},
		"huge replicas":       {map[string]string{Replicas: "4294967297"}, []string{"curfew/replicas", "1000000"}},
		"range upside down":   {map[string]string{Replicas: "10..3"}, []string{"curfew/replicas", `"10..3"`, "a range of numbers"}},
		"range to 0":          {map[string]string{Remembered: "0..0"}, []string{"curfew/remembered-replicas", `"0..0"`, "remove the annotation"}},
		"range without end":   {map[string]string{Replicas: "3.."}, []string{"curfew/replicas", `"3.."`, "a range of numbers"}},
		"autoscaler":          {map[string]string{HPA: "min"}, []string{"curfew/hpa", `"min" is not "floor"`, "remove the annotation"}},
		"memory":              {map[string]string{Remembered: "x"}, []string{"curfew/remembered-replicas", "remove the annotation"}},
		"near key":            {map[string]string{"curfew/window": "always = 0"}, []string{"curfew/window:", "did you mean curfew/windows?"}},
		"near key, time zone": {map[string]string{"curfew/time-zone": "UTC"}, []string{"did you mean curfew/timezone?"}},
		"far key":             {map[string]string{"curfew/zzz": ""}, []string{"curfew/zzz", "remove it"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Parse(c.annotations, nil)
			if len(problems) != 1 {
				t.Fatalf("%d problems: %v", len(problems), problems)
			}
			for _, want := range c.want {
				if !strings.Contains(problems.Error(), want) {
					t.Errorf("%q does not say %q", problems.Error(), want)
				}
			}
		})
	}
}

// TestFaultsAreProblemsInParts: what a Problem says in one line, its Fault says in parts, with the place where there is one.
func TestFaultsAreProblemsInParts(t *testing.T) {
	for name, c := range map[string]struct {
		key, value   string
		line, column int
		text         string
	}{
		"rule":                 {Windows, "always = 0\n Mon 8-20 = 1", 2, 6, "8-20"},
		"zone":                 {Timezone, "CEST", 0, 0, "CEST"},
		"replicas":             {Replicas, "three", 0, 0, ""},
		"grace":                {Grace, "soon", 0, 0, ""},
		"wave":                 {Wave, "-1", 0, 0, ""},
		"wave too high":        {Wave, "1001", 0, 0, ""},
		"lead":                 {Lead, "15", 0, 0, ""},
		"lead below 0":         {Lead, "-1m", 0, 0, ""},
		"lead above a day":     {Lead, "25h", 0, 0, ""},
		"spread":               {Spread, "1500ms", 0, 0, ""},
		"paused":               {Paused, "yes", 0, 0, ""},
		"override without end": {OverrideKey, "3", 0, 0, ""},
		"override's size":      {OverrideKey, " many until 2026-06-05T20:00:00Z", 1, 2, "many"},
		"override's end":       {OverrideKey, "ä until  tomorrow ", 1, 1, "ä"},
		"override's only end":  {OverrideKey, "3 until  tomorrow ", 1, 10, "tomorrow"},
		"unknown key":          {"curfew/window", "", 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Parse(map[string]string{c.key: c.value}, nil)
			if len(problems) != 1 {
				t.Fatal(problems)
			}
			p := problems[0]
			if f := p.Fault; f.Line != c.line || f.Column != c.column || f.Text != c.text {
				t.Errorf("%+v", f)
			}
			if p.Fault.Hint == "" || p.Fault.Problem == "" || !strings.HasSuffix(p.Detail, "; "+p.Fault.Hint) {
				t.Errorf("%q is not in the parts %+v", p.Detail, p.Fault)
			}
		})
	}
}

// TestMoved: wave, lead and spread, the workload's own before its Namespace's.
func TestMoved(t *testing.T) {
	ns := map[string]string{Wave: "3", Lead: "15m", Spread: " 10m "}
	for name, c := range map[string]struct {
		namespace, own map[string]string
		wave           *int32
		lead, spread   time.Duration
	}{
		"none":            {},
		"own":             {nil, map[string]string{Wave: " 0 ", Lead: "1h30m", Spread: "24h"}, ptr.To[int32](0), 90 * time.Minute, 24 * time.Hour},
		"the Namespace's": {ns, nil, ptr.To[int32](3), 15 * time.Minute, 10 * time.Minute},
		"own is nearer":   {ns, map[string]string{Wave: "1", Lead: "0", Spread: "0s"}, ptr.To[int32](1), 0, 0},
		"each for itself": {ns, map[string]string{Lead: "1m"}, ptr.To[int32](3), time.Minute, 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			spec, problems := ParseIn(c.namespace, c.own, nil)
			if len(problems) > 0 || !ptr.Equal(spec.Wave, c.wave) || spec.Lead != c.lead || spec.Spread != c.spread {
				t.Errorf("%v, wave %v, lead %v, spread %v", problems, ptr.Deref(spec.Wave, -1), spec.Lead, spec.Spread)
			}
		})
	}
}

func TestAllProblemsAreFound(t *testing.T) {
	_, problems := Parse(map[string]string{Windows: "x; y", Timezone: "PST", Replicas: "x", "curfew/x": ""}, nil)
	if len(problems) != 5 {
		t.Errorf("%d problems: %v", len(problems), problems)
	}
	if got := problems.Summary(); !strings.HasSuffix(got, "(and 4 more)") {
		t.Error(got)
	}
}

func TestSummaryIsShort(t *testing.T) {
	_, problems := Parse(map[string]string{"curfew/" + strings.Repeat("é", 5000): "", "curfew/b": ""}, nil)
	if got := problems.Summary(); len(got) > 600 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestOnly(t *testing.T) {
	all := map[string]string{Windows: "a", "x": "b"}
	if got := Only(all); len(got) != 1 || got[Windows] != "a" || len(all) != 2 {
		t.Error(got, all)
	}
	if Only(map[string]string{"x": "b"}) != nil || Only(nil) != nil {
		t.Error("no annotations of ours should be nil")
	}
}

func TestStatusReadsBack(t *testing.T) {
	berlin, _ := time.LoadLocation("Europe/Berlin")
	s := Status{State: StateWindow, Size: ptr.To[int32](0), Normal: ptr.To[int32](3), Rule: "Sat,Sun = 0 & <more>",
		Until: time.Date(2026, 6, 8, 0, 0, 0, 0, berlin)}
	const want = `{"state":"window","size":0,"normal":3,"rule":"Sat,Sun = 0 & <more>","until":"2026-06-08T00:00:00+02:00"}`
	if s.String() != want {
		t.Errorf("got %s\nwant %s", s, want)
	}
	if got := ParseStatus(want).String(); got != want {
		t.Errorf("read back: %s", got)
	}
	if got := (Status{}).String(); got != "" {
		t.Errorf("no status is %q", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Mon-Fri 20:00-06:00 = 0", "Europe/Berlin", "3", "0", "curfew/window")
	f.Add("none", "", "-1", "x", "curfew/\x00")
	f.Fuzz(func(t *testing.T, windows, zone, replicas, remembered, key string) {
		spec, problems := Parse(map[string]string{Windows: windows, Timezone: zone, Replicas: replicas, Remembered: remembered, key: "x"}, nil)
		if spec.Zone == nil {
			t.Error("no zone")
		}
		if len(problems) == 0 && !spec.OptedOut && spec.Schedule == nil {
			t.Error("neither a schedule nor a problem")
		}
		for _, r := range problems.Summary() {
			if !unicode.IsPrint(r) {
				t.Errorf("%q does not print: %+q", r, problems.Summary())
			}
		}
	})
}

func FuzzParseStatus(f *testing.F) {
	f.Add(`{"state":"window","size":0,"normal":3,"rule":"Sat,Sun = 0","until":"2026-06-08T00:00:00+02:00"}`)
	f.Add(`{"until":"9999-12-31T23:59:59.999999999-23:59"}`)
	f.Add(`{"until":"0001-01-01T00:00:00+00:00"}`)
	f.Add(`{"until":"0000-12-31T23:00:00-01:00"}`)
	f.Fuzz(func(t *testing.T, text string) {
		once := ParseStatus(text).String()
		if again := ParseStatus(once).String(); again != once {
			t.Errorf("%q becomes %q, and then %q", text, once, again)
		}
	})
}
