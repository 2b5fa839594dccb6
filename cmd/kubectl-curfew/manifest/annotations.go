package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Mistake is something about an annotation that an API server would refuse.
type Mistake struct {
	Key           string // the annotation
	Problem, Cure string // what is wrong and what to do about it; safe to print
	Where         Text   // the value, or the key if there is none
}

// String is the problem and the cure in one line.
func (m Mistake) String() string { return m.Problem + "; " + m.Cure }

// Annotations are the annotations whose values are text. An unstructured object gives none of them if any is not.
func (o Object) Annotations() map[string]string {
	all := map[string]string{}
	for key, value := range o.annotations() {
		if text, ok := value.(string); ok {
			all[key] = text
		}
	}
	return all
}

// NotText finds the annotations whose values are no text, the usual one being a number without quotes, if any of the
// object's keys starts with a prefix. Without one, the object is not ours to judge.
func (o Object) NotText(prefix string) []Mistake {
	annotations := o.annotations()
	keys := slices.Sorted(maps.Keys(annotations))
	if !slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, prefix) }) {
		return nil
	}
	var mistakes []Mistake
	for _, key := range keys {
		m := Mistake{key, "this is no text", "write text", o.Value("metadata", "annotations", key)}
		switch value := annotations[key].(type) {
		case string:
			continue
		case nil:
			m.Problem, m.Cure = "it has no value", "write one, or remove it"
			m.Where = o.Key("metadata", "annotations", key)
		case bool: // which YAML also reads in yes, off and the like
			text := strconv.FormatBool(value)
			m.Problem, m.Cure = asWritten(m.Where, text)+" is no text", "write it in quotes: "+strconv.Quote(text)
		case float64, int64:
			text := asWritten(m.Where, fmt.Sprint(value))
			m.Problem, m.Cure = text+" is no text", "write it in quotes: "+strconv.Quote(text)
		}
		mistakes = append(mistakes, m)
	}
	return mistakes
}

// asWritten is a value as its author wrote it, or else as it was understood.
func asWritten(where Text, understood string) string {
	if where.String() == "" {
		return understood
	}
	return Printable(where.String())
}

func (o Object) annotations() map[string]any {
	metadata, _ := o.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	return annotations
}
