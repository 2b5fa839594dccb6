package output

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Style is how text looks on a terminal.
type Style string

// The styles, as terminals number them. They say nothing that the text does not say too.
const (
	Plain   Style = ""
	Bold    Style = "1"
	Faint   Style = "2"
	Red     Style = "31"
	Green   Style = "32"
	Yellow  Style = "33"
	Magenta Style = "35"
	Cyan    Style = "36"
)

// Palette tells whether there are colours.
type Palette bool

// Paint returns text in a style.
func (p Palette) Paint(style Style, text string) string {
	if !bool(p) || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// Colour is the value of the flag --color.
type Colour string

// AddFlag adds --color.
func (c *Colour) AddFlag(flags *pflag.FlagSet) {
	*c = "auto"
	flags.Var(c, "color", "Colours in tables: auto, always or never. With auto there are some on a terminal, unless NO_COLOR is set or TERM is dumb.")
}

// String is the word that was given.
func (c *Colour) String() string { return string(*c) }

// Type is what --help calls a value.
func (c *Colour) Type() string { return "string" }

// Set reads the word.
func (c *Colour) Set(text string) error {
	switch text {
	case "auto", "always", "never":
		*c = Colour(text)
		return nil
	}
	return fmt.Errorf("%q is none of auto, always and never", text)
}

// On is the palette for what goes to w, in an environment.
func (c *Colour) On(w io.Writer, getenv func(string) string) Palette {
	if *c != "auto" {
		return *c == "always"
	}
	file, ok := w.(*os.File)
	return Palette(ok && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd())))
}
