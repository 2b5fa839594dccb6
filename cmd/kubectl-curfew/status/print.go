package status

import (
	"fmt"
	"os"
	"time"

	"curfew/cmd/kubectl-curfew/live"
	"curfew/cmd/kubectl-curfew/output"
	"curfew/scaler/kind"
)

// printer prints items as they come.
type printer struct {
	o      *options
	layout layout
	table  *output.Table // nil before the first row
	begun  bool          // there is something already
}

func (o *options) printer() *printer {
	return &printer{o: o, layout: layout{namespace: o.AllNamespaces || o.Namespaces(), wide: o.output == "wide"}}
}

// print prints each item: a row, a name, or a document of its own.
func (p *printer) print(items []Item, now time.Time) error {
	if len(items) == 0 {
		return nil
	}
	switch p.o.output {
	case "", "wide":
		return p.rows(items, now)
	}
	for _, item := range items {
		if err := p.single(item); err != nil {
			return err
		}
	}
	return nil
}

func (p *printer) single(item Item) error {
	w := p.o.streams.Out
	switch p.o.output {
	case "json":
		return output.JSON(w, item)
	case "yaml":
		if p.begun {
			fmt.Fprintln(w, "---")
		}
		p.begun = true
		return output.YAML(w, item)
	}
	_, err := fmt.Fprintln(w, live.FullName(item.key.Kind, item.Name))
	return err
}

func (p *printer) rows(items []Item, now time.Time) error {
	var rows [][]output.Cell
	if p.table == nil {
		p.table = output.NewTable(p.o.streams.Out, p.o.colour.On(p.o.streams.Out, os.Getenv), "")
		rows = append(rows, p.layout.header())
	}
	for _, item := range items {
		p.layout.kinds = p.layout.kinds || item.key.Kind != kind.Deployment
	}
	for _, item := range items {
		rows = append(rows, p.layout.row(item, now))
	}
	return p.table.Print(rows...)
}
