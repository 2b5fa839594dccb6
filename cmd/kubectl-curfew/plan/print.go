package plan

import (
	"fmt"
	"io"
	"time"

	"k8s.io/cli-runtime/pkg/printers"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/annotation"
)

// planned is a subject and what it does from one instant to another.
type planned struct {
	subject
	Plan
	from, to time.Time
}

// item is a planned object as JSON.
type item struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Timezone  string `json:"timezone"`
	Lead      string `json:"lead,omitempty"`   // how long before a larger size is due it starts to wake
	Spread    string `json:"spread,omitempty"` // the time over which boundaries are spread
	Shift     string `json:"shift,omitempty"`  // how much later its own come, which is known once it is in the cluster
	Note      string `json:"note,omitempty"`   // why the plan will not come true
	Plan
}

// itemList is several of them.
type itemList[T any] struct {
	Items []T `json:"items"`
}

func listOf(plans []planned) itemList[item] {
	list := itemList[item]{Items: []item{}}
	for _, p := range plans {
		i := item{Kind: p.kindName(), Namespace: p.namespace, Name: p.name, Timezone: p.zone.String(), Note: p.note, Plan: p.Plan}
		if lead := p.workload.Spec.Lead; lead > 0 {
			i.Lead = output.Duration(lead)
		}
		if spread := p.workload.Spec.Spread; spread > 0 {
			i.Spread = output.Duration(spread)
			if p.uid != "" {
				i.Shift = output.Duration(p.workload.Shift)
			}
		}
		list.Items = append(list.Items, i)
	}
	return list
}

// printTables prints a table for each plan, under a title if it is an object's.
func printTables(w io.Writer, plans []planned) error {
	for i, p := range plans {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if p.kind != nil {
			fmt.Fprintln(w, p.title())
		}
		if err := p.printTable(w); err != nil {
			return err
		}
	}
	return nil
}

func (s subject) title() string {
	about := s.zone.String()
	if s.normal != nil {
		about += ", normal is " + live.Size(s.kind, *s.normal, s.normalMax)
	}
	if lead := s.workload.Spec.Lead; lead > 0 {
		about += ", wakes " + output.Duration(lead) + " early"
	}
	switch spread := s.workload.Spec.Spread; {
	case spread > 0 && s.uid != "":
		about += fmt.Sprintf(", moved by %s of a spread of %s", output.Duration(s.workload.Shift), output.Duration(spread))
	case spread > 0:
		about += ", in the cluster up to " + output.Duration(spread) + " later"
	}
	title := fmt.Sprintf("%s %s (%s)", s.kindName(), s.printable(), about)
	if s.note != "" {
		title += "\n" + s.note
	}
	return title
}

// warn says what is suspicious about the rules.
func (p planned) warn(w io.Writer) {
	schedule := p.workload.Spec.Schedule
	if schedule == nil {
		return
	}
	for _, warning := range schedule.Warnings() {
		fmt.Fprintf(w, "warning: %s: %s\n", p.place, warning)
	}
	for _, r := range p.workload.Timetable().Bridged(p.from, p.to) {
		fmt.Fprintf(w, "warning: %s: line %d, column %d: %q: this is over before the lead of %s begins to wake it, so it never holds; make %s shorter than it, or take the rule out\n",
			p.place, r.Line(), r.Column(), r.Text(), output.Duration(p.workload.Spec.Lead), annotation.Lead)
	}
}

// kindName is the kind as manifests have it; "" for a text.
func (s subject) kindName() string {
	if s.kind == nil {
		return ""
	}
	return s.kind.Name
}

// printable is the name with its namespace, if that is known.
func (s subject) printable() string {
	name := manifest.Printable(s.name)
	if s.namespace != "" {
		name = manifest.Printable(s.namespace) + "/" + name
	}
	return name
}

func (p planned) printTable(w io.Writer) error {
	if p.OptedOut && len(p.workload.Spec.Overrides) == 0 {
		fmt.Fprintln(w, "Opted out: the rules are none.")
		return nil
	}
	layout := p.layout()
	table := printers.GetNewTabWriter(w)
	row := func(at time.Time, size, rule string) {
		if rule == "" {
			rule = "<none>"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", at.In(p.zone).Format(layout), at.UTC().Format(time.RFC3339), size, rule)
	}
	fmt.Fprintln(table, "LOCAL\tUTC\tSIZE\tRULE")
	row(p.from, p.SizeAtFrom, p.ruleAtFrom)
	for _, c := range p.Changes {
		row(c.At, c.Size, c.Rule)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(p.Changes) == 0 && p.complete {
		fmt.Fprintf(w, "No change before %s.\n", p.to.In(p.zone).Format(layout))
	}
	return nil
}

// layout is how the table writes its times.
func (p planned) layout() string {
	times := []time.Time{p.from, p.to}
	for _, c := range p.Changes {
		times = append(times, c.At)
	}
	return output.Layout(p.zone, times...)
}
