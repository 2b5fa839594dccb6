package plan

import (
	"fmt"
	"io"
	"time"

	"curfew/cmd/kubectl-curfew/output"
)

// compared is how an object's new annotations differ from the old from one instant to another.
type compared struct {
	subject  // the new one
	from, to time.Time
	diffItem
	all bool // there is no further difference in that time
}

// diffItem is a compared object as JSON.
type diffItem struct {
	Kind        string       `json:"kind"`
	Namespace   string       `json:"namespace"`
	Name        string       `json:"name"`
	Timezone    string       `json:"timezone"`
	Old         string       `json:"old,omitempty"` // why there are no old rules to compare with
	Differences []Difference `json:"differences"`   // never nil
}

func (c compared) print(w io.Writer) error {
	fmt.Fprintln(w, c.title())
	if c.Old != "" {
		fmt.Fprintln(w, c.Old)
	}
	if len(c.Differences) == 0 {
		fmt.Fprintf(w, "No difference before %s.\n", output.Local(c.to, c.zone))
		return nil
	}
	times := []time.Time{c.from, c.to}
	for _, d := range c.Differences {
		times = append(times, d.From, d.To)
	}
	layout := output.Layout(c.zone, times...)
	rows := [][]output.Cell{output.Cells("FROM", "TO", "OLD", "NEW")}
	for _, d := range c.Differences {
		rows = append(rows, output.Cells(d.From.In(c.zone).Format(layout), d.To.In(c.zone).Format(layout), because(d.OldSize, d.OldRule), because(d.NewSize, d.NewRule)))
	}
	return output.NewTable(w, false, "").Print(rows...)
}

// because is a size and the rule that says so.
func because(size, rule string) string {
	if rule == "" {
		return size
	}
	return fmt.Sprintf("%s (%s)", size, rule)
}
