package decide_test

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"curfew/scaler/annotation"
	"curfew/scaler/decide"
)

// TestPrecedence is the specification of what wins over what. Each row is one workload at 2026-06-05 21:00 UTC, with what
// meets on it, and what comes out. It has 3 replicas unless the row says otherwise.
func TestPrecedence(t *testing.T) {
	const (
		night   = "20:00-06:00 = 0" // holds
		evening = "20:00-22:00 = 2" // holds
		day     = "06:00-20:00 = 0" // does not hold

		running  = "5 until 2026-06-05T23:00:00Z"
		runsZero = "0 until 2026-06-05T23:00:00Z"
		runsAs   = "normal until 2026-06-05T23:00:00Z"
		ranOut   = "5 until 2026-06-05T20:59:59Z"
		justOut  = "5 until 2026-06-05T21:00:00Z"
	)
	type a = map[string]string
	const (
		win, over, pause, reps, mem, grace = annotation.Windows, annotation.OverrideKey, annotation.Paused, annotation.Replicas, annotation.Remembered, annotation.Grace
	)
	hpa := &decide.Autoscaler{Name: "web", Min: 2}
	handsOff := (*int32)(nil)
	n := ptr.To[int32]

	for _, c := range []struct {
		name      string
		own       a
		namespace a
		size      int32 // 0 here means 3; -1 means 0
		writer    decide.Writer
		hpa       *decide.Autoscaler
		created   string

		want   *int32
		memory *int32
		state  annotation.State
	}{
		// Rules and normal.
		{name: "a rule holds", own: a{win: night}, want: n(0), memory: n(3), state: "window"},
		{name: "a rule holds, replicas given", own: a{win: night, reps: "4"}, want: n(0), state: "window"},
		{name: "no rule holds", own: a{win: day}, want: handsOff, state: "normal"},
		{name: "no rule holds, replicas given", own: a{win: day, reps: "4"}, want: n(4), state: "normal"},
		{name: "no rule holds, something remembered", own: a{win: day, mem: "4"}, size: -1, want: n(4), state: "normal"},
		{name: "a rule holds, something remembered", own: a{win: night, mem: "4"}, size: -1, want: n(0), memory: n(4), state: "window"},
		{name: "nothing said", own: nil, want: handsOff, state: ""},
		{name: "replicas alone say nothing", own: a{reps: "9"}, want: handsOff, state: ""},

		// Namespace and Deployment.
		{name: "the Namespace's rules are the default", namespace: a{win: night}, want: n(0), memory: n(3), state: "window"},
		{name: "own rules replace the Namespace's whole", own: a{win: day}, namespace: a{win: night}, want: handsOff, state: "normal"},
		{name: "opted out of the Namespace's rules", own: a{win: "none"}, namespace: a{win: night}, want: handsOff, state: ""},
		{name: "opted out with something remembered", own: a{win: "none", mem: "4"}, namespace: a{win: night}, size: -1, want: n(4), state: ""},
		{name: "a Namespace's none is nothing", namespace: a{win: "none"}, want: handsOff, state: ""},
		{name: "replicas with the Namespace's rules", own: a{reps: "4"}, namespace: a{win: day}, want: n(4), state: "normal"},
		{name: "the Namespace's zone for own rules", own: a{win: "Fri 23:00-24:00 = 0"}, namespace: a{annotation.Timezone: "Europe/Berlin"}, want: n(0), memory: n(3), state: "window"},
		{name: "own zone before the Namespace's", own: a{win: "Sat 06:00-07:00 = 0", annotation.Timezone: "Asia/Tokyo"}, namespace: a{annotation.Timezone: "Europe/Berlin"}, want: n(0), memory: n(3), state: "window"},
		{name: "own zone for the Namespace's rules", own: a{annotation.Timezone: "Asia/Tokyo"}, namespace: a{win: "Sat 06:00-07:00 = 0"}, want: n(0), memory: n(3), state: "window"},

		// Override.
		{name: "override over a rule", own: a{win: night, over: running}, want: n(5), memory: n(3), state: "override"},
		{name: "override over no rule", own: a{win: day, over: running}, want: n(5), memory: n(3), state: "override"},
		{name: "override over nothing", own: a{over: running}, want: n(5), memory: n(3), state: "override"},
		{name: "override of 0", own: a{win: day, over: runsZero}, want: n(0), memory: n(3), state: "override"},
		{name: "override of normal in a window", own: a{win: night, over: runsAs, mem: "4"}, size: -1, want: n(4), state: "override"},
		{name: "override of normal, replicas given", own: a{win: night, over: runsAs, reps: "4"}, size: -1, want: n(4), state: "override"},
		{name: "override of normal out of a window", own: a{win: day, over: runsAs}, want: handsOff, state: "override"},
		{name: "override keeps the older memory", own: a{win: night, over: running, mem: "4"}, size: -1, want: n(5), memory: n(4), state: "override"},
		{name: "override that ran out", own: a{win: night, over: ranOut}, want: n(0), memory: n(3), state: "window"},
		{name: "override that ends now", own: a{win: night, over: justOut}, want: n(0), memory: n(3), state: "window"},
		{name: "override that ran out, and nothing else", own: a{over: ranOut, mem: "4"}, size: 5, want: n(4), state: ""},
		{name: "the Namespace's override", own: a{win: night}, namespace: a{over: running}, want: n(5), memory: n(3), state: "override"},
		{name: "the Namespace's override without rules", namespace: a{over: running}, want: n(5), memory: n(3), state: "override"},
		{name: "the nearer override wins", own: a{over: runsZero}, namespace: a{over: running}, want: n(0), memory: n(3), state: "override"},
		{name: "the nearer one ran out", own: a{over: ranOut}, namespace: a{over: runsZero}, want: n(0), memory: n(3), state: "override"},
		{name: "opted out of the Namespace's override too", own: a{win: "none"}, namespace: a{over: runsZero}, want: handsOff, state: ""},
		{name: "opted out with an override of one's own", own: a{win: "none", over: runsZero}, want: n(0), memory: n(3), state: "override"},
		{name: "an override that cannot be read: the schedule goes on", own: a{win: night, over: "tomorrow"}, want: n(0), memory: n(3), state: "window"},
		{name: "an override that cannot be read, and nothing else", own: a{over: "force"}, want: handsOff, state: "invalid"},
		{name: "the Namespace's override cannot be read", own: a{win: night}, namespace: a{over: "5 until 2026-06-05 23:00"}, want: n(0), memory: n(3), state: "window"},

		// Pause.
		{name: "paused in a window", own: a{win: night, pause: "true"}, want: handsOff, state: "paused"},
		{name: "paused with something remembered", own: a{win: night, pause: "true", mem: "4"}, size: -1, want: handsOff, memory: n(4), state: "paused"},
		{name: "paused beats an override", own: a{win: night, over: running, pause: "true"}, want: handsOff, state: "paused"},
		{name: "paused beats replicas", own: a{win: day, reps: "9", pause: "true"}, want: handsOff, state: "paused"},
		{name: "paused without rules, something remembered", own: a{pause: "true", mem: "4"}, size: -1, want: handsOff, memory: n(4), state: "paused"},
		{name: "paused and nothing to do", own: a{pause: "true"}, want: handsOff, state: ""},
		{name: "not paused", own: a{win: night, pause: "false"}, want: n(0), memory: n(3), state: "window"},
		{name: "paused is strict", own: a{win: night, pause: "yes", mem: "4"}, size: -1, want: handsOff, memory: n(4), state: "invalid"},
		{name: "the Namespace is paused", own: a{win: night}, namespace: a{pause: "true"}, want: handsOff, state: "paused"},
		{name: "unpaused in a paused Namespace", own: a{win: night, pause: "false"}, namespace: a{pause: "true"}, want: n(0), memory: n(3), state: "window"},
		{name: "paused with an HPA", own: a{win: night, pause: "true"}, hpa: hpa, want: handsOff, state: "paused"},

		// Mistakes.
		{name: "a mistake beats everything", own: a{win: "8-20", over: running, pause: "true"}, want: handsOff, state: "invalid"},
		{name: "a mistake keeps the memory", own: a{win: "8-20", mem: "4"}, size: -1, want: handsOff, memory: n(4), state: "invalid"},
		{name: "the Namespace's mistake", namespace: a{win: "8-20"}, want: handsOff, state: "invalid"},
		{name: "own rules under the Namespace's mistake", own: a{win: night}, namespace: a{win: "8-20"}, want: n(0), memory: n(3), state: "window"},
		{name: "the Namespace's zone is a mistake", own: a{win: night}, namespace: a{annotation.Timezone: "PST"}, want: handsOff, state: "invalid"},
		{name: "the Namespace's zone is a mistake, and own zone", own: a{win: night, annotation.Timezone: "UTC"}, namespace: a{annotation.Timezone: "PST"}, want: n(0), memory: n(3), state: "window"},
		{name: "the Namespace's zone is a mistake, and no rules", namespace: a{annotation.Timezone: "PST"}, want: handsOff, state: ""},
		{name: "a key that is not there", own: a{win: night, "curfew/windws": ""}, want: handsOff, state: "invalid"},

		// Autoscaler.
		{name: "HPA and a window of 0", own: a{win: night}, hpa: hpa, want: n(0), memory: n(3), state: "window"},
		{name: "HPA and the end of a window of 0", own: a{win: day, mem: "4"}, size: -1, hpa: hpa, want: n(4), state: "normal"},
		{name: "HPA and a memory under its minimum", own: a{win: day, mem: "1"}, size: -1, hpa: hpa, want: n(2), state: "normal"},
		{name: "HPA that has left 0 already", own: a{win: day, mem: "4"}, size: 7, hpa: hpa, want: handsOff, state: "normal"},
		{name: "HPA outside windows", own: a{win: day}, hpa: hpa, want: handsOff, state: "normal"},
		{name: "HPA outside windows, replicas given", own: a{win: day, reps: "9"}, hpa: hpa, want: handsOff, state: "normal"},
		{name: "HPA at 0 that nobody took there", own: a{win: day, reps: "9"}, size: -1, hpa: hpa, want: handsOff, state: "normal"},
		{name: "HPA and a window above 0", own: a{win: evening}, hpa: hpa, want: handsOff, state: "window"},
		{name: "HPA and a window above 0 after one of 0", own: a{win: evening, mem: "4"}, size: -1, hpa: hpa, want: n(4), state: "window"},
		{name: "HPA and an override above 0", own: a{win: night, over: running, mem: "4"}, size: -1, hpa: hpa, want: n(4), state: "override"},
		{name: "HPA and an override of 0", own: a{win: day, over: runsZero}, hpa: hpa, want: n(0), memory: n(3), state: "override"},
		{name: "HPA and a share that comes to 0", own: a{win: "20:00-06:00 = 0%"}, hpa: hpa, want: n(0), memory: n(3), state: "window"},
		{name: "HPA and opted out", own: a{win: "none", mem: "1"}, size: -1, hpa: hpa, want: n(2), state: ""},

		// At 0 before.
		{name: "0 before a window of 0", own: a{win: night}, size: -1, want: n(0), state: "window"},
		{name: "0 before a window above 0", own: a{win: evening}, size: -1, want: n(2), memory: n(0), state: "window"},
		{name: "0 remembered and given back", own: a{win: day, mem: "0"}, size: 2, want: n(0), state: "normal"},
		{name: "0 by Curfew and nothing remembered", own: a{win: evening}, size: -1, writer: decide.Writer{Manager: "curfew", Curfew: true}, want: n(2), state: "window"},

		// New workloads.
		{name: "new", own: a{win: night, grace: "30m"}, created: "2026-06-05T20:45:00Z", want: handsOff, state: "waiting"},
		{name: "no longer new", own: a{win: night, grace: "30m"}, created: "2026-06-05T20:30:00Z", want: n(0), memory: n(3), state: "window"},
		{name: "new by a clock ahead of ours", own: a{win: night, grace: "30m"}, created: "2026-06-05T21:15:00Z", want: handsOff, state: "waiting"},
		{name: "made in a future too far to be new", own: a{win: night, grace: "30m"}, created: "2026-06-05T21:30:00Z", want: n(0), memory: n(3), state: "window"},
		{name: "made in the future, and no grace", own: a{win: night}, created: "2026-06-05T21:00:01Z", want: n(0), memory: n(3), state: "window"},
		{name: "new, but taken already", own: a{win: night, grace: "30m", mem: "4"}, size: -1, created: "2026-06-05T20:45:00Z", want: n(0), memory: n(4), state: "window"},
		{name: "new and paused", own: a{win: night, grace: "30m", pause: "true"}, created: "2026-06-05T20:45:00Z", want: handsOff, state: "paused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := decide.Workload{Size: c.size, Writer: c.writer, Autoscaler: c.hpa}
			switch c.size {
			case 0:
				w.Size = 3
			case -1:
				w.Size = 0
			}
			if w.Writer == (decide.Writer{}) {
				w.Writer = decide.Writer{Manager: "kubectl", Scale: true}
			}
			if c.created != "" {
				w.Created, _ = time.Parse(time.RFC3339, c.created)
			}
			w.Spec, w.Problems = annotation.ParseIn(c.namespace, c.own, time.UTC)
			d := decide.Decide(w, time.Date(2026, 6, 5, 21, 0, 0, 0, time.UTC))
			if !ptr.Equal(d.Size, c.want) {
				t.Errorf("size %v, want %v", ptr.Deref(d.Size, -1), ptr.Deref(c.want, -1))
			}
			if !ptr.Equal(d.Remembered, c.memory) {
				t.Errorf("memory %v, want %v", ptr.Deref(d.Remembered, -1), ptr.Deref(c.memory, -1))
			}
			if d.Status.State != c.state {
				t.Errorf("state %q, want %q", d.Status.State, c.state)
			}
			if len(w.Problems) > 0 && c.state != "" && d.Status.Message == "" {
				t.Errorf("nothing is said of %v", w.Problems)
			}
		})
	}
}
