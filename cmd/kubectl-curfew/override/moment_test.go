package override

import (
	"testing"
	"time"

	"curfew/timewindow"
)

// friday is a Friday evening with a part of a second, 19:30 in Berlin.
var friday = time.Date(2026, 6, 5, 17, 30, 12, 345, time.UTC)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := timewindow.LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestFor(t *testing.T) {
	for name, c := range map[string]struct{ text, want, fault string }{
		"hours":               {"2h", "2026-06-05T21:30:13+02:00", ""},
		"minutes":             {"90m", "2026-06-05T21:00:13+02:00", ""},
		"mixed":               {"1h30m10s", "2026-06-05T21:00:23+02:00", ""},
		"days":                {"3d", "2026-06-08T19:30:13+02:00", ""},
		"days and hours":      {"1d12h", "2026-06-07T07:30:13+02:00", ""},
		"fractions":           {"1.5h", "2026-06-05T21:00:13+02:00", ""},
		"no days":             {"0d2h", "2026-06-05T21:30:13+02:00", ""},
		"a moment":            {"1ms", "2026-06-05T19:30:13+02:00", ""},
		"over a clock change": {"180d", "2026-12-02T18:30:13+01:00", ""},
		"a year":              {"366d", "2027-06-06T19:30:13+02:00", ""},

		"nothing":         {"", "", `"" is not a duration; write days, hours, minutes and seconds, such as 2h, 90m or 1d12h`},
		"no unit":         {"2", "", `"2" has no unit; write 2h for hours or 2m for minutes`},
		"words":           {"two hours", "", `"two hours" is not a duration; write days, hours, minutes and seconds, such as 2h, 90m or 1d12h`},
		"weeks":           {"1w", "", `"1w" is not a duration; write days, hours, minutes and seconds, such as 2h, 90m or 1d12h`},
		"a blank":         {"1d 2h", "", `"1d 2h" is not a duration; write days, hours, minutes and seconds, such as 2h, 90m or 1d12h`},
		"a control":       {"2\x1bh", "", `"2\x1bh" is not a duration; write days, hours, minutes and seconds, such as 2h, 90m or 1d12h`},
		"days at the end": {"2h1d", "", `"2h1d" is not a duration; write days, hours, minutes and seconds, such as 2h, 90m or 1d12h`},
		"days less hours": {"1d-2h", "", `"1d-2h" is not a duration; write days, hours, minutes and seconds, such as 2h, 90m or 1d12h`},
		"zero":            {"0s", "", `"0s" is over before it begins; write a duration above 0, such as 2h`},
		"zero days":       {"0d", "", `"0d" is over before it begins; write a duration above 0, such as 2h`},
		"negative":        {"-2h", "", `"-2h" is over before it begins; write a duration above 0, such as 2h`},
		"too long":        {"9000h", "", `"9000h" is too long: an override lasts a year at most; for what lasts longer write a rule in curfew/windows`},
		"too many days":   {"367d", "", `"367d" is too long: an override lasts a year at most; for what lasts longer write a rule in curfew/windows`},
		"days beyond":     {"99999999999999999999d", "", `"99999999999999999999d" is too long: an override lasts a year at most; for what lasts longer write a rule in curfew/windows`},
		"days and beyond": {"366d1ns", "", `"366d1ns" is too long: an override lasts a year at most; for what lasts longer write a rule in curfew/windows`},
		"a time":          {"22:00", "", `"22:00" is a time; it goes behind the other flag: --until 22:00`},
		"a date and time": {"2026-06-05 22:00", "", `"2026-06-05 22:00" is a time; it goes behind the other flag: --until '2026-06-05 22:00'`},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := parseFor(c.text)
			checkEnd(t, e, err, friday, zone(t, "Europe/Berlin"), c.want, c.fault)
		})
	}
}

// checkEnd checks an end, written in its zone, or the fault in its text or its time.
func checkEnd(t *testing.T, e ending, err error, now time.Time, zone *time.Location, want, fault string) {
	t.Helper()
	var end time.Time
	if err == nil {
		end, err = e.at(now, zone)
	}
	switch {
	case err != nil && err.Error() != fault:
		t.Errorf("\n got %v\nwant %s", err, fault)
	case err == nil && fault != "":
		t.Errorf("%v, want %s", end, fault)
	case err == nil && end.Format(time.RFC3339Nano) != want:
		t.Errorf("%s, want %s", end.Format(time.RFC3339Nano), want)
	}
}

