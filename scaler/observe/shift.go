package observe

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Shift is how much later the boundaries of an object come, in whole seconds, where they are spread over a time: its share
// of that. The share is the first 64 bits of the SHA-256 of the UID as a fraction, so it is evenly distributed whatever
// UIDs look like; stays the same for as long as the object lives; and anybody can work it out. It must never be another
// in a later release, or an upgrade would move everybody's boundaries. An object that is not in a cluster yet has none.
func Shift(uid types.UID, spread time.Duration) time.Duration {
	if spread <= 0 || uid == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(uid))
	seconds, _ := bits.Mul64(binary.BigEndian.Uint64(sum[:]), uint64(spread/time.Second))
	return time.Duration(seconds) * time.Second //nolint:gosec // below the spread
}
