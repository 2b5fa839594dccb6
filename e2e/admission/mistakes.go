package admission

import (
	"strings"

	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// Keys are the annotations that the policy reads.
func Keys() []string {
	return []string{annotation.Windows, annotation.Timezone, annotation.Replicas, annotation.OverrideKey, annotation.Paused, annotation.Grace, annotation.Wave, annotation.Lead, annotation.Spread, annotation.HPA}
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
	Kind        *kind.Kind // nil: it is on a Namespace
	Annotations map[string]string
	Message     string
}

// Mistakes are the usual ones, one a line.
func Mistakes() []Mistake {
	rules := func(name, text, message string) Mistake {
		return Mistake{name, kind.Deployment, map[string]string{annotation.Windows: text}, "curfew/windows: " + message}
	}
	one := func(name, key, text, message string) Mistake {
		return Mistake{name, kind.Deployment, map[string]string{key: text}, key + ": " + message}
	}
	of := func(k *kind.Kind, name, key, text, message string) Mistake {
		return Mistake{k.Name + ": " + name, k, map[string]string{key: text}, key + ": " + message}
	}
	const oneSize = "has one size and no range; write a number, or put the range on its HorizontalPodAutoscaler"
	return []Mistake{
		rules("no minutes", "# all\nalways = 1; Mon-Fri 8-20 CET = 0", `"Mon-Fri 8-20" has a time without minutes; write two digits for the hour and two for the minute, such as 08:00-20:00`),
		rules("one digit", "20:00-6:00 = 0", `"20:00-6:00" is no window; times run from 00:00 to 23:59:59 and a span may end at 24:00, such as Mon-Fri 20:00-06:00 or Fri 20:00 - Mon 07:00`),
		rules("beyond midnight", "24:30-25:00 = 0", `"24:30-25:00" is no window; times run from 00:00 to 23:59:59 and a span may end at 24:00, such as Mon-Fri 20:00-06:00 or Fri 20:00 - Mon 07:00`),
		rules("equal ends", "Sat-Sun 03:00-03:00 = 0", `"Sat-Sun 03:00-03:00" ends when it starts; for whole days write the days alone or 00:00-24:00, for ever write always`),
		rules("equal ends of a week", "Fri 20:00 - Fri 20:00 = 0", `"Fri 20:00 - Fri 20:00" ends when it starts; for whole days write the days alone or 00:00-24:00, for ever write always`),
		rules("a day in German", "Mo-Fr 20:00-06:00 = 0", `"Mo-Fr 20:00-06:00" names no days; they are Mon Tue Wed Thu Fri Sat Sun`),
		rules("a day misspelt", "Mon,Tuesdey = 0", `"Mon,Tuesdey" names no days; they are Mon Tue Wed Thu Fri Sat Sun`),
		rules("an abbreviation", "20:00-06:00 CEST = 0", `"20:00-06:00 CEST" ends in a word that is no zone; write an IANA name such as Europe/Berlin, America/New_York or UTC`),
		rules("a city", "20:00-06:00 Berlin = 0", `"20:00-06:00 Berlin" ends in a word that is no zone; write an IANA name such as Europe/Berlin, America/New_York or UTC`),
		rules("the zone in front", "Europe/Rome 20:00-06:00 = 0", `"Europe/Rome 20:00-06:00" has the zone in front; write it behind the window: 20:00-06:00 Europe/Berlin = 0`),
		rules("a TZ variable", "20:00-06:00 TZ=Europe/Rome = 0", `"20:00-06:00 TZ=Europe/Rome = 0" has TZ= in it; write the zone alone and behind the window: 20:00-06:00 Europe/Berlin = 0`),
		rules("a dash that is none", "20:00–06:00 = 0", `"20:00–06:00" has "–" in it, which is not a plain character; write plain letters, - and blanks`),
		rules("a blank that does not print", "20:00-06:00\u200b = 0", `"20:00-06:00" has a character in it that does not print; remove it`),
		rules("no such date", "2026-02-30 = 0", `"2026-02-30" has no date that comes; write YYYY-MM-DD for one year or MM-DD for every year, and .. between the ends of a range`),
		rules("no leap year", "2026-02-29 = 0", `"2026-02-29" has a 29 February that never comes; check the year`),
		rules("dates the wrong way round", "2026-12-26..2026-12-24 = 0", `"2026-12-26..2026-12-24" is no range of dates; write the earlier date first, and both with a year or both without`),
		rules("six fields of cron", "cron(0 0 0 8 * *) for 1h = 0", `"cron(0 0 0 8 * *)" is no schedule; write the five fields minute, hour, day of month, month, day of week, such as 0 22 * * 1-5, with ranges that run upwards`),
		rules("cron out of range", "cron(0 24 * * *) for 1h = 0", `"cron(0 24 * * *)" is no schedule; write the five fields minute, hour, day of month, month, day of week, such as 0 22 * * 1-5, with ranges that run upwards`),
		rules("cron downwards", "cron(0 0 * * 5-1) for 1h = 0", `"cron(0 0 * * 5-1)" is no schedule; write the five fields minute, hour, day of month, month, day of week, such as 0 22 * * 1-5, with ranges that run upwards`),
		rules("cron without an end", "cron(0 0 * * *) = 0", `"cron(0 0 * * *)" is no cron window; write cron( ) with five fields, and then for and a duration such as 8h, or to and another cron( )`),
		rules("cron for nothing", "cron(0 0 * * *) for 0s = 0", `"cron(0 0 * * *) for 0s" is no cron window; write cron( ) with five fields, and then for and a duration such as 8h, or to and another cron( )`),
		rules("no size", "Mon-Fri 20:00-06:00", `"Mon-Fri 20:00-06:00" needs = and a size behind its window, such as Mon-Fri 20:00-06:00 = 0`),
		rules("no such size", "20:00-06:00 = off", `"20:00-06:00 = off" has no size behind the =; write a number of replicas up to 1000000, a share up to 1000% such as 50%, or normal`),
		rules("below zero", "20:00-06:00 = -1", `"20:00-06:00 = -1" has no size behind the =; write a number of replicas up to 1000000, a share up to 1000% such as 50%, or normal`),
		rules("no window", "= 0", `the window is missing; write when the size holds before the =, such as Mon-Fri 20:00-06:00 = 0, or always = 0`),
		rules("something else", "!always = 0", `"!always" is no window; it starts with a day, a date, a time, cron( or always`),
		rules("nothing", "", `there is no rule; write one a line, such as Mon-Fri 20:00-06:00 = 0`),
		rules("a comment alone", "# always = 0", `there is no rule; write one a line, such as Mon-Fri 20:00-06:00 = 0`),
		rules("too many", strings.Repeat("always=0;", 501), `there are more than 500 rules; dates that follow each other can be one range`),
		rules("too long", strings.Repeat("#", 65537), `the rules take more than 65536 bytes; dates that follow each other can be one range`),
		one("zone: an abbreviation", annotation.Timezone, "CEST", `"CEST" is no zone; write an IANA name such as Europe/Berlin, America/New_York or UTC`),
		one("zone: nothing", annotation.Timezone, "", `"" is no zone; write an IANA name such as Europe/Berlin, America/New_York or UTC`),
		one("replicas", annotation.Replicas, "three", `"three" is not a number from 0 to 1000000; write the normal number of replicas, such as "3"`),
		one("replicas below zero", annotation.Replicas, "-1", `"-1" is not a number from 0 to 1000000; write the normal number of replicas, such as "3"`),
		one("override without an end", annotation.OverrideKey, "3", `"3" has no end; write it as "3 until 2026-06-05T20:00:00+02:00"`),
		one("override until a time of day", annotation.OverrideKey, "3 until 20:00", `"3 until 20:00" is not a size, until, and a time with a date and an offset; write it as "3 until 2026-06-05T20:00:00+02:00"`),
		one("paused", annotation.Paused, "yes", `"yes" is neither "true" nor "false"; write one of them or remove the annotation`),
		one("grace", annotation.Grace, "soon", `"soon" is not a duration; write hours, minutes and seconds, such as "30m"`),
		one("wave", annotation.Wave, "first", `"first" is not a number from 0 to 1000; write whose turn it is to wake, lower first, such as "1"`),
		one("a wave too many", annotation.Wave, "1001", `"1001" is not a number from 0 to 1000; write whose turn it is to wake, lower first, such as "1"`),
		one("lead", annotation.Lead, "15", `"15" is not a duration in whole seconds; write hours, minutes and seconds, such as "15m"`),
		one("lead below zero", annotation.Lead, "-15m", `"-15m" is not a duration in whole seconds; write hours, minutes and seconds, such as "15m"`),
		one("a lead of days", annotation.Lead, "36h", `"36h" is more than a day; write at most 24h, or say it in the rules`),
		one("spread", annotation.Spread, "ten minutes", `"ten minutes" is not a duration in whole seconds; write hours, minutes and seconds, such as "15m"`),
		one("a spread of more than a day", annotation.Spread, "24h0m1s", `"24h0m1s" is more than a day; write at most 24h, or say it in the rules`),
		one("a key misspelt", "curfew/window", "always = 0", `there is no such annotation; did you mean curfew/windows?`),
		one("a key that is none", "curfew/zzz", "", `there is no such annotation; remove it`),
		rules("a range upside down", "Sat = 3..3; Sun = 40 .. 12", `"Sun = 40 .. 12" has a range that ends below its start; write the smaller number first`),
		rules("half a range", "always = 12..", `"always = 12.." has no size behind the =; write a number of replicas up to 1000000, a share up to 1000% such as 50%, or normal`),
		rules("a range", "Sat = 0; always = 3..10", `"always = 3..10": a Deployment `+oneSize),
		one("an override to a range", annotation.OverrideKey, "3..10 until 2026-06-05T20:00:00Z", `"3..10 until 2026-06-05T20:00:00Z": a Deployment `+oneSize),
		one("an override to a range upside down", annotation.OverrideKey, "10..3 until 2026-06-05T20:00:00Z", `"10..3 until 2026-06-05T20:00:00Z" has a range that ends below its start; write the smaller number first`),
		one("replicas in a range", annotation.Replicas, "3..10", `"3..10": a Deployment `+oneSize),
		one("replicas in a range upside down", annotation.Replicas, "10..3", `"10..3" is not a range of numbers from 0 to 1000000; write the normal number of replicas, such as "3"`),
		one("replicas in a range to 0", annotation.Replicas, "0..0", `"0..0" is not a range of numbers from 0 to 1000000; write the normal number of replicas, such as "3"`),
		one("something else of an autoscaler", annotation.HPA, "ceiling", `"ceiling" is not "floor"; write that, and the rules say the minReplicas of the HorizontalPodAutoscaler; or remove the annotation`),
		of(kind.StatefulSet, "a range", annotation.Windows, "always = 3..10", `"always = 3..10": a StatefulSet `+oneSize),
		of(rollout, "a range", annotation.Windows, "always = 3..10", `"always = 3..10": a Rollout `+oneSize),
		of(kind.CronJob, "one", annotation.Windows, "Sat = 0%; Sun = normal; always = 1", `"always = 1": a CronJob is on or off; write 0, which suspends it, or normal`),
		of(kind.CronJob, "a share", annotation.Windows, "always = 50%", `"always = 50%": a CronJob is on or off; write 0, which suspends it, or normal`),
		of(kind.CronJob, "an override to one", annotation.OverrideKey, "1 until 2026-06-05T20:00:00Z", `"1 until 2026-06-05T20:00:00Z": a CronJob is on or off; write 0, which suspends it, or normal`),
		of(kind.CronJob, "replicas", annotation.Replicas, "1", `a CronJob is on or off; remove the annotation`),
		of(kind.CronJob, "an autoscaler", annotation.HPA, "floor", `no HorizontalPodAutoscaler scales a CronJob; put it on what one scales`),
		of(kind.ScaledObject, "three", annotation.Windows, "always = 3", `"always = 3": a ScaledObject is on or off; write 0, which pauses it, or normal`),
		of(kind.Autoscaler, "0", annotation.Windows, "Sat = 3..10; Sun = 3; always = 0", `"always = 0": a HorizontalPodAutoscaler cannot go to 0; put 0 on its target, which pauses it for as long`),
		of(kind.Autoscaler, "from 0", annotation.Windows, "always = 0..10", `"always = 0..10": a HorizontalPodAutoscaler cannot go to 0; put 0 on its target, which pauses it for as long`),
		of(kind.Autoscaler, "an override to 0", annotation.OverrideKey, "0 until 2026-06-05T20:00:00Z", `"0 until 2026-06-05T20:00:00Z": a HorizontalPodAutoscaler cannot go to 0; put 0 on its target, which pauses it for as long`),
		of(kind.Autoscaler, "no replicas", annotation.Replicas, "0", `"0": a HorizontalPodAutoscaler cannot go to 0; put 0 on its target, which pauses it for as long`),
		{"a Namespace's autoscaler", nil, map[string]string{annotation.HPA: "floor"}, `curfew/hpa: this means nothing on a Namespace; set it on the workload`},
		{"a Namespace's replicas", nil, map[string]string{annotation.Replicas: "3"}, `curfew/replicas: this means nothing on a Namespace; set it on the workload`},
		{"a Namespace's rules", nil, map[string]string{annotation.Windows: "always"}, `curfew/windows: "always" needs = and a size behind its window, such as Mon-Fri 20:00-06:00 = 0`},
		{"a Namespace's lead", nil, map[string]string{annotation.Lead: "soon"}, `curfew/lead: "soon" is not a duration in whole seconds; write hours, minutes and seconds, such as "15m"`},
		{"a Namespace's key misspelt", nil, map[string]string{"curfew/overide": "always"}, `curfew/overide: there is no such annotation; did you mean curfew/override?`},
	}
}
