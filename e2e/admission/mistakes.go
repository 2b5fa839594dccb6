package admission

import (
	"strings"

	"curfew/scaler/annotation"
)

// Keys are the annotations that the policy reads.
func Keys() []string {
	return []string{annotation.Windows, annotation.Timezone, annotation.Replicas, annotation.OverrideKey, annotation.Paused, annotation.Grace}
}

// Beyond is what gets past the policy among the mistakes that timewindow's tests know, by
// the reason: Curfew reports it, as it would without a policy.
func Beyond() map[string][]string {
	return map[string][]string{
		"a policy holds no list of zones": {"20:00-06:00 Europe/Berln = 0", "America/NewYork"},
		"it knows no clock changes":       {"2011-12-30 Pacific/Apia = 0", "2026-03-29 02:15-02:45 Europe/Berlin = 0"},
		"it reads cron's fields one by one, and names without their order": {
			"cron(0 0 31 2 *) for 1h = 0", "cron(  0 0 30 2 ?) for 1h = 0", "cron(0 0 * * fri-mon) for 1h = 0", "cron(0 0 * * *) to cron(0  0 * * 0-6/1) = 0"},
		"it does not add up times": {"Sun 00:00 - Sat 24:00 = 0", "cron(0 0 * * *) for 1.5s = 0", "cron(0 0 * * *) for 8785h = 0"},
	}
}

// Mistake is a usual one, and what the policy says about it.
type Mistake struct {
	Name        string
	Namespace   bool // it is on a Namespace
	Annotations map[string]string
	Message     string
}

// Mistakes are the usual ones, one a line.
func Mistakes() []Mistake {
	rules := func(name, text, message string) Mistake {
		return Mistake{name, false, map[string]string{annotation.Windows: text}, "curfew/windows: " + message}
	}
	one := func(name, key, text, message string) Mistake {
		return Mistake{name, false, map[string]string{key: text}, key + ": " + message}
	}
	return []Mistake{
		rules("no minutes", "# all\nalways = 1; Mon-Fri 8-20 CET = 0", ``),
		rules("one digit", "20:00-6:00 = 0", ``),
		rules("beyond midnight", "24:30-25:00 = 0", ``),
		rules("equal ends", "Sat-Sun 03:00-03:00 = 0", ``),
		rules("equal ends of a week", "Fri 20:00 - Fri 20:00 = 0", ``),
		rules("a day in German", "Mo-Fr 20:00-06:00 = 0", ``),
		rules("a day misspelt", "Mon,Tuesdey = 0", ``),
		rules("an abbreviation", "20:00-06:00 CEST = 0", ``),
		rules("a city", "20:00-06:00 Berlin = 0", ``),
		rules("the zone in front", "Europe/Rome 20:00-06:00 = 0", ``),
		rules("a TZ variable", "20:00-06:00 TZ=Europe/Rome = 0", ``),
		rules("a dash that is none", "20:00–06:00 = 0", ``),
		rules("a blank that does not print", "20:00-06:00\u200b = 0", ``),
		rules("no such date", "2026-02-30 = 0", ``),
		rules("no leap year", "2026-02-29 = 0", ``),
		rules("dates the wrong way round", "2026-12-26..2026-12-24 = 0", ``),
		rules("six fields of cron", "cron(0 0 0 8 * *) for 1h = 0", ``),
		rules("cron out of range", "cron(0 24 * * *) for 1h = 0", ``),
		rules("cron downwards", "cron(0 0 * * 5-1) for 1h = 0", ``),
		rules("cron without an end", "cron(0 0 * * *) = 0", ``),
		rules("cron for nothing", "cron(0 0 * * *) for 0s = 0", ``),
		rules("no size", "Mon-Fri 20:00-06:00", ``),
		rules("no such size", "20:00-06:00 = off", ``),
		rules("below zero", "20:00-06:00 = -1", ``),
		rules("no window", "= 0", ``),
		rules("something else", "!always = 0", ``),
		rules("nothing", "", ``),
		rules("a comment alone", "# always = 0", ``),
		rules("too many", strings.Repeat("always=0;", 501), ``),
		rules("too long", strings.Repeat("#", 65537), ``),
		one("zone: an abbreviation", annotation.Timezone, "CEST", ``),
		one("zone: nothing", annotation.Timezone, "", ``),
		one("replicas", annotation.Replicas, "three", ``),
		one("replicas below zero", annotation.Replicas, "-1", ``),
		one("override without an end", annotation.OverrideKey, "3", ``),
		one("override until a time of day", annotation.OverrideKey, "3 until 20:00", ``),
		one("paused", annotation.Paused, "yes", ``),
		one("grace", annotation.Grace, "soon", ``),
		one("a key misspelt", "curfew/window", "always = 0", ``),
		one("a key that is none", "curfew/zzz", "", ``),
		{"a Namespace's replicas", true, map[string]string{annotation.Replicas: "3"}, ""},
		{"a Namespace's rules", true, map[string]string{annotation.Windows: "always"}, ""},
		{"a Namespace's key misspelt", true, map[string]string{"curfew/overide": "always"}, ""},
	}
}
