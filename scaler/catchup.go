package scaler

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"curfew/scaler/kind"
)

// Versions tells of every object that the API server has now in which version it is. After an error it has told of as many
// as it could.
type Versions func(ctx context.Context, tell func(key kind.Key, version string)) error

// How long a new leader waits for its cache, and how often it looks.
const (
	longestCatchUp = 10 * time.Second
	catchUpAgain   = 20 * time.Millisecond
)

// catchUp waits until the cache knows all that the API server knows at this moment. Of one object it does not matter that
// the cache may be behind, for a write that is computed from an old version is refused. But how many are on their way, and
// who comes first, is not written on any one of them, and the leader before this one may have woken some just now.
func (r *Reconciler) catchUp(ctx context.Context) {
	if r.Versions == nil || !slices.ContainsFunc(r.Objects.in(""), r.paces) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, longestCatchUp)
	defer cancel()
	behind := map[kind.Key]string{}
	if err := r.Versions(ctx, func(key kind.Key, version string) { behind[key] = version }); err != nil {
		klog.FromContext(ctx).Error(err, "Cannot make sure that the cache is current")
	}
	err := wait.PollUntilContextCancel(ctx, catchUpAgain, true, func(context.Context) (bool, error) {
		maps.DeleteFunc(behind, r.knows)
		return len(behind) == 0, nil
	})
	if err != nil {
		klog.FromContext(ctx).Info("The cache is not current yet, going on nevertheless", "behind", len(behind))
	}
}

// knows reports whether the cache has an object in a version or a later one.
func (r *Reconciler) knows(key kind.Key, version string) bool {
	o := r.Objects.get(key)
	if o == nil {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(o.ResourceVersion, version)
	return err != nil || order >= 0
}
