package output

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var plain, coloured bytes.Buffer
	for _, table := range []*Table{NewTable(&plain, false, "  "), NewTable(&coloured, true, "  ")} {
		if err := table.Print(Cells("NAME", "WHY", "NEXT"), []Cell{{"web", Plain}, {"Größe = 0", Red}, {"3", Bold}}, []Cell{{"a-long-name", Faint}, {"", Red}, {"", Plain}}); err != nil {
			t.Fatal(err)
		}
		if err := table.Print([]Cell{{"x", Plain}, {"", Red}, {"later", Plain}}); err != nil {
			t.Fatal(err)
		}
	}
	const want = "" +
		"  NAME          WHY         NEXT\n" +
		"  web           Größe = 0   3\n" +
		"  a-long-name\n" +
		"  x                         later\n"
	if plain.String() != want {
		t.Errorf("got\n%swant\n%s", plain.String(), want)
	}
	escapes := regexp.MustCompile("\x1b\\[[0-9]+m")
	if got := escapes.ReplaceAllString(coloured.String(), ""); got != want || len(escapes.FindAllString(coloured.String(), -1)) != 6 {
		t.Errorf("with colours %q", coloured.String())
	}
}

// TestTableOfLongText: one annotation of 64 KiB does not make every row that long.
func TestTableOfLongText(t *testing.T) {
	var out bytes.Buffer
	long := strings.Repeat("x", 64<<10)
	rows := [][]Cell{Cells("RULE", "WHY"), Cells(long, "long")}
	for range 500 {
		rows = append(rows, Cells("Sat = 0", "short"))
	}
	if err := NewTable(&out, false, "").Print(rows...); err != nil {
		t.Fatal(err)
	}
	if want := "RULE      WHY\n" + long + "   long\nSat = 0   short\n"; !strings.HasPrefix(out.String(), want) || out.Len() > 80<<10 {
		t.Errorf("%d bytes, and they start with %.30s", out.Len(), out.String())
	}
}

func TestColour(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0) // a terminal's other end passes for one
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	for name, c := range map[string]struct {
		word string
		file *os.File // nil: a buffer
		env  map[string]string
		want Palette
	}{
		"a terminal":                {"auto", terminal, nil, true},
		"a file":                    {"auto", null, nil, false},
		"a buffer":                  {"auto", nil, nil, false},
		"NO_COLOR":                  {"auto", terminal, map[string]string{"NO_COLOR": "1"}, false},
		"a dumb terminal":           {"auto", terminal, map[string]string{"TERM": "dumb"}, false},
		"never":                     {"never", terminal, nil, false},
		"always, whatever is there": {"always", null, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var colour Colour
			if err := colour.Set(c.word); err != nil {
				t.Fatal(err)
			}
			getenv := func(key string) string { return c.env[key] }
			got := colour.On(new(bytes.Buffer), getenv)
			if c.file != nil {
				got = colour.On(c.file, getenv)
			}
			if got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
	var colour Colour
	if err := colour.Set("red"); err == nil {
		t.Error("any word will do")
	}
}

func TestSafe(t *testing.T) {
	for text, want := range map[string]string{
		`"argocd" wrote 3 \ 4`: `"argocd" wrote 3 \ 4`,
		"red \x1b[31m\r\nline": `red \x1b[31m\r\nline`,
		"\u202eright to left":  `\u202eright to left`,
		"Größe\xff":            "Größe\ufffd",
		"it's 'quoted'\x00":    `it's 'quoted'\x00`,
		"":                     "",
	} {
		if got := Safe(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
