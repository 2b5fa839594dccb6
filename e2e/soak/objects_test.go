package soak

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"curfew/e2e/harness"
)

// object is one Deployment, and what is asked of it and when.
type object struct {
	name    string
	windows []window
	given   bool // curfew/replicas says what is normal; else it is remembered
	created *appsv1.Deployment

	complaint string // what was wrong with it for too long

	mu       sync.Mutex
	size     int32 // as the API server has it
	known    bool
	normal   int32
	override window
	touched  []time.Time // when somebody else changed it
}

// window is a time for which a size is asked for.
type window struct {
	harness.Window
	size int32
}

func (w window) holds(at time.Time) bool { return !at.Before(w.Start) && at.Before(w.End) }

// newObject makes one with windows that follow each other from one time to another. Every tenth says it with cron.
func newObject(r *rand.Rand, i int, from, to time.Time) (*object, map[string]string) {
	o := &object{name: fmt.Sprintf("soak-%04d", i), given: i%2 == 0, normal: int32(2 + i%3)}
	says := map[string]string{}
	if o.given {
		says[harness.Replicas] = fmt.Sprint(o.normal)
	}
	if i%10 == 9 {
		long := time.Duration(5+r.IntN(40)) * time.Second
		says[harness.Windows] = fmt.Sprintf("cron(* * * * *) for %s = 0", long)
		// It goes on when all others have ended.
		for at := from.Truncate(time.Minute).Add(-time.Minute); at.Before(to.Add(time.Hour)); at = at.Add(time.Minute) {
			o.windows = append(o.windows, window{harness.Window{Start: at, End: at.Add(long)}, 0})
		}
		return o, says
	}
	var rules []string
	for at := from.Add(time.Duration(r.IntN(20)) * time.Second); ; {
		w := window{harness.Window{Start: at, End: at.Add(time.Duration(4+r.IntN(20)) * time.Second)}, int32(r.IntN(8) / 7)}
		if w.End.After(to) {
			break
		}
		o.windows = append(o.windows, w)
		rules = append(rules, w.Rule(fmt.Sprint(w.size)))
		at = w.End.Add(time.Duration(4+r.IntN(40)) * time.Second)
	}
	rules = append(rules, "2001-01-01 = 0") // there may be no window at all
	says[harness.Windows] = strings.Join(rules, "\n")
	return o, says
}

// String is for people.
func (o *object) String() string {
	text := fmt.Sprintf("normal is %d, an override of %d until %s, touched", o.normal, o.override.size, o.override.End.Format(time.TimeOnly))
	for _, t := range o.touched {
		text += " " + t.UTC().Format("15:04:05.000")
	}
	return text
}

// wanted is the size to have at an instant.
func (o *object) wanted(at time.Time) int32 {
	if o.override.holds(at) {
		return o.override.size
	}
	if w := o.window(at); w != nil {
		return w.size
	}
	return o.normal
}

// window is the one that holds at an instant, nil if none does.
func (o *object) window(at time.Time) *window {
	i, _ := slices.BinarySearchFunc(o.windows, at, func(w window, at time.Time) int {
		if w.End.After(at) {
			return 1
		}
		return -1
	})
	if i < len(o.windows) && o.windows[i].holds(at) {
		return &o.windows[i]
	}
	return nil
}

// since is when something else was last asked for than before, or somebody changed it.
func (o *object) since(at time.Time) time.Time {
	var last time.Time
	note := func(t time.Time) {
		if !t.After(at) && t.After(last) {
			last = t
		}
	}
	for _, w := range o.windows {
		note(w.Start)
		note(w.End)
	}
	note(o.override.Start)
	note(o.override.End)
	for _, t := range o.touched {
		note(t)
	}
	return last
}

// calm tells whether the object is as it should be, and nothing is asked for, nor done to it, just before and after.
func (o *object) calm(at time.Time) bool {
	const near = 4 * time.Second
	return o.known && o.size == o.wanted(at) && o.size == o.wanted(at.Add(near)) && o.window(at) == o.window(at.Add(near)) &&
		o.override.holds(at) == o.override.holds(at.Add(near)) && at.Sub(o.since(at)) > near
}
