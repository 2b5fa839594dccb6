package kind

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"curfew/scaler/decide"
)

// FieldManager is the name under which Curfew owns what it writes.
const FieldManager = "curfew"

// owning are the entries that own one of some fields.
func owning(entries []metav1.ManagedFieldsEntry, fields [][]string) []metav1.ManagedFieldsEntry {
	var owners []metav1.ManagedFieldsEntry
	for _, e := range entries {
		if e.FieldsV1 == nil {
			continue
		}
		set := e.FieldsV1.GetRawBytes()
		if slices.ContainsFunc(fields, func(path []string) bool { return owns(set, path) }) {
			owners = append(owners, e)
		}
	}
	return owners
}

// owns reads a set of fields, which looks like {"f:spec":{"f:replicas":{}, …}, …}.
func owns(set []byte, path []string) bool {
	if !bytes.Contains(set, []byte(`"`+path[len(path)-1]+`"`)) { // most do not, and reading JSON costs
		return false
	}
	for _, name := range path {
		var below map[string]json.RawMessage
		if json.Unmarshal(set, &below) != nil {
			return false
		}
		set = below[name]
	}
	return len(set) > 0 && set[0] == '{'
}

// writerOf tells from the owners of the size who set it last. Whoever changes the value takes it from all others,
// so several owners agree on it; then the one that is not Curfew and wrote the object itself has the most to say, since
// what Curfew or an autoscaler set and somebody's manifest also says is what somebody wants.
func writerOf(owners []metav1.ManagedFieldsEntry) decide.Writer {
	var best decide.Writer
	rank := -1
	for _, e := range owners {
		w := decide.Writer{Manager: shared(e.Manager), Scale: e.Subresource == "scale"}
		w.Curfew = e.Manager == FieldManager && !w.Scale
		r := 2
		if w.Curfew {
			r = 0
		} else if w.Scale {
			r = 1
		}
		if r > rank {
			best, rank = w, r
		}
	}
	return best
}

// woken is when Curfew last wrote something together with the size, or nothing but its notes.
func woken(owners []metav1.ManagedFieldsEntry) time.Time {
	for _, e := range owners {
		if e.Manager == FieldManager && e.Subresource == "" && e.Time != nil {
			return e.Time.Time
		}
	}
	return time.Time{}
}
