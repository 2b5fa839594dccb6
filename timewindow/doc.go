// Package timewindow says what size a workload should have at an instant,
// from rules such as
//
//	2026-12-24..2027-01-01 = 0          # holidays first: the first rule that holds wins
//	Mon-Fri 07:00-20:00 = normal
//	always = 0
//
// It is pure: it reads no clock, no environment and no file. [Parse] turns text into a [Schedule]; [Schedule.At] tells
// the size at an instant and the rule behind it; [Schedule.Next] tells when the size changes. A Schedule never changes
// and may be used by many goroutines at once.
//
// # Grammar
//
// Rules stand one a line, or are separated by ";". "#" starts a comment that runs to the end of the line. Blanks around
// punctuation do not matter, nor does the case of words; the names of zones are written as IANA writes them.
//
//	rule     = when [zone] "=" size
//	when     = "always"
//	         | [days] time "-" time               a daily span; no days means every day
//	         | days                               whole days
//	         | day time "-" day time              one span of the week: Fri 20:00 - Mon 07:00
//	         | dates [time "-" time]              those dates, whole or a span on each
//	         | "cron(" fields ")" "for" duration  from each start, for so long in elapsed time
//	         | "cron(" fields ")" "to" "cron(" fields ")"
//	                                              from each start to the next end
//	days     = day [ "-" day ] { "," day [ "-" day ] }          ranges may wrap the week: Sun-Thu, Sat-Mon
//	day      = Mon Tue Wed Thu Fri Sat Sun, or in full
//	dates    = YYYY-MM-DD [ ".." YYYY-MM-DD ]     once
//	         | MM-DD [ ".." MM-DD ]               every year; a range may pass over the new year
//	time     = HH:MM[:SS]                         00:00 to 23:59:59, and 24:00 as an end
//	fields   = minute hour day-of-month month day-of-week       as in cron; Sunday is 0 or 7
//	duration = 8h, 90m, 1h30m, 45s                whole seconds, at most a year
//	size     = 0, 1, 2 … | N%  (of the normal size, rounded up) | "normal"
//	         | N..M                               a range, of what has a minimum and a maximum
//	zone     = an IANA name: Europe/Berlin
//
// # Meaning
//
// A window is an interval of real time, start included and end not. Rules are read from top to bottom and the first that
// holds gives the size; when none holds, the size is [Normal].
//
// A span belongs to the day it starts on: "Fri 20:00-06:00" ends on Saturday morning. Weekdays and dates are those of
// the rule's zone. A local time happens at the first instant at which the zone's clock reads that time or later: a
// boundary in the hour that spring skips falls at the end of the gap, one in the hour that autumn repeats falls in its
// first pass and happens once. A window that shrinks to nothing that way does not exist on that day.
package timewindow
