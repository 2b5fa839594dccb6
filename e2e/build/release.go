package build

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// release is one release of Kubernetes that the control plane can be built from.
type release struct {
	version string
	modfile string // in the folder of the module
	suffix  string // of what is built
}

// Newest is the Kubernetes that e2e/go.mod pins, and that is tested if nobody
// wants another.
const Newest = "1.37"

var releases = map[string]release{
	Newest: {"v1.37.2", "go.mod", ""},
	"1.36": {"v1.36.3", "kubernetes-1.36.mod", "-1.36"},
}

// wanted is the release that CURFEW_KUBERNETES names, such as 1.36.
func wanted() (release, error) {
	name := os.Getenv("CURFEW_KUBERNETES")
	if name == "" {
		name = Newest
	}
	r, known := releases[name]
	if !known {
		return r, fmt.Errorf("CURFEW_KUBERNETES=%s is none of %s", name, strings.Join(slices.Sorted(maps.Keys(releases)), ", "))
	}
	return r, nil
}

// stamps make the programs call themselves by their release; they would say
// v0.0.0 otherwise.
func (r release) stamps() string {
	const at = "-X k8s.io/component-base/version."
	parts := strings.SplitN(strings.TrimPrefix(r.version, "v"), ".", 3)
	return at + "gitVersion=" + r.version + " " + at + "gitMajor=" + parts[0] + " " + at + "gitMinor=" + parts[1]
}

// sum is the file with the checksums that belong to the modfile.
func (r release) sum() string { return strings.TrimSuffix(r.modfile, ".mod") + ".sum" }
