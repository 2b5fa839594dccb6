package helm

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// value is one value of the chart, as values.yaml has it.
type value struct{ name, standard, comment string }

// readValues reads values.yaml with its comments. A mapping that explains its members is not a value itself.
func readValues(t *testing.T) []value {
	t.Helper()
	text, err := os.ReadFile(chartDir + "/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var found []value
	var walk func(prefix string, node *yaml.Node)
	walk = func(prefix string, node *yaml.Node) {
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, content := node.Content[i], node.Content[i+1]
			name := prefix + key.Value
			if content.Kind == yaml.MappingNode && len(content.Content) > 0 && content.Content[0].HeadComment != "" || content.Kind == yaml.MappingNode && name == "metrics.service" {
				walk(name+".", content)
				continue
			}
			comment := strings.ReplaceAll(strings.TrimPrefix(key.HeadComment, "# "), "\n# ", " ")
			if _, own, ok := strings.Cut(comment, "\n\n# "); ok {
				comment = own // what stands above it is about the file
			}
			if comment == "" {
				t.Errorf("values.yaml does not say what %s means", name)
			}
			found = append(found, value{name, standard(t, content), comment})
		}
	}
	walk("", document.Content[0])
	return found
}

// standard is a default on one line.
func standard(t *testing.T, node *yaml.Node) string {
	t.Helper()
	var content any
	if err := node.Decode(&content); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestValuesTable: docs/install.md has every value, with its default and what values.yaml says of it.
func TestValuesTable(t *testing.T) {
	const page, begin, end = source + "/docs/install.md", "<!-- values -->\n", "<!-- /values -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the values, between %q and %q", page, begin, end)
	}
	var table strings.Builder
	table.WriteString("| value | default | meaning |\n| --- | --- | --- |\n")
	for _, v := range readValues(t) {
		fmt.Fprintf(&table, "| `%s` | `%s` | %s |\n", v.name, v.standard, strings.ReplaceAll(v.comment, "|", `\|`))
	}
	same(t, page, before+begin+table.String()+end+after)
}

// TestSchemaIsStrict: a key that values.yaml does not have is refused at every level that is the chart's own, and every
// value that it has is in the schema.
func TestSchemaIsStrict(t *testing.T) {
	for _, v := range readValues(t) {
		parts := strings.Split(v.name, ".")
		wrong := values{}
		inner := wrong
		for _, part := range parts[:len(parts)-1] {
			next := values{}
			inner[part], inner = next, next
		}
		inner["mistyped"] = true
		if _, err := template(load(t), wrong); err == nil || !strings.Contains(err.Error(), "'mistyped' not allowed") {
			t.Errorf("beside %s anything is accepted: %v", v.name, err)
		}
	}
}

// TestEveryZone: the schema knows the shape of a zone's name, and must refuse none that curfew takes.
func TestEveryZone(t *testing.T) {
	text, err := os.ReadFile(chartDir + "/values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct{ Timezone struct{ Pattern string } }
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	shape := regexp.MustCompile(schema.Properties.Timezone.Pattern)
	zones, err := zip.OpenReader(source + "/timewindow/zoneinfo.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer zones.Close()
	checked := 0
	for _, zone := range zones.File {
		if strings.HasSuffix(zone.Name, "/") {
			continue
		}
		checked++
		if !shape.MatchString(zone.Name) {
			t.Errorf("the schema refuses %s", zone.Name)
		}
	}
	if checked < 500 {
		t.Errorf("only %d zones were looked at", checked)
	}
}
