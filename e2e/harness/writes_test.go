package harness_test

import (
	"slices"
	"testing"

	"curfew/e2e/cluster"
	"curfew/e2e/harness"
)

// TestReadWrites: what a patch touches, and what of that is not Curfew's.
func TestReadWrites(t *testing.T) {
	for name, test := range map[string]struct {
		body     string
		replicas int32 // -1: none
		stray    []string
	}{
		"size and status":         {`{"metadata":{"annotations":{"curfew/status":"x"},"resourceVersion":"7"},"spec":{"replicas":0}}`, 0, nil},
		"an annotation removed":   {`{"metadata":{"annotations":{"curfew/status":null}}}`, -1, nil},
		"somebody's annotation":   {`{"metadata":{"annotations":{"team":"blue"}},"spec":{"replicas":3}}`, 3, []string{".metadata.annotations.team"}},
		"the template":            {`{"spec":{"replicas":3,"template":{"spec":{"containers":[]}}}}`, 3, []string{".spec.template.spec.containers"}},
		"all annotations at once": {`{"metadata":{"annotations":null}}`, -1, []string{".metadata.annotations"}},
	} {
		t.Run(name, func(t *testing.T) {
			writes, err := harness.ReadWrites([]cluster.Request{{Verb: "patch", Code: 200, Body: []byte(test.body)}})
			if err != nil {
				t.Fatal(err)
			}
			got := int32(-1)
			if writes[0].Replicas != nil {
				got = *writes[0].Replicas
			}
			if got != test.replicas || !slices.Equal(writes[0].Stray, test.stray) {
				t.Errorf("size %d, stray %v, want %d and %v", got, writes[0].Stray, test.replicas, test.stray)
			}
		})
	}
}
