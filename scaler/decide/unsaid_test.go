package decide_test

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// TestRemovedIsTheOwnersWord: where the size is what is so as long as nothing is said, nobody owns it; and yet it is its
// owner who has removed what a window had put there.
func TestRemovedIsTheOwnersWord(t *testing.T) {
	now := time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC)
	held := annotation.Status{State: annotation.StateWindow, Size: ptr.To[int32](0), Normal: ptr.To[int32](0), Rule: "always = 0"}
	for name, c := range map[string]struct {
		writer   decide.Writer
		was      annotation.Status
		remember *int32
	}{
		"removed in a window":          {decide.Writer{Unsaid: true}, held, ptr.To[int32](1)},
		"nobody knows":                 {decide.Writer{}, held, nil},
		"it was never there":           {decide.Writer{Unsaid: true}, annotation.Status{}, ptr.To[int32](1)},
		"set anew, through the object": {decide.Writer{Manager: "helm"}, held, ptr.To[int32](1)},
		"set anew, through scale":      {decide.Writer{Manager: "helm", Scale: true}, held, nil},
	} {
		t.Run(name, func(t *testing.T) {
			spec, problems := annotation.Parse(windows("always = 0"), nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			d := decide.Decide(decide.Workload{Size: 1, Writer: c.writer, Spec: spec, Status: c.was}, now)
			if d.Size == nil || *d.Size != 0 || !ptr.Equal(d.Remembered, c.remember) {
				t.Errorf("%+v", d)
			}
		})
	}
}

// TestPauseGoesWithTheMemory: what was remembered besides the size is removed with it, however that came about.
func TestPauseGoesWithTheMemory(t *testing.T) {
	for name, c := range map[string]struct {
		decision decide.Decision
		has      map[string]string
		removed  bool
	}{
		"held":              {decide.Decision{Remembered: ptr.To[int32](1)}, map[string]string{annotation.Remembered: "1", annotation.RememberedPause: "5"}, false},
		"let go":            {decide.Decision{}, map[string]string{annotation.Remembered: "1", annotation.RememberedPause: "5"}, true},
		"left over":         {decide.Decision{}, map[string]string{annotation.RememberedPause: ""}, true},
		"there is none":     {decide.Decision{}, map[string]string{annotation.Remembered: "1"}, false},
		"left as it stands": {decide.Decide(decide.Workload{Problems: annotation.Problems{{}}}, time.Time{}), map[string]string{annotation.RememberedPause: "5"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			value, there := c.decision.Change(0, c.has).Annotations[annotation.RememberedPause]
			if there != c.removed || value != nil {
				t.Errorf("it is written: %v, %v", there, value)
			}
		})
	}
}
