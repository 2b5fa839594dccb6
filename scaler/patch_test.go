package scaler

import (
	"testing"

	"k8s.io/utils/ptr"

	"curfew/scaler/decide"
	"curfew/scaler/kind"
)

func TestPatchBody(t *testing.T) {
	d := deployment("web", 3, nil)
	d.ResourceVersion = "7"
	for name, c := range map[string]struct {
		change decide.Change
		want   string
	}{
		"both": {decide.Change{Size: ptr.To[int32](0), Annotations: map[string]*string{"curfew/status": ptr.To("{}"), "curfew/remembered-replicas": nil}},
			`{"metadata":{"annotations":{"curfew/remembered-replicas":null,"curfew/status":"{}"},"resourceVersion":"7","uid":"uid-1"},"spec":{"replicas":0}}`},
		"annotations only": {decide.Change{Annotations: map[string]*string{"curfew/status": nil}},
			`{"metadata":{"annotations":{"curfew/status":null},"resourceVersion":"7","uid":"uid-1"}}`},
		"size only": {decide.Change{Size: ptr.To[int32](3)},
			`{"metadata":{"resourceVersion":"7","uid":"uid-1"},"spec":{"replicas":3}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := patchBody(kind.Deployment.Of(d), c.change)
			if err != nil || string(got) != c.want {
				t.Errorf("got  %s %v\nwant %s", got, err, c.want)
			}
		})
	}
}
