package observe

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// An upgrade must not move anybody's boundaries, so these stay as they are.
func TestShiftStaysTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		uid    types.UID
		spread time.Duration
		want   time.Duration
	}{
		"ten minutes":      {"6b9b1a44-6f0d-4d3e-9a6b-0f3c7d1f2e10", 10 * time.Minute, 11 * time.Second},
		"twice as long":    {"6b9b1a44-6f0d-4d3e-9a6b-0f3c7d1f2e10", 20 * time.Minute, 23 * time.Second},
		"a day":            {"6b9b1a44-6f0d-4d3e-9a6b-0f3c7d1f2e10", 24 * time.Hour, 27*time.Minute + 52*time.Second},
		"another":          {"e2f2b0c5-57cd-4d0b-8a43-8a1d6a2d9f01", 10 * time.Minute, 2*time.Minute + 46*time.Second},
		"a second":         {"e2f2b0c5-57cd-4d0b-8a43-8a1d6a2d9f01", time.Second, 0},
		"no spread":        {"e2f2b0c5-57cd-4d0b-8a43-8a1d6a2d9f01", 0, 0},
		"not in a cluster": {"", 10 * time.Minute, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Shift(c.uid, c.spread); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// A thousand objects fill every tenth of the spread about alike, also if their UIDs differ in little.
func TestShiftIsEven(t *testing.T) {
	const objects, spread = 1000, 10 * time.Minute
	for name, uid := range map[string]string{"counted up": "00000000-0000-4000-8000-%012d", "counted in front": "%08d-0000-4000-8000-000000000000"} {
		t.Run(name, func(t *testing.T) {
			tenths := make([]int, 10)
			for i := range objects {
				shift := Shift(types.UID(fmt.Sprintf(uid, i)), spread)
				if shift < 0 || shift >= spread || shift%time.Second != 0 {
					t.Fatalf("%v is no whole second of the spread", shift)
				}
				tenths[shift/(spread/10)]++
			}
			if slices.Min(tenths) < 70 || slices.Max(tenths) > 130 {
				t.Errorf("by tenths of the spread: %v", tenths)
			}
		})
	}
}

func TestShiftCostsNothingWithoutASpread(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Shift("e2f2b0c5-57cd-4d0b-8a43-8a1d6a2d9f01", 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
