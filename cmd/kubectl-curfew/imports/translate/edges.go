package translate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"curfew/timewindow"
)

// Edge is what happens over and over: from At on, until some other edge, the target has a size.
type Edge struct {
	At   Cron
	Size timewindow.Size
	Says string // where it is written, for people
}

const (
	// FewRules are as easy to read as a pair of crons.
	FewRules = 3

	// MostRules are those that anybody may want in an annotation.
	MostRules = 30
)

// Rules says what edges mean when each lasts until the next: the rules, which all are read in one zone. The error says
// why that cannot be said.
func Rules(edges []Edge) ([]string, error) {
	sizes := map[timewindow.Size][]Cron{}
	weekly := true
	for _, e := range edges {
		sizes[e.Size] = append(sizes[e.Size], e.At)
		weekly = weekly && e.At.Weekly()
	}
	if len(sizes) < 2 {
		return nil, errors.New("nothing ever gives another size again, and a window has to end; add a time at which it does")
	}
	for i, a := range edges {
		for _, b := range edges[:i] {
			if a.Size != b.Size && a.At.meets(b.At) {
				return nil, fmt.Errorf("%s and %s fall on the same minute, and which of them comes last is chance; move one of them", b.Says, a.Says)
			}
		}
	}
	pairs := pairsOf(sizes)
	if !weekly {
		if pairs == nil {
			return nil, errors.New("it takes more than two sizes or schedules, and not every week is the same; write the rules by hand, with cron( ) or dates")
		}
		return pairs, nil
	}
	return shorter(replay(edges).Rules(""), pairs)
}

// shorter takes pairs of crons, if there are any, where the spans are too many to be read.
func shorter(spans, pairs []string) ([]string, error) {
	if pairs != nil && len(spans) > FewRules && len(pairs) < len(spans) {
		return pairs, nil
	}
	if len(spans) > MostRules {
		return nil, fmt.Errorf("it would take %d rules; write a simpler schedule by hand", len(spans))
	}
	return spans, nil
}

// replay walks through a week, each edge until the next. No two of different size fall on one minute.
func replay(edges []Edge) *Week {
	at := map[int]timewindow.Size{}
	for _, e := range edges {
		for _, m := range e.At.Occurrences() {
			at[m] = e.Size
		}
	}
	w := &Week{}
	var last timewindow.Size
	for range 2 { // what holds on Monday is known on Sunday
		for m := range w {
			if size, ok := at[m]; ok {
				last = size
			}
			w[m] = last
		}
	}
	return w
}

// pairsOf says two sizes by pairs of crons, or is nil: a pair has one end. Of several windows each lasts from its start
// to the one end that all have, so that together they are what the latest edge says.
func pairsOf(sizes map[timewindow.Size][]Cron) []string {
	if len(sizes) != 2 {
		return nil
	}
	var both []timewindow.Size
	for s, crons := range sizes {
		both = append(both, s)
		slices.SortFunc(crons, func(a, b Cron) int { return strings.Compare(a.Fields, b.Fields) })
		sizes[s] = slices.CompactFunc(crons, func(a, b Cron) bool { return a.Fields == b.Fields })
	}
	slices.SortFunc(both, bySize)
	low, high := both[0], both[1]
	start, end, otherwise := low, high, high
	if len(sizes[high]) > 1 {
		start, end, otherwise = high, low, low
	}
	if len(sizes[end]) > 1 {
		return nil
	}
	var rules []string
	for _, c := range sizes[start] {
		rules = append(rules, Pair(c, sizes[end][0], "", start))
	}
	if otherwise != timewindow.Normal {
		rules = append(rules, rule("always", "", otherwise))
	}
	return rules
}

// ShortRules says a week whose rules are all read in one zone, if that is not too long to be read.
func ShortRules(w *Week) ([]string, error) { return shorter(w.Rules(""), nil) }
