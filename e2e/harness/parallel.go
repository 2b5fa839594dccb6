package harness

import (
	"flag"
	"fmt"
)

// SideBySide has so many tests run at the same time, unless the command line
// says how many. The default is one for each processor, but tests that wait for
// a cluster do not compute. It is for TestMain.
func SideBySide(tests int) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		_ = flag.Set("test.parallel", fmt.Sprint(tests))
	}
}
