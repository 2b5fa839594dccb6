package kind

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"curfew/scaler/annotation"
)

// worker is a ScaledObject with such annotations and such a scaleTargetRef.
func worker(t testing.TB, annotations, target, managed string) *Object {
	t.Helper()
	return ScaledObject.Of(object(t, fmt.Sprintf(`{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject",
		"metadata":{"name":"worker","namespace":"shop","generation":3,"annotations":%s,"managedFields":[%s]},"spec":{"scaleTargetRef":%s}}`, annotations, managed, target)))
}

const (
	toWorker   = `{"name":"worker"}`
	ownsPause  = `{"manager":"%s","fieldsV1":{"f:metadata":{"f:annotations":{"f:autoscaling.keda.sh/paused-replicas":{}}}}}`
	paused0    = `{"autoscaling.keda.sh/paused-replicas":"0"}`
	paused5    = `{"autoscaling.keda.sh/paused-replicas":"5"}`
	remembered = `{"autoscaling.keda.sh/paused-replicas":"0","curfew/remembered-pause":%q}`
)

func TestScaledObject(t *testing.T) {
	for name, c := range map[string]struct {
		annotations string
		size        int32
		pause       string // of its owner; "-" for none
		unfit       string // what it has in it
	}{
		"not paused":                {`{}`, 1, "-", ""},
		"paused at 0":               {paused0, 0, "-", ""},
		"paused at 0, oddly":        {`{"autoscaling.keda.sh/paused-replicas":"-00"}`, 0, "-", ""},
		"paused at 5":               {paused5, 1, "5", ""},
		"paused at 5, oddly":        {`{"autoscaling.keda.sh/paused-replicas":"+005"}`, 1, "+005", ""},
		"paused at nothing":         {`{"autoscaling.keda.sh/paused-replicas":""}`, 1, "-", `makes nothing, ""; write a number`},
		"paused at a word":          {`{"autoscaling.keda.sh/paused-replicas":"two"}`, 1, "-", `makes nothing, "two"; write a number`},
		"paused below 0":            {`{"autoscaling.keda.sh/paused-replicas":"-1"}`, 1, "-", "makes nothing"},
		"paused above all":          {`{"autoscaling.keda.sh/paused-replicas":"2147483648"}`, 1, "-", "makes nothing"},
		"paused at a long text":     {`{"autoscaling.keda.sh/paused-replicas":"` + strings.Repeat("0", 5000) + `"}`, 1, "-", "makes nothing"},
		"paused as it is":           {`{"autoscaling.keda.sh/paused":"true"}`, 1, "-", "would not wake"},
		"paused as it is, by a nod": {`{"autoscaling.keda.sh/paused":""}`, 1, "-", "would not wake"},
		"not paused, it says":       {`{"autoscaling.keda.sh/paused":"false"}`, 1, "-", ""},
		"the number wins":           {`{"autoscaling.keda.sh/paused":"true","autoscaling.keda.sh/paused-replicas":"0"}`, 0, "-", ""},
		"annotations are numbers":   {`{"a":3,"autoscaling.keda.sh/paused-replicas":"0"}`, 1, "-", "are not texts"},
	} {
		t.Run(name, func(t *testing.T) {
			o := worker(t, c.annotations, toWorker, "")
			pause := "-"
			if o.Pause != nil {
				pause = *o.Pause
			}
			if o.Size != c.size || !o.Up() || pause != c.pause || !strings.Contains(o.Unfit, c.unfit) || (o.Unfit == "") != (c.unfit == "") {
				t.Errorf("size %d, up %v, paused at %s, unfit %q", o.Size, o.Up(), pause, o.Unfit)
			}
		})
	}
}

func TestScaledObjectTarget(t *testing.T) {
	for name, c := range map[string]struct{ ref, want, unfit string }{
		"a Deployment by default": {toWorker, "Deployment shop/worker", ""},
		"a kind":                  {`{"kind":"StatefulSet","name":"db","apiVersion":"apps/v1"}`, "StatefulSet shop/db", ""},
		"no name":                 {`{"kind":"StatefulSet"}`, "", "scaleTargetRef.name is missing"},
		"a number for a name":     {`{"name":3}`, "", "scaleTargetRef.name is missing"},
		"a number for a kind":     {`{"name":"db","kind":3}`, "", "scaleTargetRef.kind is no text"},
		"nothing":                 {`null`, "", "scaleTargetRef is no object"},
		"a text":                  {`"worker"`, "", "scaleTargetRef is no object"},
	} {
		t.Run(name, func(t *testing.T) {
			o := worker(t, paused0, c.ref, "")
			target := ""
			if o.Target != nil {
				target = o.Target.String()
			}
			if target != c.want || !strings.Contains(o.Unfit, c.unfit) || (o.Unfit == "") != (c.unfit == "") || o.Size != 0 {
				t.Errorf("target %q, unfit %q, size %d", target, o.Unfit, o.Size)
			}
		})
	}
}

