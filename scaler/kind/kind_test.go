package kind

import (
	"encoding/json"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

var rollouts = NewScaled(schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"}, "Rollout")

func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return u
}

// Every kind of replicas reads the same from the same fields, typed or not.
func TestReplicas(t *testing.T) {
	for name, c := range map[string]struct {
		spec, status string
		size         int32
		up           bool
	}{
		"absent":                     {`{}`, `{}`, 1, false},
		"none wanted":                {`{"replicas":0}`, `{}`, 0, false},
		"none wanted, seen":          {`{"replicas":0}`, `{"observedGeneration":2}`, 0, true},
		"all there":                  {`{"replicas":3}`, `{"observedGeneration":2,"availableReplicas":3}`, 3, true},
		"not all available":          {`{"replicas":3}`, `{"observedGeneration":2,"availableReplicas":2,"replicas":3,"readyReplicas":3}`, 3, false},
		"an older generation's word": {`{"replicas":3}`, `{"observedGeneration":1,"availableReplicas":3}`, 3, false},
	} {
		for _, k := range []*Kind{Deployment, StatefulSet, rollouts} {
			t.Run(name+"/"+k.Name, func(t *testing.T) {
				u := object(t, `{"apiVersion":"`+k.Resource.GroupVersion().String()+`","kind":"`+k.Name+`","metadata":{"name":"web","namespace":"shop","generation":2},"spec":`+c.spec+`,"status":`+c.status+`}`)
				o := k.Of(u)
				seenAsIs := k == rollouts && !strings.Contains(c.status, "observedGeneration")
				if up := c.up || seenAsIs && c.size == 0; o.Size != c.size || o.Up() != up || o.Unfit != "" {
					t.Errorf("size %d, up %v, unfit %q", o.Size, o.Up(), o.Unfit)
				}
				if got := o.Key().String(); got != k.Name+" shop/web" {
					t.Errorf("it is called %s", got)
				}
				gvk := o.GetObjectKind().GroupVersionKind()
				if gvk != k.GroupVersionKind() {
					t.Errorf("to the API server it is %v", gvk)
				}
				patch := Patch{}
				k.Write(o, 7, patch)
				if text, err := json.Marshal(patch); err != nil || string(text) != `{"spec":{"replicas":7}}` {
					t.Errorf("%s, %v", text, err)
				}
			})
		}
	}
}

// What a resource without a type says may be anything.
func TestScaledReadsAnything(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		size    int32
		up      bool
		unfit   string
	}{
		"a generation in words":  {`"spec":{"replicas":2},"status":{"observedGeneration":"4","replicas":2}`, 2, true, ""},
		"an odd generation":      {`"spec":{"replicas":2},"status":{"observedGeneration":"abc","replicas":2}`, 2, false, ""},
		"no generation":          {`"spec":{"replicas":2},"status":{"readyReplicas":2}`, 2, true, ""},
		"nothing at all":         {`"status":null`, 1, false, ""},
		"spec is a list":         {`"spec":[]`, 0, true, ".spec.replicas is no number"},
		"a size in words":        {`"spec":{"replicas":"3"}`, 0, true, ".spec.replicas is no number"},
		"half a replica":         {`"spec":{"replicas":1.5}`, 0, true, ".spec.replicas is no number"},
		"less than nothing":      {`"spec":{"replicas":-1}`, 0, true, ".spec.replicas is -1"},
		"more than there can be": {`"spec":{"replicas":2147483648}`, 0, true, ".spec.replicas is 2147483648"},
		"available beyond that":  {`"spec":{"replicas":3},"status":{"availableReplicas":9999999999}`, 3, true, ""},
		"available below 0":      {`"spec":{"replicas":3},"status":{"availableReplicas":-5}`, 3, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := rollouts.Of(object(t, `{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"web","generation":4},`+c.content+`}`))
			if o.Size != c.size || c.unfit == "" && o.Up() != c.up || !strings.HasPrefix(o.Unfit, c.unfit) || (o.Unfit == "") != (c.unfit == "") {
				t.Errorf("size %d, up %v, unfit %q", o.Size, o.Up(), o.Unfit)
			}
		})
	}
}

func TestOwned(t *testing.T) {
	owned := func(controller *bool) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Kind: "Machine", Name: "m1", Controller: controller}}}}
	}
	for name, c := range map[string]struct {
		controller *bool
		want       string
	}{
		"by a controller":       {ptr.To(true), "this Deployment belongs to the Machine m1, which sets its size; say it there"},
		"by somebody":           {nil, ""},
		"by somebody who is no": {ptr.To(false), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Deployment.Of(owned(c.controller)).Unfit; got != c.want {
				t.Errorf("%q", got)
			}
		})
	}
}

// Each row of the table is found by both of its names, and by no other.
func TestTable(t *testing.T) {
	for _, k := range Known() {
		if Named(Known(), k.Resource.GroupResource()) != k || Called(Known(), k.GroupKind()) != k || !IsKnown(k) {
			t.Errorf("%s is not found by its names", k)
		}
		if first := k.Logged()[:1]; first != strings.ToLower(first) {
			t.Errorf("the log has it as %s", k.Logged())
		}
	}
	if Named(Known(), rollouts.Resource.GroupResource()) != nil || IsKnown(rollouts) {
		t.Error("a Rollout is known")
	}
}

// FuzzScaled: whatever an object says, it is read, or reported as unfit, and no size is out of bounds.
func FuzzScaled(f *testing.F) {
	f.Add([]byte(`{"spec":{"replicas":3},"status":{"observedGeneration":"4","availableReplicas":3}}`))
	f.Add([]byte(`{"spec":{"replicas":"3"}}`))
	f.Add([]byte(`{"spec":{"replicas":1e99},"metadata":{"ownerReferences":[{"controller":true}]}}`))
	f.Add([]byte(`{"metadata":{"managedFields":[{"manager":"x","fieldsV1":{"f:spec":{"f:replicas":{}}}}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var u unstructured.Unstructured
		if u.UnmarshalJSON(append([]byte(`{"apiVersion":"a/v1","kind":"B",`), strings.TrimPrefix(strings.TrimSpace(string(text)), "{")...)) != nil {
			return
		}
		for _, k := range []*Kind{rollouts, Deployment, StatefulSet} {
			if o := k.Of(&u); k == rollouts && (o.Size < 0 || o.Available < 0) {
				t.Errorf("size %d, available %d", o.Size, o.Available)
			}
		}
	})
}
