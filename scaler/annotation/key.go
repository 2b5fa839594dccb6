// Package annotation reads what people write on an object in curfew/… annotations, and reads and writes what Curfew
// answers there. It is pure: text in, values and problems out.
package annotation

import (
	"maps"
	"slices"
	"strings"

	"curfew/timewindow/nearest"
)

// Prefix is what the key of every annotation of Curfew's starts with.
const Prefix = "curfew/"

// The keys that people write.
const (
	Windows  = Prefix + "windows"  // the rules, as package timewindow reads them, or [OptOut]
	Timezone = Prefix + "timezone" // the IANA zone of rules that name none
	Replicas = Prefix + "replicas" // the normal size, in replicas
)

// The keys that Curfew writes.
const (
	StatusKey  = Prefix + "status"              // a [Status]
	Remembered = Prefix + "remembered-replicas" // the size to give back when no window holds, in replicas
)

// OptOut as the value of [Windows] says that the object is not to be scaled.
const OptOut = "none"

// Keys lists every key that means something to Curfew.
func Keys() []string { return []string{Windows, Timezone, Replicas, StatusKey, Remembered} }

// Has reports whether any key starts with [Prefix].
func Has(annotations map[string]string) bool {
	for key := range annotations {
		if strings.HasPrefix(key, Prefix) {
			return true
		}
	}
	return false
}

// Only returns the annotations whose keys start with [Prefix], or nil if there are none.
func Only(annotations map[string]string) map[string]string {
	if !Has(annotations) {
		return nil
	}
	own := maps.Clone(annotations)
	maps.DeleteFunc(own, func(key, _ string) bool { return !strings.HasPrefix(key, Prefix) })
	return own
}

// unknown reports each key that starts with Prefix but means nothing, in the order of the keys.
func unknown(annotations map[string]string) Problems {
	keys := Keys()
	var problems Problems
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if !strings.HasPrefix(key, Prefix) || slices.Contains(keys, key) {
			continue
		}
		problem := Problem{Key: key, Detail: "there is no such annotation; remove it"}
		// The prefix is alike in all of them, so only what follows it says which one is near.
		bare := make([]string, len(keys))
		for i, k := range keys {
			bare[i] = strings.TrimPrefix(k, Prefix)
		}
		if near := nearest.Of(strings.TrimPrefix(key, Prefix), bare); near != "" {
			problem.Detail = "there is no such annotation; did you mean " + Prefix + near + "?"
		}
		problems = append(problems, problem)
	}
	return problems
}