func TestUntil(t *testing.T) {
	const hint = "write 22:00 for the next such time, 2026-06-05 for the start of a day, 2026-06-05T22:00, or a time with its offset such as 2026-06-05T22:00:00+02:00"
	const noTime = ": a day has no such time; its times go from 00:00 to 23:59:59, and 24:00 is its end"
	for name, c := range map[string]struct{ text, want, fault string }{
		"later today":        {"22:00", "2026-06-05T22:00:00+02:00", ""},
		"with seconds":       {"22:00:30", "2026-06-05T22:00:30+02:00", ""},
		"tomorrow":           {"06:00", "2026-06-06T06:00:00+02:00", ""},
		"the coming second":  {"19:30:13", "2026-06-05T19:30:13+02:00", ""},
		"this second":        {"19:30:12", "2026-06-06T19:30:12+02:00", ""},
		"midnight":           {"00:00", "2026-06-06T00:00:00+02:00", ""},
		"the end of the day": {"24:00", "2026-06-06T00:00:00+02:00", ""},
		"the same in full":   {"24:00:00", "2026-06-06T00:00:00+02:00", ""},
		"noon":               {"12:00", "2026-06-06T12:00:00+02:00", ""},
		"a date":             {"2026-06-08", "2026-06-08T00:00:00+02:00", ""},
		"a date and time":    {"2026-06-08T07:00", "2026-06-08T07:00:00+02:00", ""},
		"with a blank":       {"2026-06-08 07:00:30", "2026-06-08T07:00:30+02:00", ""},
		"the end of a date":  {"2026-06-30T24:00", "2026-07-01T00:00:00+02:00", ""},
		"in winter":          {"2026-12-24T18:00", "2026-12-24T18:00:00+01:00", ""},
		"with an offset":     {"2026-06-05T22:00:00+02:00", "2026-06-05T22:00:00+02:00", ""},
		"in UTC":             {"2026-06-05T22:00:00Z", "2026-06-06T00:00:00+02:00", ""},
		"with a fraction":    {"2026-06-05T22:00:00.001Z", "2026-06-06T00:00:01+02:00", ""},
		"without seconds":    {"2026-06-05T22:00Z", "2026-06-06T00:00:00+02:00", ""},
		"an offset, a blank": {"2026-06-05 22:00+05:30", "2026-06-05T18:30:00+02:00", `--until: "2026-06-05 22:00+05:30" has passed: it was Fri 2026-06-05 18:30 CEST; choose a later time`},
		"a year on":          {"2027-06-05", "2027-06-05T00:00:00+02:00", ""},

		"nothing":             {"", "", `"" is not a time; ` + hint},
		"an hour":             {"22", "", `"22" is not a time; ` + hint},
		"as the English do":   {"10pm", "", `"10pm" is not a time; ` + hint},
		"a dot":               {"22.00", "", `"22.00" is not a time; ` + hint},
		"a word":              {"tomorrow", "", `"tomorrow" is not a time; ` + hint},
		"a zone":              {"22:00 CET", "", `"22:00 CET" is not a time; ` + hint},
		"as the Germans do":   {"5.6.2026", "", `"5.6.2026" is not a time; ` + hint},
		"a control character": {"22:00\x1b[31m", "", `"22:00\x1b[31m" is not a time; ` + hint},
		"a line break":        {"22:00\n", "", `"22:00\n" is not a time; ` + hint},
		"a fraction":          {"22:00:00.5", "", `"22:00:00.5" is not a time; ` + hint},
		"one digit":           {"8:00", "", `"8:00": a time has two digits for the hour; write 08:00`},
		"one digit on a date": {"2026-06-08T8:00", "", `"2026-06-08T8:00": a time has two digits for the hour; write 08:00`},
		"25 hours":            {"25:00", "", `"25:00"` + noTime},
		"60 minutes":          {"22:60", "", `"22:60"` + noTime},
		"60 seconds":          {"22:00:60", "", `"22:00:60"` + noTime},
		"after the day":       {"24:01", "", `"24:01"` + noTime},
		"a second after it":   {"24:00:01", "", `"24:00:01"` + noTime},
		"no such date":        {"2026-06-31", "", `"2026-06-31": there is no such date`},
		"no such leap day":    {"2027-02-29T12:00", "", `"2027-02-29T12:00": there is no such date`},
		"a duration":          {"2h", "", `"2h" is a duration; it goes behind the other flag: --for 2h`},
		"days":                {"2d", "", `"2d" is a duration; it goes behind the other flag: --for 2d`},
		"past":                {"2026-06-05T19:30", "", `--until: "2026-06-05T19:30" has passed: it was Fri 2026-06-05 19:30 CEST; choose a later time`},
		"now":                 {"2026-06-05T19:30:12", "", `--until: "2026-06-05T19:30:12" has passed: it was Fri 2026-06-05 19:30:12 CEST; choose a later time`},
		"today":               {"2026-06-05", "", `--until: "2026-06-05" has passed: it was Fri 2026-06-05 00:00 CEST; choose a later time, or 2026-06-05T24:00 for the end of that day`},
		"too far":             {"2028-01-01", "", `--until: "2028-01-01" is too far ahead, Sat 2028-01-01 00:00 CET: an override lasts a year at most; for what lasts longer write a rule in curfew/windows`},
		"beyond all dates":    {"2999-01-01", "", `"2999-01-01": the year is out of reach; years run from 1970 to 2199`},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := parseUntil(c.text)
			checkEnd(t, e, err, friday, zone(t, "Europe/Berlin"), c.want, c.fault)
		})
	}
}

