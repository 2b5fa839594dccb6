// Package version says which build of Curfew this is.
package version

import (
	"fmt"
	"runtime"
	"strings"

	"k8s.io/component-base/version"
)

// String is the version that the build was stamped with, or v0.0.0-dev, with the toolchain and platform.
func String() string {
	v := version.Get().GitVersion
	if strings.Contains(v, "$Format") || strings.HasPrefix(v, "v0.0.0-master") { // nothing was stamped
		v = "v0.0.0-dev"
	}
	return fmt.Sprintf("%s (%s %s/%s)", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
