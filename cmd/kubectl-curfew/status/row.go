package status

import (
	"fmt"
	"time"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
)

// none is what stands in a field that has nothing to say, as in the tables of kubectl.
const none = "<none>"

// layout is which columns a table has.
type layout struct {
	namespace, wide bool
	kinds           bool // names are told with their kinds, for there are others than Deployments
}

func (l layout) header() []output.Cell {
	return l.columns(output.Cell{Text: "NAMESPACE"}, output.Cells("NAME", "NOW", "WHY", "UNTIL", "NEXT"), output.Cells("ZONE", "READY", "SOURCE", "MESSAGE"))
}

func (l layout) row(i Item, now time.Time) []output.Cell {
	source, message := string(i.Source), output.Safe(i.Message)
	if source == "" {
		source = none
	}
	if message == "" {
		message = none
	}
	text, style := i.Why()
	why := output.Cell{Text: text, Style: style}
	name := i.Name
	if l.kinds {
		name = live.FullName(i.key.Kind, i.Name)
	}
	narrow := append(append(output.Cells(name, i.now()), why), output.Cells(i.until(now), i.next())...)
	return l.columns(output.Cell{Text: i.Namespace}, narrow, output.Cells(i.Timezone, fmt.Sprint(i.Ready), source, message))
}

func (l layout) columns(namespace output.Cell, narrow, wide []output.Cell) []output.Cell {
	var all []output.Cell
	if l.namespace {
		all = append(all, namespace)
	}
	all = append(all, narrow...)
	if l.wide {
		all = append(all, wide...)
	}
	return all
}

// now is the size it should have and the normal one.
func (i Item) now() string {
	if i.State == StateGone {
		return none
	}
	size := live.Size(i.key.Kind, i.Size, i.Max)
	switch {
	case live.IsSwitch(i.key.Kind):
		return size
	case i.Normal == nil:
		return size + "/?"
	}
	return size + "/" + live.Size(i.key.Kind, *i.Normal, i.NormalMax)
}

// longest keeps a reason from filling the screen. It is there in full as JSON, and by explain.
const longest = 60

// Why is the reason for the size in a few words, and how to paint it.
func (i Item) Why() (string, output.Style) {
	text, style := i.why()
	text = output.Short(output.Safe(text), longest)
	if i.aside != "" {
		text += " (" + i.aside + ")"
	}
	if !i.Applied {
		style = output.Red
	}
	return text, style
}

func (i Item) why() (string, output.Style) {
	switch i.State {
	case annotation.StateWindow:
		return i.Rule, output.Cyan
	case annotation.StateNormal:
		return "normal", output.Green
	case annotation.StateOverride:
		return "override", output.Magenta
	case annotation.StatePaused:
		return "paused", output.Yellow
	case annotation.StateWaiting:
		if i.inTurn {
			return "waiting for its turn to wake", output.Yellow
		}
		return "waiting (new)", output.Yellow
	case annotation.StateContested:
		return "contested by " + i.detail, output.Red
	case annotation.StateInvalid:
		return "invalid: " + i.detail, output.Red
	case StateOptedOut:
		return "opted out", output.Faint
	case StateDeleting:
		return "being deleted", output.Faint
	}
	return string(i.State), output.Faint
}

func (i Item) until(now time.Time) string {
	if i.Until.IsZero() {
		return none
	}
	return fmt.Sprintf("%s (%s)", output.Local(i.Until, i.zone), output.In(now, i.Until))
}

func (i Item) next() string {
	if i.Next == nil {
		return none
	}
	return i.Next.String()
}

// String is the size and why, in a few words.
func (n Next) String() string {
	return fmt.Sprintf("%s (%s)", live.Size(n.kind, n.Size, n.Max), output.Short(n.Why(), longest))
}

// Why is the reason for the size.
func (n Next) Why() string {
	switch n.State {
	case annotation.StateWindow:
		return n.Rule
	case StateNone:
		return "no rules"
	}
	return string(n.State)
}
