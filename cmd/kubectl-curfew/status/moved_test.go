package status

import (
	"testing"
	"time"

	"curfew/cmd/kubectl-curfew/live/livetest"
	"curfew/scaler/annotation"
)

// What is shown is when it happens: a lead before the rules say so, a share of the spread after. That of this UID in ten
// minutes is 166 seconds.
func TestMoved(t *testing.T) {
	now := time.Date(2026, 6, 5, 21, 0, 0, 0, time.UTC)
	item := Of(livetest.Scene{
		UID: "e2f2b0c5-57cd-4d0b-8a43-8a1d6a2d9f01", Size: 3, Kept: true,
		Own:       map[string]string{annotation.Windows: "20:00-08:00 = 0", annotation.Lead: "15m"},
		Namespace: map[string]string{annotation.Spread: "10m"},
	}.Subject(now), now)
	if want := time.Date(2026, 6, 6, 7, 47, 46, 0, time.UTC); !item.Until.Equal(want) || !item.Applied || item.Next == nil || item.Next.State != annotation.StateNormal || item.Next.Size != 3 {
		t.Errorf("status is %+v, then %+v, want it to end at %v", item, item.Next, want)
	}
}