func TestScaledObjectWriter(t *testing.T) {
	by := func(manager string) string { return fmt.Sprintf(ownsPause, manager) }
	if w := worker(t, paused0, toWorker, by("curfew")).Writer; !w.Curfew || w.Unsaid {
		t.Errorf("%+v", w)
	}
	if w := worker(t, paused5, toWorker, by("helm")).Writer; w.Manager != "helm" || w.Curfew || w.Unsaid {
		t.Errorf("%+v", w)
	}
	if w := worker(t, `{}`, toWorker, "").Writer; !w.Unsaid || w.Manager != "" {
		t.Errorf("where somebody has removed the annotation: %+v", w)
	}
}

// TestScaledObjectWrite: what was there is remembered in the same request, and given back exactly.
func TestScaledObjectWrite(t *testing.T) {
	const annotated = `{"metadata":{"annotations":{"autoscaling.keda.sh/paused-replicas":%s,"curfew/remembered-pause":%s}}}`
	for name, c := range map[string]struct {
		annotations string
		size        int32
		pause, kept string
	}{
		"nothing was there":             {`{}`, 0, `"0"`, `null`},
		"5 was there":                   {paused5, 0, `"0"`, `"5"`},
		"5 was there, oddly":            {`{"autoscaling.keda.sh/paused-replicas":"+005"}`, 0, `"0"`, `"+005"`},
		"somebody has changed it":       {`{"autoscaling.keda.sh/paused-replicas":"7","curfew/remembered-pause":"5"}`, 0, `"0"`, `"7"`},
		"somebody has removed it":       {`{"curfew/remembered-pause":"5"}`, 0, `"0"`, `null`},
		"nothing is given back":         {paused0, 1, `null`, `null`},
		"5 is given back":               {fmt.Sprintf(remembered, "5"), 1, `"5"`, `null`},
		"5 is given back, oddly":        {fmt.Sprintf(remembered, "+005"), 1, `"+005"`, `null`},
		"somebody has made it a word":   {fmt.Sprintf(remembered, "two"), 1, `null`, `null`},
		"somebody has made it a 0":      {fmt.Sprintf(remembered, "0"), 1, `null`, `null`},
		"somebody has made it nothing":  {fmt.Sprintf(remembered, ""), 1, `null`, `null`},
		"somebody has made it enormous": {fmt.Sprintf(remembered, strings.Repeat("1", 3000)), 1, `null`, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			o := worker(t, c.annotations, toWorker, "")
			patch := Patch{}
			o.Kind.Write(o, c.size, patch)
			if got, _ := json.Marshal(patch); string(got) != fmt.Sprintf(annotated, c.pause, c.kept) {
				t.Errorf("%s", got)
			}
		})
	}
}

// FuzzScaledObject: whatever one says, it is read, or reported as unfit; and what is written is a number or nothing.
func FuzzScaledObject(f *testing.F) {
	for _, text := range []string{
		`{"metadata":{"annotations":` + paused5 + `},"spec":{"scaleTargetRef":` + toWorker + `}}`,
		`{"metadata":{"annotations":{"autoscaling.keda.sh/paused":"maybe","curfew/remembered-pause":"\u0000"}},"spec":{"scaleTargetRef":{"name":"x","kind":[]}}}`,
		`{"metadata":{"annotations":[],"ownerReferences":7},"spec":[]}`,
		`{"metadata":7}`,
		`{"spec":{"scaleTargetRef":null}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var u unstructured.Unstructured
		if u.UnmarshalJSON(append([]byte(`{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject",`), strings.TrimPrefix(strings.TrimSpace(string(text)), "{")...)) != nil {
			return
		}
		o := ScaledObject.Of(&u)
		if o.Size != 0 && o.Size != 1 || !o.Up() || o.Unfit == "" && o.Target == nil || o.Pause != nil && o.Size == 0 {
			t.Errorf("%+v", o)
		}
		for _, size := range []int32{0, 1} {
			patch := Patch{}
			o.Kind.Write(o, size, patch)
			for _, key := range []string{pausedReplicas, annotation.RememberedPause} {
				value, _, _ := unstructured.NestedFieldNoCopy(patch, "metadata", "annotations", key)
				if text, ok := value.(string); ok {
					if _, isNumber := pauseAt(text); !isNumber {
						t.Errorf("%s is written as %q", key, text)
					}
				}
			}
		}
	})
}
