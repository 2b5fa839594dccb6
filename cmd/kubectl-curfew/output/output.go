// Package output prints what a command has to say as JSON or YAML.
package output

import (
	"encoding/json"
	"io"

	"sigs.k8s.io/yaml"
)

// JSON prints a value with an indent, for people and scripts alike.
func JSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // people read this
	e.SetIndent("", "    ")
	return e.Encode(value)
}

// YAML prints a value by its JSON tags.
func YAML(w io.Writer, value any) error {
	text, err := yaml.Marshal(value)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
