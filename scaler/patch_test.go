package scaler

import (
	"testing"

	"k8s.io/utils/ptr"

	"curfew/scaler/decide"
	"curfew/scaler/observe"
)

func TestPatchBody(t *testing.T) {
	d := deployment("web", 3, nil)
	d.ResourceVersion = "7"
	for name, c := range map[string]struct {
		change decide.Change
		want   string
	}{
		"both": {decide.Change{Size: ptr.To[int32](0), Annotations: map[string]*string{"curfew/status": ptr.To("{}"), "curfew/remembered-replicas": nil}},
			`{"metadata":{"resourceVersion":"7","uid":"uid-1","annotations":{"curfew/remembered-replicas":null,"curfew/status":"{}"}},"spec":{"replicas":0}}`},
		"annotations only": {decide.Change{Annotations: map[string]*string{"curfew/status": nil}},
			`{"metadata":{"resourceVersion":"7","uid":"uid-1","annotations":{"curfew/status":null}}}`},
		"size only": {decide.Change{Size: ptr.To[int32](3)},
			`{"metadata":{"resourceVersion":"7","uid":"uid-1"},"spec":{"replicas":3}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := patchBody(observe.Of(d), c.change)
			if err != nil || string(got) != c.want {
				t.Errorf("got  %s %v\nwant %s", got, err, c.want)
			}
		})
	}
}
