package explain

import (
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/cmd/kubectl-curfew/status"
	"curfew/scaler/annotation"
	"curfew/scaler/kind"
)

// printer prints an explanation in sections, as kubectl describe does.
type printer struct {
	Explanation
	w       io.Writer
	palette output.Palette
}

func (p printer) print() error {
	p.head()
	return firstError(p.inputs(), p.overrides(), p.rules(), p.problems(), p.said(), p.changes(), p.events())
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// line is a name and what there is to say.
func (p printer) line(name, text string) {
	if name != "" {
		name += ":"
	}
	fmt.Fprintf(p.w, "%-*s%s\n", indent, name, text)
}

// indent is where what there is to say starts.
const indent = 14

func (p printer) head() {
	name := p.Name
	if k := p.subject.Object.Kind; k != kind.Deployment {
		name = p.subject.Object.FullName()
	}
	p.line("Name", name)
	p.line("Namespace", p.Namespace)
	p.line("Time", output.Local(p.now, p.zone)+", "+p.now.UTC().Format(time.RFC3339))
	_, style := p.Why()
	p.line("Decision", p.palette.Paint(style, p.Decision))
	if !p.Until.IsZero() {
		p.line("Until", when(p.Until, p.zone, p.now))
	}
	if p.Moved != "" {
		p.line("", p.Moved)
	}
	if p.Next != nil {
		p.line("Then", p.Next.String())
	}
	has := live.Size(p.subject.Object.Kind, p.Replicas, live.MaxOf(p.subject.Workload))
	switch k := p.subject.Object.Kind; {
	case live.IsSwitch(k):
		p.line("Size", "is "+has)
	case k.Counted:
		p.line("Size", fmt.Sprintf("asks for %s, %d ready", has, p.Ready))
	default:
		p.line("Size", "asks for "+has)
	}
}

// section is a title and a table under it. Without rows it is a line.
func (p printer) section(title string, header []output.Cell, rows [][]output.Cell, without string) error {
	if len(rows) == 0 {
		p.line(title, without)
		return nil
	}
	fmt.Fprintln(p.w, title+":")
	table := output.NewTable(p.w, p.palette, "  ")
	if header != nil {
		rows = append([][]output.Cell{header}, rows...)
	}
	return table.Print(rows...)
}

func (p printer) inputs() error {
	var rows [][]output.Cell
	for _, in := range p.Inputs {
		rows = append(rows, output.Cells(in.Name, in.Value, in.From))
	}
	return p.section("Inputs", output.Cells("WHAT", "VALUE", "FROM"), rows, "")
}

func (p printer) overrides() error {
	var rows [][]output.Cell
	for _, o := range p.Overrides {
		rows = append(rows, marked(o.Holds, output.Magenta, string(o.Source)+":", o.Text, o.Verdict))
	}
	return p.section("Overrides", nil, rows, none)
}

func (p printer) rules() error {
	var rows [][]output.Cell
	_, style := p.Why()
	if p.Applied && p.State == annotation.StateNormal {
		style = output.Green
	}
	for i, r := range p.Rules {
		rows = append(rows, marked(r.Holds, style, fmt.Sprintf("%d.", i+1), r.Text, r.Verdict))
	}
	without := none
	if p.State == status.StateOptedOut {
		without = "opted out"
	}
	return p.section("Rules", nil, rows, without)
}

// none is what stands where there is nothing, as in what kubectl describes.
const none = "<none>"

// marked is a row with a mark in front of what holds.
func marked(holds bool, style output.Style, texts ...string) []output.Cell {
	mark := " "
	if holds {
		mark = ">"
	}
	cells := output.Cells(texts...)
	cells[0].Text = mark + " " + cells[0].Text
	if holds {
		for i := range cells {
			cells[i].Style = style
		}
	}
	return cells
}

func (p printer) problems() error {
	if len(p.Problems) == 0 {
		return nil
	}
	fmt.Fprintln(p.w, "Problems:")
	for _, text := range p.Problems {
		fmt.Fprintln(p.w, " ", strings.ReplaceAll(text, "\n", "\n    "))
	}
	return nil
}

// said is what the controller has written, and whether it is so.
func (p printer) said() error {
	is := p.Said
	parts := []string{string(is.State)}
	switch {
	case is.State == "" && p.Applied:
		parts[0] = "nothing, and there is nothing to say"
	case is.State == "":
		parts[0] = "nothing"
	}
	if is.Size != nil {
		parts = append(parts, sized(p.subject, *is.Size, ptr.Deref(is.Max, 0)))
	}
	if is.Normal != nil {
		parts = append(parts, "normal is "+live.Size(p.subject.Object.Kind, *is.Normal, ptr.Deref(is.NormalMax, 0)))
	}
	if is.Rule != "" {
		parts = append(parts, is.Rule)
	}
	if !is.Until.IsZero() {
		parts = append(parts, "until "+output.Local(is.Until, p.zone))
	}
	if is.State != "" && p.Applied {
		parts = append(parts, "and so it is")
	}
	p.line("Curfew said", output.Safe(strings.Join(parts, ", ")))
	if p.Message != "" {
		style := output.Plain
		if !p.Applied {
			style = output.Red
		}
		p.line("", p.palette.Paint(style, output.Safe(p.Message)))
	}
	return nil
}

func (p printer) changes() error {
	var rows [][]output.Cell
	var times []time.Time
	for _, c := range p.Changes {
		times = append(times, c.At)
	}
	layout := output.Layout(p.zone, times...)
	for _, c := range p.Changes {
		rows = append(rows, output.Cells(c.At.In(p.zone).Format(layout), c.At.Format(time.RFC3339), duration.HumanDuration(c.At.Sub(p.now)), live.Size(p.subject.Object.Kind, c.Size, c.Max), c.Why()))
	}
	if err := p.section("Changes", output.Cells("LOCAL", "UTC", "IN", "SIZE", "WHY"), rows, p.noChanges()); err != nil {
		return err
	}
	if n := len(rows); n > 0 && n < mostChanges {
		fmt.Fprintf(p.w, "  None after that, in the next %d years.\n", years)
	}
	return nil
}

func (p printer) noChanges() string {
	switch p.State {
	case annotation.StateInvalid:
		return "none until the mistake is mended"
	case annotation.StatePaused:
		return "none until the pause is over"
	case status.StateDeleting:
		return none
	}
	return fmt.Sprintf("none in the next %d years", years)
}

func (p printer) events() error {
	if p.Events == nil {
		p.line("Events", "unknown, for they may not be read")
		return nil
	}
	var rows [][]output.Cell
	for _, e := range p.Events {
		style := output.Plain
		if e.Type != "Normal" {
			style = output.Yellow
		}
		rows = append(rows, []output.Cell{
			{Text: e.At.In(p.zone).Format("Mon 2006-01-02 15:04:05 MST")}, {Text: duration.HumanDuration(p.now.Sub(e.At)) + " ago"},
			{Text: output.Safe(e.Reason), Style: style}, {Text: output.Safe(e.Note)},
		})
	}
	return p.section("Events", nil, rows, none)
}
