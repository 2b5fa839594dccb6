// Package annotation reads what people write on an object and its Namespace in curfew/… annotations, and reads and
// writes what Curfew answers there. It is pure: text in, values and problems out.
package annotation

import (
	"maps"
	"slices"
	"strings"

	"curfew/timewindow"
	"curfew/timewindow/nearest"
)

// Prefix is what the key of every annotation of Curfew's starts with.
const Prefix = "curfew/"

// The keys that people write. Those that a Namespace may carry are the defaults for what lives in it.
const (
	Windows     = Prefix + "windows"  // the rules, as package timewindow reads them, or [OptOut]; also on a Namespace
	Timezone    = Prefix + "timezone" // the IANA zone of rules that name none; also on a Namespace
	Replicas    = Prefix + "replicas" // the normal size, in replicas; of what has a minimum and a maximum also 3..10
	OverrideKey = Prefix + "override" // an [Override]: a size that beats every rule until a time; also on a Namespace
	Paused      = Prefix + "paused"   // "true": look, report, touch nothing; also on a Namespace
	Grace       = Prefix + "grace"    // how long a new object is left as it is, such as 30m
	Wave        = Prefix + "wave"     // when its turn is among those that wake together, lower first; also on a Namespace
	Lead        = Prefix + "lead"     // how long before a window that asks for more it starts to wake, such as 15m; also on a Namespace
	HPA         = Prefix + "hpa"      // [Floor]: what the rules ask for above 0 is the minReplicas of the HorizontalPodAutoscaler
	Spread      = Prefix + "spread"   // the time over which the boundaries of equal rules are spread, such as 10m; also on a Namespace
)

// The keys that Curfew writes.
const (
	StatusKey  = Prefix + "status"              // a [Status]
	Remembered = Prefix + "remembered-replicas" // the size to give back when no window holds, in replicas, or 3..10

	// RememberedPause is what the owner of a KEDA ScaledObject had in the annotation with which a window pauses it. It goes
	// with Remembered; if it is missing, nothing was there.
	RememberedPause = Prefix + "remembered-pause"
)

// Floor is the one value of [HPA].
const Floor = "floor"

// OptOut as the value of [Windows] says that the object is not to be scaled.
const OptOut = "none"

// Keys lists every key that means something on a workload.
func Keys() []string {
	return []string{Windows, Timezone, Replicas, OverrideKey, Paused, Grace, Wave, Lead, Spread, HPA, StatusKey, Remembered, RememberedPause}
}

// NamespaceKeys lists every key that means something on a Namespace.
func NamespaceKeys() []string {
	return []string{Windows, Timezone, OverrideKey, Paused, Wave, Lead, Spread}
}

// Has reports whether any key starts with [Prefix].
func Has(annotations map[string]string) bool {
	for key := range annotations {
		if strings.HasPrefix(key, Prefix) {
			return true
		}
	}
	return false
}

// Only returns the annotations whose keys start with [Prefix], or nil if there are none. It is a map of its own, no larger
// than that.
func Only(annotations map[string]string) map[string]string {
	if !Has(annotations) {
		return nil
	}
	own := map[string]string{}
	for key, value := range annotations {
		if strings.HasPrefix(key, Prefix) {
			own[key] = value
		}
	}
	return own
}

// unknown reports each key that starts with Prefix but is not among those that mean something, in their order.
func unknown(annotations map[string]string, keys []string) Problems {
	var problems Problems
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if strings.HasPrefix(key, Prefix) && !slices.Contains(keys, key) {
			problem, cure := unknownKey(key, keys)
			problems = append(problems, Problem{Key: key, Detail: problem + "; " + cure, Fault: timewindow.Fault{Problem: problem, Hint: cure}})
		}
	}
	return problems
}

func unknownKey(key string, keys []string) (problem, cure string) {
	if slices.Contains(Keys(), key) {
		return "this means nothing on a Namespace", "set it on the workload"
	}
	// The prefix is alike in all of them, so only what follows it says which one is near.
	bare := make([]string, len(keys))
	for i, k := range keys {
		bare[i] = strings.TrimPrefix(k, Prefix)
	}
	if near := nearest.Of(strings.TrimPrefix(key, Prefix), bare); near != "" {
		return "there is no such annotation", "did you mean " + Prefix + near + "?"
	}
	return "there is no such annotation", "remove it"
}

// What of an object's annotations is ever of use: rules as long as they may be, a status that quotes one of them, and
// short texts. So much of a longer one says all that will be said about it.
const (
	longestText   = timewindow.MaxText
	longestStatus = timewindow.MaxText + 4<<10
	longestValue  = 1 << 10
	mostUnknown   = 32 // keys
)

// Bounded is [Only] without what need not be remembered of thousands of objects, each of which may carry 256 KiB. It
// means the same: what is cut is not understood, as it was not before. (A status that somebody has padded is not Curfew's.)
func Bounded(annotations map[string]string) map[string]string {
	own, known := Only(annotations), Keys()
	var strange []string
	for key, value := range own {
		longest := longestValue
		switch {
		case !slices.Contains(known, key):
			own[key] = "" // its name is its mistake
			strange = append(strange, key)
			continue
		case key == Windows:
			longest = longestText
		case key == StatusKey:
			longest = longestStatus
		}
		if len(value) > longest {
			own[key] = strings.ToValidUTF8(value[:longest], "") + cut
		}
	}
	if len(strange) > mostUnknown {
		slices.Sort(strange)
		for _, key := range strange[mostUnknown:] {
			delete(own, key)
		}
	}
	return own
}

// cut ends a text that goes on. It makes no sense in any.
const cut = "\x00…"
