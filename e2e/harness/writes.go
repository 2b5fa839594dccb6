package harness

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"curfew/e2e/cluster"
)

// Write is one write to a Deployment, as the audit log has it.
type Write struct {
	cluster.Request
	// Replicas is the size it asked for, nil if it did not touch the size.
	Replicas *int32
	// Annotations are those it set or, with nil, removed.
	Annotations map[string]*string
	// Touched are the paths of all fields in it.
	Touched []string
	// Stray are the fields it touched that Curfew has no business to touch.
	Stray []string
}

// Status is the status that it wrote, nil if it did not.
func (w Write) Status() *WorkloadStatus {
	text := w.Annotations[Status]
	if text == nil {
		return nil
	}
	return ParseStatus(*text)
}

// String is the write on one line.
func (w Write) String() string {
	return fmt.Sprintf("%s %s %d %s", w.Received.Format("15:04:05.000"), w.Verb, w.Code, w.Body)
}

// Resizes picks the writes that were carried out and touched the size.
func Resizes(writes []Write) []Write {
	return slices.DeleteFunc(slices.Clone(writes), func(w Write) bool { return w.Replicas == nil || !w.Succeeded() })
}

// ReadWrites reads the bodies of writes to Deployments.
func ReadWrites(requests []cluster.Request) ([]Write, error) {
	var writes []Write
	for _, request := range requests {
		write, err := readWrite(request)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", request, err)
		}
		writes = append(writes, write)
	}
	return writes, nil
}

func readWrite(request cluster.Request) (Write, error) {
	write := Write{Request: request}
	if len(request.Body) == 0 {
		write.Stray = []string{"no body"}
		return write, nil
	}
	var body struct {
		Metadata struct{ Annotations map[string]*string }
		Spec     struct{ Replicas *int32 }
	}
	if err := json.Unmarshal(request.Body, &body); err != nil {
		return write, err
	}
	write.Replicas, write.Annotations = body.Spec.Replicas, body.Metadata.Annotations

	var tree map[string]any
	if err := json.Unmarshal(request.Body, &tree); err != nil {
		return write, err
	}
	write.Touched = leaves("", tree)
	for _, path := range write.Touched {
		switch {
		case path == ".metadata.resourceVersion", path == ".metadata.uid", path == ".spec.replicas":
		case strings.HasPrefix(path, ".metadata.annotations."+Prefix):
		default:
			write.Stray = append(write.Stray, path)
		}
	}
	return write, nil
}

// leaves are the paths of all values in a tree that are not maps.
func leaves(path string, value any) []string {
	branch, ok := value.(map[string]any)
	if !ok {
		return []string{path}
	}
	var found []string
	for _, key := range slices.Sorted(maps.Keys(branch)) {
		found = append(found, leaves(path+"."+key, branch[key])...)
	}
	return found
}
