package manifest

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// oneLine is a list of objects as programs write it, in a single line.
func oneLine(objects int) string {
	items := make([]string, objects)
	for i := range items {
		items[i] = fmt.Sprintf(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "n%d", "annotations": {"a": "%s", "curfew/windows": "«%d"}}}`,
			i, strings.Repeat("é世x", i%50), i)
	}
	return `{"apiVersion": "v1", "kind": "List", "items": [` + strings.Join(items, ", ") + "]}"
}

// TestOneLine: columns are right wherever in a long line they are, in characters. And a line of thousands of objects,
// in which each is looked for, takes seconds at the most: it took minutes when each was counted from the start.
func TestOneLine(t *testing.T) {
	text := oneLine(5000)
	objects, errs := Parse("f", []byte(text))
	if len(errs) > 0 || len(objects) != 5000 {
		t.Fatalf("%d objects, %v", len(objects), errs)
	}
	objects[0].Value("kind") // parses it
	began := time.Now()
	column, before := 0, 0
	for i, o := range objects {
		value := o.Value("metadata", "annotations", "curfew/windows")
		at := before + strings.Index(text[before:], "«")
		column += utf8.RuneCountInString(text[before:at])
		before = at
		if want := (Place{"f", 1, 1 + column}); value.String() != fmt.Sprintf("«%d", i) || value.Place() != want {
			t.Fatalf("%q at %s, want %s", value.String(), value.Place(), want)
		}
		before += len("«")
		column++
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("that took %s", took)
	}
}
