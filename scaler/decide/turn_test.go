package decide

import (
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
)

func TestWhoWaitsForATurn(t *testing.T) {
	at := time.Date(2026, 6, 2, 8, 0, 0, 0, time.UTC) // a Tuesday
	const day = "08:00-20:00 = normal\nalways = 0"
	asleep := annotation.Status{State: annotation.StateWindow, Size: ptr.To[int32](0), Normal: ptr.To[int32](3), Rule: "always = 0", Until: at}
	for name, c := range map[string]struct {
		size        int32
		annotations map[string]string
		status      annotation.Status
		paced       bool
		says        string // while it waits
	}{
		"a window has ended":      {0, map[string]string{annotation.Windows: day, annotation.Remembered: "3"}, asleep, true, "waits for its turn to wake"},
		"the same in a wave":      {0, map[string]string{annotation.Windows: day, annotation.Remembered: "3", annotation.Wave: "2"}, asleep, true, "in wave 2"},
		"a larger window begins":  {0, map[string]string{annotation.Windows: "08:00-20:00 = 5\nalways = 0", annotation.Replicas: "3"}, asleep, true, "its turn"},
		"a smaller window begins": {3, map[string]string{annotation.Windows: "08:00-20:00 = 1", annotation.Replicas: "3"}, annotation.Status{}, false, ""},
		"drift":                   {0, map[string]string{annotation.Windows: day, annotation.Replicas: "3"}, annotation.Status{State: annotation.StateNormal, Size: ptr.To[int32](3)}, false, ""},
		"normal is given":         {0, map[string]string{annotation.Windows: day, annotation.Replicas: "3"}, annotation.Status{}, false, ""},
		"an override":             {0, map[string]string{annotation.Windows: day, annotation.OverrideKey: "2 until 2026-06-02T09:00:00Z"}, asleep, false, ""},
		"an override while it waits": {0, map[string]string{annotation.Windows: day, annotation.OverrideKey: "2 until 2026-06-02T09:00:00Z"},
			annotation.Status{State: annotation.StateWaiting, Size: ptr.To[int32](0), Normal: ptr.To[int32](3)}, false, ""},
		"the rules are removed": {0, map[string]string{annotation.Remembered: "3"}, asleep, false, ""},
		"nothing to do":         {3, map[string]string{annotation.Windows: day, annotation.Replicas: "3"}, asleep, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			spec, problems := annotation.Parse(c.annotations, time.UTC)
			w := Workload{Size: c.size, Spec: spec, Problems: problems, Status: c.status, Writer: Writer{Manager: "curfew", Curfew: true}}
			d := Decide(w, at)
			if got := d.Paced(w); got != c.paced {
				t.Fatalf("paced %v: %+v", got, d)
			}
			if !c.paced {
				return
			}
			// However often it is looked at while it waits, it says the same, and then it wakes as it would have.
			waiting := d.Waiting(w)
			for range 3 {
				if s := waiting.Status; !InTurn(s) || !strings.Contains(s.Message, c.says) || waiting.Size != nil {
					t.Fatalf("%+v", waiting)
				}
				after := w.after(waiting)
				again := Decide(after, at.Add(time.Minute))
				if !again.Paced(after) || *again.Size != *d.Size || again.Waiting(after).Status.String() != waiting.Status.String() {
					t.Errorf("after it has waited: %+v, before: %+v", again, d)
				}
				if !ptr.Equal(after.Spec.Remembered, w.Spec.Remembered) {
					t.Errorf("%v is remembered", after.Spec.Remembered)
				}
				w = after
			}
		})
	}
}

func TestLowers(t *testing.T) {
	at := time.Date(2026, 6, 2, 8, 0, 0, 0, time.UTC)
	for rules, want := range map[string]bool{
		"08:00-20:00 = normal\nalways = 0": true, "07:00-09:00 = 0": false, "09:00-10:00 = 5": false, "09:00-10:00 = 1": true, "always = 0": false,
	} {
		spec, _ := annotation.Parse(map[string]string{annotation.Windows: rules, annotation.Replicas: "3"}, time.UTC)
		w := Workload{Size: 3, Spec: spec}
		if got := Decide(w, at).Lowers(w); got != want {
			t.Errorf("%s: %v", rules, got)
		}
	}
}
