// Package downscaler translates the annotations of kube-downscaler, the Python one, and of GoKubeDownscaler.
//
// Both read the same keys and do not mean the same. What either means is written down in scope.go, after their
// documentation: which annotation counts; and in span.go: when it holds.
package downscaler

// Prefix is what the old keys start with.
const Prefix = "downscaler/"

// The old keys.
const (
	uptime            = Prefix + "uptime"
	downtime          = Prefix + "downtime"
	upscalePeriod     = Prefix + "upscale-period"
	downscalePeriod   = Prefix + "downscale-period"
	forceUptime       = Prefix + "force-uptime"
	forceDowntime     = Prefix + "force-downtime"
	exclude           = Prefix + "exclude"
	excludeUntil      = Prefix + "exclude-until"
	gracePeriod       = Prefix + "grace-period"       // Go
	downtimeReplicas  = Prefix + "downtime-replicas"  // Python
	downscaleReplicas = Prefix + "downscale-replicas" // Go
	scaleChildren     = Prefix + "scale-children"     // Go
	upscaleExcluded   = Prefix + "upscale-excluded"   // Go
	originalReplicas  = Prefix + "original-replicas"  // the tool's own: the size before it scaled down
)

// known are the keys that either tool reads.
var known = []string{
	uptime, downtime, upscalePeriod, downscalePeriod, forceUptime, forceDowntime, exclude, excludeUntil, gracePeriod,
	downtimeReplicas, downscaleReplicas, scaleChildren, upscaleExcluded, originalReplicas,
}

// Tool is which of the two it was.
type Tool string

// The tools.
const (
	Auto   Tool = "auto" // as the annotations tell; where they do not, only what both mean is said
	Python Tool = "python"
	Go     Tool = "go"
)

// String is the tool's name in messages.
func (t Tool) String() string {
	switch t {
	case Python:
		return "kube-downscaler"
	case Go:
		return "GoKubeDownscaler"
	}
	return "the old tool"
}

// floorKey is the key of the size in down time.
func (t Tool) floorKey() string {
	if t == Python {
		return downtimeReplicas
	}
	return downscaleReplicas
}
