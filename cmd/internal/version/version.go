// Package version says which build of Curfew this is.
package version

import (
	"fmt"
	"runtime"
	"strings"

	"k8s.io/component-base/version"
)

// Number is the version that the build was stamped with, or v0.0.0-dev.
func Number() string {
	v := version.Get().GitVersion
	if strings.Contains(v, "$Format") || strings.HasPrefix(v, "v0.0.0-master") { // nothing was stamped
		v = "v0.0.0-dev"
	}
	return v
}

// String is the version with the toolchain and platform.
func String() string {
	return fmt.Sprintf("%s (%s %s/%s)", Number(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
