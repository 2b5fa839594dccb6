package manifest

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// twice finds a key that a mapping has more than once, written in different ways, such as 0 and "0". The parser of objects
// makes texts of both and then keeps one of them, by chance. content is what it has made of the text.
func twice(text []byte, content any) error {
	if !odd(content) { // hardly any document has such a key at all, and parsing twice takes time
		return nil
	}
	root := &yaml.Node{}
	if yaml.Unmarshal(text, root) != nil {
		return nil
	}
	return twiceBelow(root, 0)
}

// noText is what a key may look like that was no text before the parser made it one.
var noText = regexp.MustCompile(`^([-+.]*[0-9].*|(?i:true|false|null|[-+]?\.?inf|\.?nan)|)$`)

// odd reports whether there is a key anywhere that may have been no text.
func odd(content any) bool {
	switch c := content.(type) {
	case map[string]any:
		for key, below := range c {
			if noText.MatchString(key) || odd(below) {
				return true
			}
		}
	case []any:
		for _, below := range c {
			if odd(below) {
				return true
			}
		}
	}
	return false
}

func twiceBelow(node *yaml.Node, depth int) error {
	if depth > deepest*deepest { // a document that contains itself is refused elsewhere
		return nil
	}
	seen := map[string]bool{}
	for i, below := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			key := asText(resolved(below))
			if seen[key] {
				return fmt.Errorf("line %d: the key %q is there twice", below.Line, key)
			}
			seen[key] = true
			continue
		}
		if err := twiceBelow(below, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// asText is a key as the parser of objects has it, which reads YAML as of version 1.1: there yes is true.
func asText(key *yaml.Node) string {
	if key.Kind != yaml.ScalarNode {
		return fmt.Sprintf("%p", key)
	}
	if key.Style == 0 && key.Tag == "!!str" {
		switch strings.ToLower(key.Value) {
		case "y", "yes", "on":
			return "true"
		case "n", "no", "off":
			return "false"
		}
	}
	var value any
	if key.Decode(&value) != nil {
		return key.Value
	}
	return fmt.Sprint(value)
}
