package rewrite

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// check is an error if a document, after the edits, means anything but what it meant before with its annotations changed.
func check(before, after []byte, edits []Edit) error {
	var want, got any
	if err := yaml.Unmarshal(before, &want); err != nil {
		return err
	}
	for _, e := range edits {
		expect(want, e, "")
	}
	if err := yaml.UnmarshalStrict(after, &got); err != nil {
		return fmt.Errorf("this way of writing YAML cannot be changed safely; change it by hand (%w)", err)
	}
	if !reflect.DeepEqual(want, got) {
		return errors.New("this way of writing YAML cannot be changed safely; change it by hand")
	}
	return nil
}

// expect changes the annotations of an object in what was read.
func expect(content any, e Edit, kind string) {
	fields, _ := content.(map[string]any)
	own, _ := fields["kind"].(string)
	if own == "" {
		own = kind
	}
	if items, ok := fields["items"].([]any); ok && strings.HasSuffix(own, "List") {
		for _, item := range items {
			expect(item, e, strings.TrimSuffix(own, "List"))
		}
		return
	}
	metadata, _ := fields["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	namespace, _ := metadata["namespace"].(string)
	if metadata == nil || own != e.Kind || name != e.Name || namespace != e.Namespace {
		return
	}
	annotations, ok := metadata["annotations"].(map[string]any)
	if !ok && len(e.Set) == 0 {
		return
	}
	changed := map[string]any{}
	for key, value := range annotations {
		if !slices.Contains(e.Remove, key) {
			changed[key] = value
		}
	}
	for key, value := range e.Set {
		changed[key] = value
	}
	metadata["annotations"] = changed
}
