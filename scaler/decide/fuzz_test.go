package decide_test

import (
	"strconv"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// FuzzDecide decides about anything that may be written on a workload and its Namespace. No size is negative; what
// must not be touched is not; what is remembered is kept or given back; the next look is later than now; and once the
// change is made there is nothing more to do at that instant, nor when it is looked at a little later for no reason.
// A minimum is never above its maximum.
func FuzzDecide(f *testing.F) {
	const friday = 1_780_693_200
	window := `{"state":"window","size":0,"normal":3,"rule":"always = 0"}`
	f.Add("Mon-Fri 20:00-06:00 = 0", "", "", "", "", "", "", "", int64(friday), int32(3), uint8(0), int32(0), int32(0))
	f.Add("20:00-22:00 = 12..40; always = 12", "", "4..9 until 2026-06-05T20:00:00Z", "", "3", "3..10", `{"state":"window","size":5,"max":6,"normal":3,"normalMax":10}`, "", int64(friday), int32(5), uint8(0), int32(0), int32(7))
	f.Add("20:00-22:00 = 12..40", "", "", "true", "9..11", "6", `{"max":40,"normalMax":1}`, "", int64(friday), int32(5), uint8(3), int32(0), int32(5))
	f.Add("always = 3..5", "", "", "", "8", "", "", "", int64(friday), int32(5), uint8(0), int32(0), int32(7))
	f.Add("always = 3..5", "", "", "", "", "8..9", `{"state":"window","size":3,"max":5,"normal":8,"normalMax":9}`, "", int64(friday), int32(3), uint8(0), int32(0), int32(7))
	f.Add("always = 0", "Europe/Berlin", "5 until 2026-06-05T23:00:00Z", "", "", "4", window, "always = 50%", int64(friday), int32(0), uint8(3), int32(2), int32(0))
	f.Add("", "", "", "", "", "", `{"state":"window","size":0,"normal":-3}`, "", int64(friday), int32(0), uint8(3), int32(0), int32(0))
	f.Add("", "", "", "", "", "", `{"state":"window","size":3,"normal":3,"max":40,"normalMax":-1}`, "", int64(friday), int32(3), uint8(3), int32(0), int32(40))
	f.Add("none", "", "tomorrow", "true", "3", "4", `{"state":"paused","size":0,"normal":3}`, "", int64(friday), int32(7), uint8(1), int32(0), int32(7))
	f.Add("", "UTC", "normal until 2026-06-06T00:00:00+02:00", "yes", "", "x", `{"state":"window","size":2}`, "20:00-22:00 = 2; always = 50%", int64(friday), int32(0), uint8(19), int32(1), int32(0))
	f.Add("cron(*/2 * * * *) for 1m = 2; always = 50%", "", "", "", "4", "", "", "", int64(friday), int32(4), uint8(4), int32(0), int32(9))
	f.Add("20:00-06:00 = 0", "", "", "", "", "3", window, "", int64(friday), int32(0), uint8(32+64), int32(0), int32(0))
	f.Fuzz(func(t *testing.T, windows, zone, override, paused, replicas, remembered, status, spaceWindows string, at int64, size int32, kind uint8, minimum, most int32) {
		if size < 0 || most < 0 || most > 0 && size > most || at < 0 || at > 6_000_000_000 || minimum < 0 { // the API server sees to that
			t.Skip()
		}
		own, space := map[string]string{}, map[string]string{}
		for key, value := range map[string]string{annotation.Windows: windows, annotation.Timezone: zone, annotation.OverrideKey: override,
			annotation.Paused: paused, annotation.Replicas: replicas, annotation.Remembered: remembered, annotation.StatusKey: status} {
			if value != "" {
				own[key] = value
			}
		}
		if spaceWindows != "" {
			space[annotation.Windows] = spaceWindows
		}
		if kind&32 != 0 {
			own[annotation.Lead] = "25m"
		}
		if kind&64 != 0 {
			own[annotation.Grace] = "40m"
		}
		writer := []decide.Writer{owner, {Manager: "kubectl", Scale: true}, {}, {Manager: "curfew", Curfew: true}}[kind%4]
		var hpa *decide.Autoscaler
		if minimum > 0 {
			hpa = &decide.Autoscaler{Name: "web", Min: minimum}
		}
		var ceiling *decide.Ceiling
		if most > 0 {
			ceiling, hpa = &decide.Ceiling{Max: most, Writer: writer}, nil
		}
		now := time.Unix(at, int64(kind)*1000)
		read := func() decide.Workload {
			w := decide.Workload{Size: size, Writer: writer, Status: annotation.ParseStatus(own[annotation.StatusKey]), Autoscaler: hpa, Ceiling: ceiling,
				Created: time.Unix(at, 0).Add(-time.Duration(kind) * time.Minute)}
			if kind&16 != 0 {
				w.Shift = 77 * time.Second
			}
			w.Spec, w.Problems = annotation.ParseIn(space, own, nil)
			return w
		}
		w := read()
		d := decide.Decide(w, now)
		change := d.Change(size, own)
		if d.Size != nil && *d.Size < 0 || d.Remembered != nil && *d.Remembered < 0 {
			t.Fatalf("it decides %d and remembers %d", ptr.Deref(d.Size, 0), ptr.Deref(d.Remembered, 0))
		}
		if grave := w.Problems.Grave(); grave || d.Status.State == annotation.StatePaused {
			if _, touched := change.Annotations[annotation.Remembered]; d.Size != nil || d.Max != nil || touched && grave {
				t.Fatalf("it must not be touched: %+v", change)
			}
		}
		if !d.Next.IsZero() && !d.Next.After(now) {
			t.Fatalf("at %v it is to be looked at again at %v", now, d.Next)
		}
		if text := d.Status.String(); annotation.ParseStatus(text).String() != text {
			t.Fatalf("the status %s is read as %s", text, annotation.ParseStatus(text))
		}
		if w.Spec.Remembered != nil && d.Remembered == nil && d.Size == nil && hpa == nil && w.Spec.Replicas == nil {
			t.Fatalf("%d was remembered, and is lost: %+v", *w.Spec.Remembered, d)
		}

		if change.Max != nil {
			ceiling = &decide.Ceiling{Max: *change.Max, Writer: decide.Writer{Manager: "curfew", Curfew: true}}
		}
		if change.Size != nil {
			size, writer = *change.Size, decide.Writer{Manager: "curfew", Curfew: true}
		}
		if ceiling != nil && change.Resizes() && size > ceiling.Max {
			t.Fatalf("the minimum is %d and the maximum %d: %+v", size, ceiling.Max, d)
		}
		for key, value := range change.Annotations {
			if value == nil {
				delete(own, key)
			} else {
				own[key] = *value
			}
		}
		for _, later := range []time.Duration{0, time.Nanosecond, time.Minute} {
			then := now.Add(later)
			if !d.Next.IsZero() && !then.Before(d.Next) {
				continue
			}
			again := decide.Decide(read(), then)
			if change := again.Change(size, own); !change.Empty() {
				for key, value := range change.Annotations {
					t.Logf("%s becomes %s", key, ptr.Deref(value, "nothing"))
				}
				t.Fatalf("having decided %s, %v later it decides %s, %s", d.Status, later, again.Status, strconv.Itoa(int(ptr.Deref(change.Size, -1))))
			}
		}
	})
}
