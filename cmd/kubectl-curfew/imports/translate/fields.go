package translate

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Fields reads the fields of an object that somebody wrote, of which any may have any type. What is wrong goes into
// Problems, each with its cure.
type Fields struct {
	content  map[string]any
	path     string
	problems *[]string
}

// FieldsOf starts at a field of an object, such as spec.
func FieldsOf(object map[string]any, name string) Fields {
	root := Fields{object, "", new([]string)}
	return root.Fields(name)
}

// Problems are the fields read so far that make no sense.
func (f Fields) Problems() []string { return *f.problems }

// Has reports whether a field is there.
func (f Fields) Has(name string) bool { return f.content[name] != nil }

// Path is where a field stands, or without a name the object itself.
func (f Fields) Path(name string) string { return strings.Trim(f.path+"."+name, ".") }

// Bad adds a problem of a field.
func (f Fields) Bad(name, problem string) {
	*f.problems = append(*f.problems, f.Path(name)+": "+problem)
}

// wrong says that a field is not of the type it has to have.
func (f Fields) wrong(name, want string) {
	text, err := json.Marshal(f.content[name])
	if err != nil {
		text = []byte(fmt.Sprint(f.content[name]))
	}
	f.Bad(name, Quote(string(text))+" is not "+want)
}

// Fields is the object in a field; one without fields if it is not there.
func (f Fields) Fields(name string) Fields {
	inner := Fields{nil, f.Path(name), f.problems}
	if f.Has(name) {
		var ok bool
		if inner.content, ok = f.content[name].(map[string]any); !ok {
			f.wrong(name, "an object")
		}
	}
	return inner
}

// List is the list in a field.
func (f Fields) List(name string) []any {
	if !f.Has(name) {
		return nil
	}
	list, ok := f.content[name].([]any)
	if !ok {
		f.wrong(name, "a list")
	}
	return list
}

// Objects are the objects of the list in a field.
func (f Fields) Objects(name string) []Fields {
	var all []Fields
	for i, item := range f.List(name) {
		place := fmt.Sprintf("%s[%d]", name, i)
		inner := Fields{map[string]any{place: item}, f.path, f.problems}
		if item == nil {
			f.Bad(place, "it is empty; take it out")
			continue
		}
		all = append(all, inner.Fields(place))
	}
	return all
}

// Strings is the list of texts in a field.
func (f Fields) Strings(name string) []string {
	var all []string
	for i, item := range f.List(name) {
		place := fmt.Sprintf("%s[%d]", name, i)
		all = append(all, Fields{map[string]any{place: item}, f.path, f.problems}.String(place))
	}
	return all
}

// String is the text in a field, or "".
func (f Fields) String(name string) string {
	if !f.Has(name) {
		return ""
	}
	text, ok := f.content[name].(string)
	if !ok {
		f.wrong(name, "a text; put it into quotation marks")
	}
	return text
}

// Texts are the texts in the fields of an object.
func (f Fields) Texts(name string) map[string]string {
	inner := f.Fields(name)
	all := map[string]string{}
	for key := range inner.content {
		all[key] = inner.String(key)
	}
	return all
}

// Bool is the truth value in a field, or otherwise.
func (f Fields) Bool(name string, otherwise bool) bool {
	if !f.Has(name) {
		return otherwise
	}
	value, ok := f.content[name].(bool)
	if !ok {
		f.wrong(name, "true or false")
		return otherwise
	}
	return value
}

// Int is the whole number in a field, or otherwise.
func (f Fields) Int(name string, otherwise int32) int32 {
	if !f.Has(name) {
		return otherwise
	}
	whole := func(n float64) bool { return n == math.Trunc(n) && n >= math.MinInt32 && n <= math.MaxInt32 }
	switch n := f.content[name].(type) {
	case int:
		if whole(float64(n)) {
			return int32(n)
		}
	case int64:
		if whole(float64(n)) {
			return int32(n)
		}
	case float64:
		if whole(n) {
			return int32(n)
		}
	}
	f.wrong(name, "a whole number of 32 bits")
	return otherwise
}
