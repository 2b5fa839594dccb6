package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/printers"

	"curfew/cmd/kubectl-curfew/manifest"
)

// savedItem is what an object saves, as JSON.
type savedItem struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Savings
}

// savedNamespace is what all objects in a Namespace save.
type savedNamespace struct {
	Namespace string `json:"namespace"`
	Savings
}

// savedList is what several objects save from one instant to another.
type savedList struct {
	From       time.Time        `json:"from"`
	To         time.Time        `json:"to"`
	Items      []savedItem      `json:"items"`
	Namespaces []savedNamespace `json:"namespaces"`
	Total      Savings          `json:"total"`
}

// saved sums what subjects save from one instant to another, each and by Namespace.
func saved(subjects []subject, from, to time.Time) savedList {
	list := savedList{From: from.UTC(), To: to.UTC(), Items: []savedItem{}, Namespaces: []savedNamespace{}}
	for _, s := range counted(subjects) {
		savings := save(s.workload, s.normalSize(), s.request, from, to)
		list.Items = append(list.Items, savedItem{s.kindName(), s.namespace, s.name, savings})
		list.Total = list.Total.plus(savings)
		i := slices.IndexFunc(list.Namespaces, func(n savedNamespace) bool { return n.Namespace == s.namespace })
		if i < 0 {
			i, list.Namespaces = len(list.Namespaces), append(list.Namespaces, savedNamespace{Namespace: s.namespace})
		}
		list.Namespaces[i].Savings = list.Namespaces[i].plus(savings)
	}
	return list
}

// counted are those whose size is a number of pods. What is off instead saves what it would have run, which nobody knows.
func counted(subjects []subject) []subject {
	var some []subject
	for _, s := range subjects {
		if s.kind.Counted {
			some = append(some, s)
		}
	}
	return some
}

// print prints a row for each object, and one for each Namespace where there are several objects in it.
func (l savedList) print(w io.Writer) error {
	table := printers.GetNewTabWriter(w)
	row := func(namespace, name string, s Savings) {
		if namespace == "" {
			namespace = "<none>"
		}
		share := "-"
		if s.AlwaysOn.ReplicaHours > 0 {
			share = fmt.Sprintf("%.0f%%", 100*s.Saved.ReplicaHours/s.AlwaysOn.ReplicaHours)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", manifest.Printable(namespace), name, s.Normal,
			hours(s.AlwaysOn.ReplicaHours), hours(s.Planned.ReplicaHours), hours(s.Saved.ReplicaHours), share,
			hours(s.Saved.CPUCoreHours), hours(s.Saved.MemoryGiBHours))
	}
	fmt.Fprintln(table, "NAMESPACE\tNAME\tNORMAL\tALWAYS-ON\tPLANNED\tSAVED\tSAVED%\tCPU-HOURS\tGIB-HOURS")
	several := slices.ContainsFunc(l.Items, func(i savedItem) bool { return i.Kind != l.Items[0].Kind })
	nameOf := func(i savedItem) string {
		name := manifest.Printable(i.Name)
		if several { // as kubectl has it
			return strings.ToLower(i.Kind) + "/" + name
		}
		return name
	}
	for _, n := range l.Namespaces {
		inside := 0
		for _, i := range l.Items {
			if i.Namespace == n.Namespace {
				row(i.Namespace, nameOf(i), i.Savings)
				inside++
			}
		}
		if inside > 1 && len(l.Namespaces) > 1 {
			row(n.Namespace, "<all>", n.Savings)
		}
	}
	if len(l.Items) > 1 {
		row("<all>", "<all>", l.Total)
	}
	return table.Flush()
}

// hours writes a number of hours with a decimal where it has one.
func hours(h float64) string {
	text := fmt.Sprintf("%.1f", h)
	if text == "-0.0" {
		return "0"
	}
	if text[len(text)-2:] == ".0" {
		return text[:len(text)-2]
	}
	return text
}
