package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Result is everything that was measured.
type Result struct {
	Machine Machine  `json:"machine"`
	Options string   `json:"options"`
	Figures []Figure `json:"figures"`
}

// Figure is one thing that was measured.
type Figure struct {
	Objects int     `json:"objects"` // 0: it does not depend on them
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit,omitempty"`
	Wanted  string  `json:"wanted,omitempty"` // "≤ 50"
	OK      *bool   `json:"ok,omitempty"`     // whether it is as wanted
	Must    bool    `json:"must,omitempty"`   // it is wrong otherwise, not slow
	Note    string  `json:"note,omitempty"`
}

// figure adds one that nobody has asked anything of.
func (r *Result) figure(objects int, name string, value float64, unit, note string) *Figure {
	r.Figures = append(r.Figures, Figure{Objects: objects, Name: name, Value: value, Unit: unit, Note: note})
	return &r.Figures[len(r.Figures)-1]
}

func (f *Figure) atMost(limit float64) { f.want("≤ ", limit, f.Value <= limit) }

func (f *Figure) atLeast(limit float64) { f.want("≥ ", limit, f.Value >= limit) }

// mustBe is for what is wrong otherwise, on however slow a machine.
func (f *Figure) mustBe(value float64) {
	f.want("", value, f.Value == value)
	f.Must = true
}

func (f *Figure) want(word string, limit float64, ok bool) {
	f.Wanted, f.OK = word+number(limit), &ok
}

// wrong are the figures that must be as wanted, and are not.
func (r *Result) wrong() []string {
	var wrong []string
	for _, f := range r.Figures {
		if f.Must && !*f.OK {
			wrong = append(wrong, fmt.Sprintf("%d objects: %s is %s, not %s", f.Objects, f.Name, number(f.Value), f.Wanted))
		}
	}
	return wrong
}

func (r *Result) json() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}

// print writes the table, in Markdown, which can be read as it is too.
func (r *Result) print(to io.Writer) {
	fmt.Fprintf(to, "%s\nbench %s\n\n", r.Machine, r.Options)
	table := tabwriter.NewWriter(to, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| objects\t| figure\t| wanted\t| measured\t| ok\t|")
	fmt.Fprintln(table, "| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, f := range r.Figures {
		objects, verdict, unit, note := "", "", "", ""
		if f.Objects > 0 {
			objects = strconv.Itoa(f.Objects)
		}
		if f.OK != nil {
			verdict = map[bool]string{true: "yes", false: "**no**"}[*f.OK]
		}
		if f.Unit != "" {
			unit = " " + f.Unit
		}
		wanted := f.Wanted
		if wanted != "" {
			wanted += unit
		}
		if f.Note != "" {
			note = " (" + f.Note + ")"
		}
		fmt.Fprintf(table, "| %s\t| %s\t| %s\t| %s%s%s\t| %s\t|\n", objects, f.Name, wanted, number(f.Value), unit, note, verdict)
	}
	_ = table.Flush() // to whom the caller chose
}

// number is a number to three digits, which is more than any of them deserves.
func number(value float64) string {
	if value == 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	// Rounded first, for that may make it a digit longer.
	if rounded, err := strconv.ParseFloat(strconv.FormatFloat(value, 'e', 2, 64), 64); err == nil {
		value = rounded
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(value))))
	return strconv.FormatFloat(value, 'f', max(digits, 0), 64)
}

func numbers(values []float64) string {
	var words []string
	for _, value := range values {
		words = append(words, number(value))
	}
	return strings.Join(words, ", ")
}
