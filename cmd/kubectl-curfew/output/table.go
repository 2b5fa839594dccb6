package output

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Cell is one field of a table.
type Cell struct {
	Text  string
	Style Style
}

// Cells are plain cells.
func Cells(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	return cells
}

// Table prints rows under each other as kubectl does. The tab writer of kubectl counts the bytes that make colours as
// if they took up space, so this one pads what is seen and paints it then. Columns never get narrower, so rows that come
// later stand under those that are printed already.
type Table struct {
	w       io.Writer
	palette Palette
	indent  string
	widths  []int
}

// NewTable returns a table whose lines start with indent.
func NewTable(w io.Writer, palette Palette, indent string) *Table {
	return &Table{w: w, palette: palette, indent: indent}
}

// gap is how many blanks stand between columns at least.
const gap = 3

// widest is the widest a column gets. What takes more moves the rest of its row, and not that of every other: an
// annotation may take 64 KiB, beside hundreds of rules.
const widest = 200

// Print prints rows. All have the same number of cells.
func (t *Table) Print(rows ...[]Cell) error {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			if width := utf8.RuneCountInString(cell.Text); width <= widest {
				t.widths[i] = max(t.widths[i], width)
			}
		}
	}
	var text strings.Builder
	for _, row := range rows {
		text.WriteString(t.indent)
		blanks := 0
		for i, cell := range row {
			if cell.Text != "" { // no blanks at the end of a line
				text.WriteString(strings.Repeat(" ", blanks))
				blanks = 0
			}
			text.WriteString(t.palette.Paint(cell.Style, cell.Text))
			blanks += max(t.widths[i]-utf8.RuneCountInString(cell.Text), 0) + gap
		}
		text.WriteByte('\n')
	}
	_, err := io.WriteString(t.w, text.String())
	return err
}
