package main

import (
	"os"
	"runtime/debug"
)

// garbage is how much garbage may be on the heap, in percent of what is live, before it is collected. The runtime's own
// default is 100. Curfew has next to nothing to do for most of the day and holds an object for each Deployment all day,
// so it gives some CPU at a boundary for less memory at all times.
const garbage = 50

// saveMemory sets that, unless the environment has another wish.
func saveMemory() {
	if _, ok := os.LookupEnv("GOGC"); !ok {
		debug.SetGCPercent(garbage)
	}
}
