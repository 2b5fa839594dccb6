package admission

import "strings"

// Shapes are rules that cost much, each in its way.
var Shapes = map[string]string{
	"days and a span":   "Mon-Fri 20:00-06:00 = 0\n",
	"short":             "always=0;",
	"with a zone":       "Wednesday-Saturday, Sunday 20:00:00 - 06:00:00 America/Argentina/ComodRivadavia = 50 % of normal\n",
	"a week":            "Fri 20:00 - Mon 07:00 Europe/Berlin = 0\n",
	"dates":             "2026-12-24..2027-01-01 08:00-20:00 = 0\n",
	"cron":              "cron(0,5,10-20/2 8,9,10 1,15,31 jan,feb,mar-dec mon-fri,0) to cron(30 20 * * 1-5) = 0\n",
	"as bad as it gets": "cron(* * * * *)   for  8h30m15s=0\n", // each length rounded up
	"ranges":            "always = 000012 .. 40;",
	"comments":          "# why\nalways = 0 # because\n",
	"a long comment":    "# " + strings.Repeat("because ", 40) + "\nalways = 0\n",
	"blanks":            "\t \r\n  ;  ; always = 0;\n",
	"one long rule":     "Mon,",
	"one long word":     "x",
	"a wrong size":      "20:00-06:00 = many\n",
	"a wrong window":    "Mon-Fri 20:00-06:0 Europe/Berlin = 0\n",
	"a wrong cron":      "cron(0 0 0 * *) for 8h = 0\n",
}

// Fill repeats a shape until the text has that many characters, but stays at one at least.
func Fill(shape string, characters int) string {
	return strings.Repeat(shape, max(1, characters/len(shape)))
}
