package harness

import (
	"fmt"
	"time"
)

// Window is a span of time near now, to the second, in UTC.
type Window struct{ Start, End time.Time }

// WindowIn is a window that starts after lead, rounded up to a whole second,
// and lasts for length. A negative lead gives one that is already open.
func WindowIn(lead, length time.Duration) Window {
	start := time.Now().UTC().Add(lead + time.Second - 1).Truncate(time.Second)
	return Window{Start: start, End: start.Add(length)}
}

// When is the window as a rule of Curfew says it: daily, so that midnight needs
// no thought. A span that ends before it starts ends on the next day.
func (w Window) When() string {
	return w.Start.Format(time.TimeOnly) + "-" + w.End.Format(time.TimeOnly)
}

// Rule is the rule that gives a size in the window: "20:00:05-20:00:10 = 0".
func (w Window) Rule(size string) string { return fmt.Sprintf("%s = %s", w.When(), size) }
