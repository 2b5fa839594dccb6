package plan

import (
	"fmt"
	"io"
	"time"

	"k8s.io/cli-runtime/pkg/printers"

	"curfew/cmd/kubectl-curfew/manifest"
	"curfew/cmd/kubectl-curfew/output"
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
	Note      string `json:"note,omitempty"` // why the plan will not come true
	Plan
}

// itemList is several of them.
type itemList[T any] struct {
	Items []T `json:"items"`
}

func listOf(plans []planned) itemList[item] {
	list := itemList[item]{Items: []item{}}
	for _, p := range plans {
		list.Items = append(list.Items, item{p.kind, p.namespace, p.name, p.zone.String(), p.note, p.Plan})
	}
	return list
}

// printTables prints a table for each plan, under a title if it is an object's.
func printTables(w io.Writer, plans []planned) error {
	for i, p := range plans {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if p.kind != "" {
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
		about += fmt.Sprintf(", normal is %d", *s.normal)
	}
	title := fmt.Sprintf("%s %s (%s)", s.kind, s.printable(), about)
	if s.note != "" {
		title += "\n" + s.note
	}
	return title
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
	if p.OptedOut && len(p.spec.Overrides) == 0 {
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
