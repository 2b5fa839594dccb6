package timewindow

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"curfew/timewindow/nearest"
)

const zoneExample = "write an IANA name such as Europe/Berlin, America/New_York or UTC"

// abbreviations are what people write for a zone although many zones share it, or although it names one half of the
// year only. Each points at the zone that is most often meant.
var abbreviations = map[string]string{
	"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "PT": "America/Los_Angeles",
	"MDT": "America/Denver", "MT": "America/Denver",
	"CST": "America/Chicago or Asia/Shanghai", "CDT": "America/Chicago", "CT": "America/Chicago",
	"EDT": "America/New_York", "ET": "America/New_York",
	"BST": "Europe/London", "WEST": "Europe/Lisbon", "CEST": "Europe/Berlin", "EEST": "Europe/Athens", "MSK": "Europe/Moscow",
	"IST": "Asia/Kolkata or Asia/Jerusalem", "JST": "Asia/Tokyo", "KST": "Asia/Seoul", "SGT": "Asia/Singapore", "HKT": "Asia/Hong_Kong",
	"AEST": "Australia/Sydney", "AEDT": "Australia/Sydney", "ACST": "Australia/Adelaide", "AWST": "Australia/Perth",
	"NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland", "Z": "UTC",
}

// refuseZone says why a name is no zone and what to write instead, or returns "".
func refuseZone(name string) (problem, hint string) {
	files, err := zoneFiles()
	if err != nil {
		return err.Error(), zoneExample
	}
	if _, ok := files[name]; ok {
		return "", ""
	}
	switch {
	case name == "":
		return "the zone is empty", zoneExample
	case strings.EqualFold(name, "Local"):
		return "the local zone of which machine?", zoneExample
	case strings.HasPrefix(strings.ToUpper(name), "TZ=") || strings.HasPrefix(strings.ToUpper(name), "CRON_TZ="):
		return "a zone is written without TZ=", zoneExample
	}
	if full, ok := abbreviations[strings.ToUpper(name)]; ok {
		return "an abbreviation does not name one zone", "write " + full
	}
	if near := nearestZone(name); near != "" {
		return "there is no such zone", "did you mean " + near + "?"
	}
	return "there is no such zone", zoneExample
}

// zoneNames is every zone name, sorted.
var zoneNames = sync.OnceValue(func() []string {
	files, _ := zoneFiles() // without zone data there is no name
	return slices.Sorted(maps.Keys(files))
})

// ZoneNames lists the names that [LoadZone] takes.
func ZoneNames() []string {
	return slices.DeleteFunc(slices.Clone(zoneNames()), func(name string) bool {
		problem, _ := refuseZone(name)
		return problem != ""
	})
}

// nearestZone finds the name that was probably meant: the same in another case, a city without its continent, a typing
// error. It returns "" where nothing is near.
func nearestZone(name string) string {
	if full, ok := zonePlaces()[strings.ToLower(strings.ReplaceAll(name, " ", "_"))]; ok {
		return full
	}
	return nearest.Of(name, zoneNames())
}

// zonePlaces are the names of zones by themselves and by what follows the continent, in lower case. A name goes before a
// city, and of several cities the first.
var zonePlaces = sync.OnceValue(func() map[string]string {
	places := map[string]string{}
	add := func(place, name string) {
		if place = strings.ToLower(place); places[place] == "" {
			places[place] = name
		}
	}
	for _, name := range zoneNames() {
		add(name, name)
	}
	for _, name := range zoneNames() {
		if _, city, ok := strings.Cut(name, "/"); ok {
			add(city, name)
		}
	}
	return places
})