// TestUntilNow: what ends this very second has passed.
func TestUntilNow(t *testing.T) {
	now := friday.Truncate(time.Second)
	e, err := parseUntil("2026-06-05T17:30:12Z")
	checkEnd(t, e, err, now, time.UTC, "", `--until: "2026-06-05T17:30:12Z" has passed: it was Fri 2026-06-05 17:30:12 UTC; choose a later time`)
	checkEnd(t, e, err, now.Add(-1), time.UTC, "2026-06-05T17:30:12Z", "")
}

// TestUntilWhenClocksChange: a time happens when rules say it does.
func TestUntilWhenClocksChange(t *testing.T) {
	for name, c := range map[string]struct{ zone, now, text, want string }{
		"skipped":                     {"Europe/Berlin", "2026-03-28T20:00:00Z", "02:30", "2026-03-29T03:00:00+02:00"},
		"skipped, on its date":        {"Europe/Berlin", "2026-03-28T20:00:00Z", "2026-03-29T02:30", "2026-03-29T03:00:00+02:00"},
		"repeated":                    {"Europe/Berlin", "2026-10-24T20:00:00Z", "02:30", "2026-10-25T02:30:00+02:00"},
		"repeated, on its date":       {"Europe/Berlin", "2026-10-24T20:00:00Z", "2026-10-25T02:30", "2026-10-25T02:30:00+02:00"},
		"in the first pass":           {"Europe/Berlin", "2026-10-25T00:10:00Z", "02:30", "2026-10-25T02:30:00+02:00"},
		"between the passes":          {"Europe/Berlin", "2026-10-25T00:40:00Z", "02:30", "2026-10-26T02:30:00+01:00"},
		"in the second pass":          {"Europe/Berlin", "2026-10-25T01:10:00Z", "02:30", "2026-10-26T02:30:00+01:00"},
		"after both":                  {"Europe/Berlin", "2026-10-25T01:10:00Z", "03:00", "2026-10-25T03:00:00+01:00"},
		"midnight skipped":            {"Africa/Cairo", "2026-04-23T18:00:00Z", "00:00", "2026-04-24T01:00:00+03:00"},
		"the end of the day skipped":  {"Africa/Cairo", "2026-04-23T18:00:00Z", "24:00", "2026-04-24T01:00:00+03:00"},
		"a date without a midnight":   {"Africa/Cairo", "2026-04-20T18:00:00Z", "2026-04-24", "2026-04-24T01:00:00+03:00"},
		"the end of the date before":  {"Africa/Cairo", "2026-04-20T18:00:00Z", "2026-04-23T24:00", "2026-04-24T01:00:00+03:00"},
		"midnight twice":              {"Africa/Cairo", "2026-10-29T18:00:00Z", "24:00", "2026-10-30T00:00:00+02:00"},
		"half an hour skipped":        {"Australia/Lord_Howe", "2026-10-03T10:00:00Z", "02:15", "2026-10-04T02:30:00+11:00"},
		"half an hour repeated":       {"Australia/Lord_Howe", "2026-04-04T10:00:00Z", "01:45", "2026-04-05T01:45:00+11:00"},
		"the day's last hour skipped": {"America/Nuuk", "2026-03-28T20:00:00Z", "23:30", "2026-03-29T00:00:00-01:00"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := parseUntil(c.text)
			checkEnd(t, e, err, instant(t, c.now), zone(t, c.zone), c.want, "")
		})
	}
}

// FuzzEnding: whatever is typed, there is an end after now within a year and two days, at a whole second, or an error.
func FuzzEnding(f *testing.F) {
	for _, text := range []string{"2h", "1d12h", "366d", "22:00", "22:00:30", "24:00", "2026-06-08", "2026-06-08T07:00", "2026-06-08 24:00", "2026-06-05T22:00:00.5+02:00", "-1h", "1d-1h", "8:00", "2026-02-30"} {
		f.Add(text, friday.UnixNano())
	}
	zones := []*time.Location{time.UTC, zone(f, "Europe/Berlin"), zone(f, "Africa/Cairo"), zone(f, "Australia/Lord_Howe"), zone(f, "America/Nuuk")}
	f.Fuzz(func(t *testing.T, text string, nanoseconds int64) {
		now := time.Unix(0, nanoseconds)
		if now.Year() < 1971 || now.Year() > 2190 {
			t.Skip()
		}
		for _, parse := range []func(string) (ending, error){parseFor, parseUntil} {
			e, err := parse(text)
			if err != nil {
				continue
			}
			for _, z := range zones {
				end, err := e.at(now, z)
				if err == nil && (!end.After(now) || end.Sub(now) > 368*24*time.Hour || end.Nanosecond() != 0) {
					t.Errorf("%q at %v in %v ends at %v", text, now, z, end)
				}
				if err != nil && e.date == "" && e.instant.IsZero() {
					t.Errorf("%q at %v in %v: %v", text, now, z, err) // it needs no calendar, so it always comes
				}
			}
		}
	})
}
